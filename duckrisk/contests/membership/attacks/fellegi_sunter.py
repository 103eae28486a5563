"""Scores candidates by what the agreement of each attribute with a record of the release weighs.

The probability that a cell was kept is estimated for each attribute by expectation and maximisation on some
records, once for cells that were drawn from the domain and once for cells drawn from the column; the likelier
of both is taken. SQL makes every number; Python repeats its steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier

#: Pairs of a record and a candidate that the estimate looks at (a choice: a second of CPU).
_ESTIMATED_PAIRS = 30_000_000
#: Steps of an estimate, and the change of all shares at which it ends (a choice: a share that is off by a
#: hundredth moves the AUC by less than a thousandth).
_MAX_STEPS, _TOLERANCE = 15, 0.004
#: The least and the most probability that a cell is kept (a choice: at 1 one differing cell would rule a
#: candidate out).
_LEAST, _MOST = 0.001, 0.999
#: Bits of a word of codes with the mark of a set (derived: a BIGINT less its sign).
_BITS = 62
#: Rows of the table of sets of values (a choice: it takes 400 MB).
_MAX_SETS = 16_000_000
_CODES, _RELEASED, _POPULATION = "agreement_codes", "agreement_released", "agreement_population"
_PATTERNS, _ODDS, _GAINS, _SUMS = "agreement_patterns", "agreement_odds", "agreement_gains", "agreement_sums"
_SETS, _MATCHES, _SCORES = "agreement_sets", "agreement_matches", "agreement_scores"


@dataclass(frozen=True)
class Kept:
    """How a release seems to have been made.

    Attributes:
        shares: For each attribute the probability that a cell was kept.
        by_domain: Whether other cells were drawn from all values alike, not from the cells of the column.
        log_likelihood: The mean over the records, less a constant.
    """

    shares: tuple[float, ...]
    by_domain: bool
    log_likelihood: float


class Agreement:
    """The distinct candidates and records of a release as codes.

    Args:
        session: Runs the statements.
        population: The encoded table of candidates.
        released: The encoded release.
        columns: The columns of both.
    """

    def __init__(self, session: Session, population: str, released: str, columns: Sequence[str]) -> None:
        self.session, self.fields = session, list(range(len(columns)))
        session.run(
            "agreement_codes",
            name=_CODES,
            population=identifier(population),
            released=identifier(released),
            columns=list(columns),
        )
        sizes = session.fetch_row("agreement_sizes", source=Sql(_CODES), fields=self.fields)
        self.candidates, self.records = sizes["candidates"], sizes["records"]
        self.bits = [(codes - 1).bit_length() for codes in sizes["codes"]]
        self.places = [sum(self.bits[:index]) for index in self.fields]
        self.has_words = sum(self.bits) + len(self.fields) <= _BITS
        for number, name in enumerate((_POPULATION, _RELEASED)):
            session.run(
                "agreement_words",
                name=name,
                source=Sql(_CODES),
                number=number,
                fields=self.fields,
                places=self.places if self.has_words else None,
            )

    def estimate(self, keep: float | None = None) -> Kept:
        """Estimate how the release was made.

        Args:
            keep: The probability that a cell was kept, if the attacker knows it.
        """
        records = max(1, min(self.records, _ESTIMATED_PAIRS // self.candidates))
        self._make_patterns(records)
        found = [self._estimate(by_domain, keep) for by_domain in (True, False)]
        return max(found, key=lambda kept: kept.log_likelihood)

    def score(self, kept: Kept, table: str) -> None:
        """Make the table ``record``, ``score`` of all candidates.

        Args:
            kept: How the release was made.
            table: The table that is made.
        """
        self._weigh(kept.shares, kept.by_domain)
        sets = self.records << len(self.fields)
        if self.has_words and sets <= min(_MAX_SETS, self.records * self.candidates):
            self._score_by_sets()
        else:
            self._score_by_pairs()
        self.session.run(
            "agreement_ranking",
            name=table,
            source=Sql(_CODES),
            population=Sql(_POPULATION),
            scores=Sql(_SCORES),
            fields=self.fields,
        )

    def _make_patterns(self, records: int) -> None:
        self.session.run(
            "agreement_patterns",
            name=_PATTERNS,
            released=Sql(_RELEASED),
            population=Sql(_POPULATION),
            fields=self.fields,
            records=records,
        )

    def _weigh(self, shares: Sequence[float], by_domain: bool) -> None:
        self.session.run(
            "agreement_odds",
            name=_ODDS,
            released=Sql(_RELEASED),
            fields=self.fields,
            kept=[repr(share) for share in shares],
            by_domain=by_domain,
        )

    def _sum_patterns(self) -> None:
        """Sum the likelihoods of all candidates by their patterns."""
        self.session.run(
            "agreement_gains", name=_GAINS, odds=Sql(_ODDS), patterns=Sql(_PATTERNS), fields=self.fields
        )
        self.session.run("agreement_sums", name=_SUMS, matches=Sql(_GAINS))

    def _estimate(self, by_domain: bool, keep: float | None) -> Kept:
        """Repeat steps until no share changes; measure the likelihood of the last."""
        shares = tuple(_bound(0.5 if keep is None else keep) for _ in self.fields)
        for step in range(_MAX_STEPS):
            self._weigh(shares, by_domain)
            self._sum_patterns()
            row = self.session.fetch_row(
                "agreement_step", odds=Sql(_ODDS), sums=Sql(_SUMS), matches=Sql(_GAINS), fields=self.fields
            )
            found = tuple(map(_bound, row["kept"]))
            change = max(abs(new - old) for new, old in zip(found, shares, strict=True))
            if keep is not None or change < _TOLERANCE or step == _MAX_STEPS - 1:
                break
            shares = found
        return Kept(shares, by_domain, row["log_likelihood"])

    def _score_by_sets(self) -> None:
        run, odds, population = self.session.run, Sql(_ODDS), Sql(_POPULATION)
        run(
            "agreement_sets",
            name=_SETS,
            fields=self.fields,
            places=self.places,
            bits=self.bits,
            mark=sum(self.bits),
        )
        run(
            "agreement_matches",
            name=_MATCHES,
            odds=odds,
            population=population,
            sets=Sql(_SETS),
            fields=self.fields,
        )
        run("agreement_sums", name=_SUMS, matches=Sql(_MATCHES))
        run(
            "agreement_scores",
            name=_SCORES,
            odds=odds,
            population=population,
            matches=Sql(_MATCHES),
            sums=Sql(_SUMS),
            sets=Sql(_SETS),
        )

    def _score_by_pairs(self) -> None:
        self._make_patterns(self.records)
        self._sum_patterns()
        self.session.run(
            "agreement_pair_scores",
            name=_SCORES,
            odds=Sql(_ODDS),
            population=Sql(_POPULATION),
            sums=Sql(_SUMS),
            fields=self.fields,
        )


def _bound(share: float) -> float:
    return min(max(share, _LEAST), _MOST)
