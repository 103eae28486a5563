"""The attacks that link users to the pseudonyms of a release, registered by name.

An attack is an entry of :data:`REGISTRY`: a small class with its name, the sentence of its legend and the
statements that it runs. The option ``--attack``, the legend of reports and the error for unknown names read
the registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.sentences import Data, Sentence, join_texts

if TYPE_CHECKING:
    from duckrisk.engine.session import Session

#: The table of the pseudonym of each key, which an attack makes once for a release.
_KEY_MAP = "attack_map"


@dataclass(frozen=True)
class Attack:
    """An attack on a release, by records of the original that the attacker knows.

    Attributes:
        name: Its name in options, reports and JSON.
        keys: The columns on which a known and a released record must agree; empty if it compares otherwise.
        legend_key: The key of its legend under ``pwscup.legend``.
    """

    name: str
    keys: tuple[str, ...] = ()
    legend_key: ClassVar[str]

    @property
    def is_of_committee(self) -> bool:
        """Whether it is one of the sample programs S1 to S6, which count for SEC."""
        return self.name.startswith("S")

    @property
    def legend(self) -> Sentence:
        """The sentence of reports that says how it links."""
        columns = join_texts(Sentence(f"pwscup.compared.{key}") for key in self.keys)
        return Sentence(f"pwscup.legend.{self.legend_key}", attack=Data(self.name), columns=columns)

    def prepare(self, session: Session, released: str, prefix: int | None) -> None:
        """Make what several runs on one release share; nothing by default."""

    def link(self, session: Session, released: str, known: str, prefix: int | None, table: str) -> None:
        """Make the table of the guess, after :meth:`prepare` for the same release.

        Args:
            session: Runs the statements.
            released: The standard table of released records.
            known: The standard table of records that the attacker knows.
            prefix: How many first characters of an item count; None for all.
            table: The table that is made: ``user_id``, ``period``, ``pseudonym``, one row a guessed cell.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class LastMatch(Attack):
    """Links a user to the pseudonym of the last released record that agrees on the keys."""

    legend_key = "last_match"

    def prepare(self, session: Session, released: str, prefix: int | None) -> None:
        """Make the map from keys to pseudonyms."""
        session.run("key_pseudonyms", table=_KEY_MAP, released=released, keys=self.keys, prefix=prefix)

    def link(self, session: Session, released: str, known: str, prefix: int | None, table: str) -> None:
        """Look up the known records in the map."""
        session.run(
            "last_matches", table=table, known_records=known, map=_KEY_MAP, keys=self.keys, prefix=prefix
        )


@dataclass(frozen=True)
class Vote(Attack):
    """Links a user to the pseudonym of the same period that most known records agree with on the keys."""

    legend_key = "vote"

    def link(self, session: Session, released: str, known: str, prefix: int | None, table: str) -> None:
        """Count the votes of the known records."""
        session.run(
            "vote_matches", table=table, released=released, known_records=known, keys=self.keys, prefix=prefix
        )


@dataclass(frozen=True)
class Overlap(Attack):
    """Links a user to the pseudonym of the period whose items are the most likely for the user."""

    legend_key = "overlap"

    def link(self, session: Session, released: str, known: str, prefix: int | None, table: str) -> None:
        """Compare the items of users and pseudonyms."""
        session.run("overlap_matches", table=table, released=released, known_records=known, prefix=prefix)


@dataclass(frozen=True)
class Combined(Attack):
    """Links users by the evidence of all columns of all known records."""

    legend_key = "combined"

    def link(self, session: Session, released: str, known: str, prefix: int | None, table: str) -> None:
        """Weigh the evidence."""
        from duckrisk.contests.pwscup.evidence import guess_by_evidence

        guess_by_evidence(session, released, known, prefix=prefix, table=table)


#: The sample programs of the committee, and the patterns of the contest's paper.
_LAST_MATCHES = (
    LastMatch("S1-datenum", ("day", "quantity")),
    LastMatch("S2-itemprice", ("item", "price")),
    LastMatch("S3-itemnum", ("item", "quantity")),
    LastMatch("S4-itemdate", ("item", "day")),
    LastMatch("S5-item2pricenum", ("item", "price", "quantity")),
    LastMatch("S6-item2datenum", ("item", "day", "quantity")),
    LastMatch("paper-date", ("day",)),
    LastMatch("paper-item", ("item",)),
    LastMatch("paper-monthitem", ("period", "item")),
)
#: A vote is within a period, so it has no attack by the period.
_VOTES = tuple(
    Vote("vote-" + attack.name.partition("-")[2], attack.keys)
    for attack in _LAST_MATCHES
    if "period" not in attack.keys
)
#: Every attack by its name, in the order in which reports list them.
REGISTRY: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        *_LAST_MATCHES,
        *_VOTES,
        Overlap("overlap-item2"),
        Combined("combined"),
    )
}
ATTACKS = tuple(REGISTRY)
COMMITTEE = tuple(name for name, attack in REGISTRY.items() if attack.is_of_committee)
#: The strongest of each kind on the contest's tables (the README's table of users found).
STRONG = ("vote-item2datenum", "overlap-item2", "combined")


def find_attack(name: str) -> Attack:
    """Return the attack of that name.

    Raises:
        UsageError: There is no such attack; the sentence suggests a similar name.
    """
    if name not in REGISTRY:
        raise UsageError("pwscup.unknown_attack", name=name, suggestion=suggest_names(name, list(ATTACKS)))
    return REGISTRY[name]


def link_users(
    session: Session, name: str, released: str, known: str, *, prefix: int | None, table: str
) -> None:
    """Run one attack; the arguments are those of :meth:`Attack.link`.

    Raises:
        UsageError: There is no such attack.
    """
    attack = find_attack(name)
    attack.prepare(session, released, prefix)
    attack.link(session, released, known, prefix, table)


def list_legends(names: Sequence[str]) -> list[Sentence]:
    """Return the legend of each attack that is named, once, in the order of the names."""
    return [REGISTRY[name].legend for name in dict.fromkeys(names)]
