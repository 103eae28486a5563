"""Decide what a release for a policy publishes of each column, before anything becomes coarser.

Columns that identify people are left out. Quasi-identifiers become coarser, all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from duckrisk.base.options.anonymization import Wishes
from duckrisk.decision import policy
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.verdict import find_identifying_columns, is_open_code
from duckrisk.engine.types import has_date, is_number
from duckrisk.measures.detail import Detail
from duckrisk.release.anonymization.results import StepDone
from duckrisk.release.anonymization.steps import Step
from duckrisk.release.anonymization.summary import list_origins
from duckrisk.roles import Roles, known_columns
from duckrisk.roles.model import PSEUDONYM, Decision

#: Share of the records; texts with more distinct values say nothing in any group (a choice: a group of two
#: values covers few records already).
MAX_DISTINCT_SHARE = 0.5
#: People in a class, tried one after the other until histories keep their limits (a choice: on the bundled
#: history 25 people keep what 11 do not).
CLASS_SIZES = (11, 25, 50, 100)


@dataclass(frozen=True)
class Publication:
    """What is published of each column.

    Attributes:
        k: Minimum number of people, or of records that are a person each, in a class.
        user: Name of the user column; None without one.
        has_histories: Whether people have several records.
        is_linked: Whether the release has the user column.
        is_renamed: Whether people get new pseudonyms.
        dropped: Columns that are left out, the user column aside.
        hopeless: Those of them that hold too many distinct texts to be of use.
        quasi_identifiers: Columns that become coarser.
        sensitive: Columns whose values no class may disclose.
        known: Columns that an attacker may know, in the original.
        kept: Quasi-identifiers that must not be left out.
        forbidding: Columns that must not be left out although they identify people.
        published: Columns that stay, in whatever form.
        summary: The step that makes one row a person first; None for the records as they are.
    """

    k: int
    user: str | None
    has_histories: bool
    is_linked: bool
    is_renamed: bool
    dropped: tuple[str, ...]
    hopeless: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    known: tuple[str, ...]
    kept: tuple[str, ...]
    forbidding: tuple[str, ...]
    published: tuple[str, ...]
    summary: Step | None = None

    def list_steps(self, method: str, wishes: Wishes) -> Iterator[Step]:
        """List the steps that make the release.

        One row a person comes first. Classes are made before pseudonyms, which are random, and would decide
        which records are sampled.

        Args:
            method: "local", "uniform" or "columns".
            wishes: What a person wants of the release.
        """
        if self.summary is not None:
            yield self.summary
        if self.quasi_identifiers:
            names = set(self.quasi_identifiers)
            options: dict[str, object] = {
                "k": self.k,
                "quasi_identifiers": list(self.quasi_identifiers),
                "algorithm": method,
            }
            if self.has_histories and self.user is not None:
                options["user"] = self.user
            # In one form a column, a quasi-identifier that looks sensitive is judged only in the release.
            sensitive = [name for name in self.sensitive if method == "local" or name not in names]
            if sensitive:
                options["sensitive"] = sensitive
            origins = list_origins(self.summary) if self.summary is not None else {}
            weights = {name: w for name in names if (w := _find_weight(name, origins, wishes)) is not None}
            if important := {name: weights[name] for name in self.quasi_identifiers if name in weights}:
                options["importance"] = important
            if method != "columns":
                options |= wishes.cells
            if method != "local":
                options["delete_at_most"] = wishes.delete_at_most
                if self.kept:
                    options["keep"] = list(self.kept)
            yield Step("k-anonymize", options)
        if self.is_renamed:
            yield Step("pseudonymize", {"column": self.user})
        lost = [*self.dropped, *([self.user] if self.user is not None and not self.is_linked else [])]
        for name in lost:
            yield Step("suppress", {"column": name, "drop": True})
        # In the order of the original, records of one person or of one day would stand side by side.
        yield Step("sort")

    def measure_detail(self, steps: Sequence[StepDone], records: int, released: int) -> Detail:
        """Measure the detail that the steps left, as ``total_penalty`` defines it.

        Args:
            steps: What the steps did.
            records: Number of records of the original.
            released: Number of records of the release.
        """
        gcp = next((step.gcp for step in steps if step.gcp is not None), 0.0)
        count, lost = len(self.known), [name for name in self.dropped if name in self.known]
        gone = [step.column for step in steps if step.dropped and step.column in self.quasi_identifiers]
        if not count or not records:
            return Detail(count - len(lost), count, 1.0)
        recoded = len(self.quasi_identifiers)
        whole = count - len(lost) - recoded
        penalty = recoded * gcp + len(lost) + whole * (records - released) / records
        return Detail(count - len(lost) - len(gone), count, max(0.0, 1 - penalty / count))

    def with_k(self, k: int) -> Publication:
        """Return the publication with larger classes.

        Args:
            k: Minimum number of people in a class.
        """
        return replace(self, k=k)


def plan_publication(
    assessed: Assessment,
    roles: Roles,
    against: policy.Options,
    sensitive: Collection[str],
    without: Collection[str],
    k: int | None = None,
    *,
    is_linked: bool,
) -> Publication:
    """Plan what is published of each column of the records, or of one row a person.

    Args:
        assessed: An assessment of the original by the policy.
        roles: The roles of the original.
        against: The policy.
        sensitive: Columns whose values no class may disclose, declared or by their names.
        without: Further columns to leave out.
        k: Minimum number of people in a class, where it is above that of the policy.
        is_linked: Whether the release has the user column.
    """
    user = roles.user.name if roles.user is not None else None
    has_histories = user is not None and roles.users < roles.records
    kept = {decision.column.name for decision in roles.decisions if decision.keep}
    codes = {d.column.name for d in roles.decisions if d.role != "user" and _is_open_code(d, user)}
    identifying = {*find_identifying_columns(assessed), *codes}
    identifying |= {d.column.name for d in roles.decisions if d.role in ("direct_identifier", "free_text")}
    person = next((decision for decision in roles.decisions if decision.role == "user"), None)
    known = [decision for decision in known_columns(roles) if decision.column.name != user]
    attributes = [decision for decision in known if decision.is_known and decision.role != "constant"]
    hopeless = tuple(
        decision.column.name
        for decision in attributes
        if decision.role != "event_key" and _is_hopeless(decision, roles.records)
    )
    keys = {decision.column.name for decision in attributes if decision.role == "event_key"}
    lost = {*identifying, *keys, *hopeless, *without} - {user} - kept
    names = [decision.column.name for decision in roles.decisions]
    return Publication(
        k=max(2, int(against.limit_of("smallest_class") or 0), k or 0),
        user=user,
        has_histories=has_histories,
        is_linked=is_linked and user is not None,
        is_renamed=is_linked and person is not None and person.kind != PSEUDONYM,
        dropped=tuple(name for name in names if name in lost),
        hopeless=tuple(name for name in hopeless if name in lost),
        quasi_identifiers=tuple(d.column.name for d in attributes if d.column.name not in lost),
        sensitive=tuple(name for name in names if name in sensitive and name not in lost and name != user),
        known=tuple(decision.column.name for decision in known),
        kept=tuple(d.column.name for d in attributes if d.column.name in kept),
        forbidding=tuple(name for name in names if name in identifying & kept - {user}),
        published=tuple(name for name in names if name not in lost and name != user),
    )


def _find_weight(name: str, origins: Mapping[str, str], wishes: Wishes) -> float | None:
    """Find what a person gave for a column, or for the one that it is a figure of."""
    weights = wishes.weights
    return weights.get(name, weights.get(origins.get(name, name)))


def _is_open_code(decision: Decision, user: str | None) -> bool:
    """Return whether nobody said if the codes of a column lead back to people."""
    return is_open_code(decision.role, decision.kind, user, given=decision.given)


def _is_hopeless(decision: Decision, records: int) -> bool:
    kind = decision.column.type
    is_text = not is_number(kind) and not has_date(kind) and not decision.is_moment
    return is_text and decision.distinct > MAX_DISTINCT_SHARE * records
