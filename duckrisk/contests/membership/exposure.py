"""Finds the records of a table that are most exposed: those furthest from the records nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from duckrisk.base.errors import SourceError
from duckrisk.base.results import Table
from duckrisk.contests.common import count_rows, run_facts
from duckrisk.contests.membership.options import ExposureOptions
from duckrisk.contests.membership.records import LARGEST, open_tables
from duckrisk.contests.membership.release_risks.results import (
    ExposedRecord,
    Exposure,
    ExposureSettings,
    RiskAttribute,
    TypicalExposure,
)
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.source import Request

#: Nearest records whose mean distance is the exposure (Meeus and others, 2023).
NEAREST = 5
#: Records of a block that are compared for a bound (a choice: of Adult 39 of 45,222 bounds
#: reach the eleventh exposure, so few are left to compare).
_BLOCK = 64
#: Orders in which records are put into blocks (a choice: a fifth excludes hardly any further record).
_ORDERS = 4
#: Pairs of a record and another that are compared at most (a choice: five seconds of CPU).
_MAX_PAIRS = 100_000_000
#: Records that are drawn for what is typical (a choice: the interval of the median spans a tenth of them).
_DRAWS = 200
_POINTS, _BOUNDS, _FIRST, _MORE = "exposure_points", "exposure_bounds", "first_exposures", "more_exposures"
_DRAWN, _ROWS = "drawn_exposures", "original_rows"
#: The table of the most exposed records of a search.
EXPOSED = "exposed_records"


@dataclass(frozen=True)
class Search:
    """What a search of the most exposed records found; they are in the table :attr:`exposed`.

    Attributes:
        exposed: The table of the most exposed records: ``place``, ``record``, ``exposure``, ``distance``.
        compared: Records that were compared with all others.
        undecided: Others that might be among the most exposed.
    """

    exposed: Sql
    compared: int
    undecided: int


class Exposures:
    """The records of one table, with bounds of their exposure.

    Args:
        session: Runs the statements.
        source: The table: ``record`` from 0, and columns.
        categories: Its columns of categories.
        numeric: Its columns of numbers.
    """

    def __init__(
        self, session: Session, source: str, categories: Sequence[str], numeric: Sequence[str]
    ) -> None:
        self.session = session
        session.run(
            "exposure_points",
            name=_POINTS,
            source=identifier(source),
            categories=list(categories),
            numeric=list(numeric),
        )
        coded = [f"c{index}" for index in range(len(categories))]
        sizes = session.fetch_row("exposure_sizes", points=Sql(_POINTS), columns=coded)
        self.records: int = sizes["records"]
        distance = render(
            "mixed_distance", left="asked", right="other", categories=len(categories), numbers=len(numeric)
        )
        self._shared = {"points": Sql(_POINTS), "distance": distance, "nearest": NEAREST}
        # The columns that distinguish least come first: records of a block have them in common.
        ordered = sorted(coded, key=lambda column: sizes["codes"][int(column[1:])])
        ordered += [f"u{index}" for index in range(len(numeric))]
        turns = [len(ordered) * turn // _ORDERS for turn in range(_ORDERS)]
        orders = [[*ordered[turn:], *ordered[:turn]] for turn in dict.fromkeys(turns)]
        session.run("exposure_bounds", name=_BOUNDS, orders=orders, size=_BLOCK, **self._shared)

    @property
    def _most(self) -> int:
        """The largest number of records that are compared with all others."""
        return max(1, _MAX_PAIRS // max(1, self.records))

    def find(self, records: int) -> Search:
        """Find the most exposed records.

        Args:
            records: How many are found.
        """
        first = min(self._most, 2 * records)
        self._compare(_FIRST, records, first)
        known = {"known": Sql(_FIRST)}
        self._compare(_MORE, records, max(0, self._most - first), **known)
        tables = [Sql(_FIRST), Sql(_MORE)]
        self.session.run("exposed_records", name=EXPOSED, known=tables, records=records)
        exposed = Sql(EXPOSED)
        row = self.session.fetch_row(
            "count_undecided", bounds=Sql(_BOUNDS), known=tables, exposed=exposed, records=records
        )
        return Search(exposed, **row)

    def draw(self, seed: int, z: float) -> dict[str, Any]:
        """Measure the median exposure of drawn records.

        Args:
            seed: The seed of the draw.
            z: The quantile of the normal distribution of its interval.
        """
        self._compare(_DRAWN, _DRAWS, min(self._most, _DRAWS), seed=seed)
        return self.session.fetch_row("typical_exposure", drawn=Sql(_DRAWN), z=z)

    def _compare(self, table: str, records: int, limit: int, **chosen: Any) -> None:
        """Make the table of the exposures of some records."""
        asked: dict[str, Any] = {"known": None, "seed": None, **chosen}
        self.session.run(
            "exposures",
            name=table,
            bounds=Sql(_BOUNDS),
            records=records,
            limit=limit,
            **asked,
            **self._shared,
        )


def find_exposed(
    original: Request,
    options: ExposureOptions | None = None,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
    *,
    show_values: bool = False,
) -> Exposure:
    """Find the most exposed records of a table.

    Args:
        original: The table.
        options: How many are found, and by which columns.
        resources: The limits of the engine.
        progress: Receives the progress.
        show_values: Whether the report says which records they are.

    Returns:
        Their exposures, and that of a typical record.

    Raises:
        UsageError: The options do not go with the table.
        SourceError: The table cannot be read, or has no records.
    """
    options = options or ExposureOptions()
    options.check()
    with Session(resources, progress) as session:
        session.steps.plan("source", "attacks")
        opened = open_tables(session, {"original": original}, attributes=options.attributes)
        attributes = opened.attributes
        session.run(
            "risk_rows",
            name=_ROWS,
            source=identifier(opened.views[0]),
            columns=list(opened.bindings(0)),
            numeric=[attribute.number for attribute in attributes if attribute.numeric],
            largest=LARGEST,
        )
        records = count_rows(session, _ROWS)
        if not records:
            raise SourceError("membership.no_records", table=opened.sources[0].name)
        session.steps.begin("attacks")
        exposures = Exposures(
            session,
            _ROWS,
            [f"v{attribute.number}" for attribute in attributes if not attribute.numeric],
            [f"v{attribute.number}" for attribute in attributes if attribute.numeric],
        )
        search = exposures.find(options.most)
        z = NormalDist().inv_cdf((1 + options.confidence) / 2)
        typical = TypicalExposure(**exposures.draw(options.seed, z))
        listed = session.run("list_exposed", exposed=search.exposed)
        return Exposure(
            original=Table(opened.sources[0].name, records),
            attributes=tuple(RiskAttribute(a.name, a.numeric) for a in attributes),
            exposed=tuple(
                ExposedRecord(**row) if show_values else ExposedRecord(**{**row, "record": None})
                for row in listed
            ),
            typical=typical,
            compared=search.compared,
            undecided=search.undecided,
            settings=ExposureSettings(options.most, NEAREST, options.confidence, options.seed),
            **run_facts(session),
        )
