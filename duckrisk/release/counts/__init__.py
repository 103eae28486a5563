"""Check tables of counts: unsafe cells, hidden cells that totals reveal, and what to hide as well."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckrisk
from duckrisk.base.errors import SourceError
from duckrisk.base.options import policy
from duckrisk.base.options.counts import Options
from duckrisk.base.results import Environment, Truncation
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, render
from duckrisk.release.counts import export
from duckrisk.release.counts.bounds import Bound, list_bounds, make_solver, mend
from duckrisk.release.counts.cells import Cells, Place
from duckrisk.release.counts.programs import has_programs
from duckrisk.release.counts.reading import (
    MAX_HIDDEN,
    MAX_HIDDEN_MANY_WAYS,
    UNIT,
    CountedTable,
    read_table,
)
from duckrisk.release.counts.results import (
    CellFound,
    CountsSettings,
    CountsTable,
    Exposure,
    Mended,
    SharedCells,
    Tables,
    UnsafeCells,
)
from duckrisk.source import Request, open_sources

__all__ = ["Options", "run"]

#: Cells of a table that a report lists (a choice: a screenful for a person, all for most tables).
_LISTED = 100


def run(
    requests: Sequence[Request],
    options: Options,
    judged_by: policy.Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
    *,
    show_values: bool = False,
) -> Tables:
    """Check tables of counts, and what they reveal together.

    Args:
        requests: The tables.
        options: What their cells are, and which are unsafe.
        judged_by: The policy, whose smallest class is the threshold.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.
        show_values: Whether the report shows labels of cells, and sums.

    Raises:
        DuckriskError: A table cannot be read, or the options do not fit it (:mod:`duckrisk.base.errors`).
    """
    options.check()
    judged_by.check()
    threshold = options.threshold or max(2, int(judged_by.limit_of("smallest_class") or 0))
    with Session(resources, progress) as session:
        session.steps.plan("source", "tables")
        views = [(f"counted_{number}", request) for number, request in enumerate(requests)]
        sources = open_sources(session, views)
        session.steps.begin("tables")
        session.run("table_cells")
        read = [
            read_table(session, source, number, options, threshold) for number, source in enumerate(sources)
        ]
        # A small difference of sums can be that of many people.
        smallest = threshold if options.value is None else 0
        shared = tuple(
            _compare(session, first, second, smallest) for first, second in itertools.combinations(read, 2)
        )
        checked = [_check(table, options, show_values) for table in session.steps.track(read)]
        environment = Environment(duckrisk.__version__, session.engine_version)
        if options.export is not None:
            export.write_tables(options.export, read, options)
    return Tables(
        tables=tuple(checked),
        shared=shared,
        notes=tuple(note for source in sources for note in source.notes),
        settings=CountsSettings(
            judged_by.name,
            threshold,
            options.largest,
            options.dominance,
            options.p_percent,
            options.user,
            show_values,
        ),
        environment=environment,
        statements=tuple(session.log),
    )


def _compare(session: Session, first: CountedTable, second: CountedTable, threshold: int) -> SharedCells:
    """Compare the counts that two tables share, and take over those shown."""
    names = [name for name in first.dimensions if name and name in second.dimensions]
    sides = [_margin(table, names) for table in (first, second)]
    rows = session.run("shared_cells", first=sides[0], second=sides[1], threshold=threshold)
    for row in rows:
        for side, table, other in (("first", first, "second"), ("second", second, "first")):
            place = tuple(row[f"{side}_place"] or ())
            if row["finding"] == side and place in table.cells.hidden:
                table.cells.hidden.discard(place)
                del table.cells.needs[place]
                table.cells.counts[place] = int(row[f"{other}_count"])
                table.read_elsewhere += 1
    figures = ("compared", "differences", "smallest", "revealed")
    found: dict[str, Any] = {name: rows[0][name] if rows else 0 for name in figures}
    smallest = None if found["smallest"] is None else int(found["smallest"])
    return SharedCells(first.name, second.name, tuple(names), **{**found, "smallest": smallest})


def _margin(table: CountedTable, names: Sequence[str]) -> Sql:
    """Return the counts of a table over some dimensions, as a relation."""
    places = [table.dimensions.index(name) + 1 for name in names]
    others = [number for number in range(1, len(table.dimensions) + 1) if number not in places]
    return render("margin_counts", published=table.number, shared=places, others=others)


def _check(table: CountedTable, options: Options, show_values: bool) -> CountsTable:
    """Find what follows from the totals of a table, and what else to hide."""
    cells, unsafe = table.cells, table.unsafe
    most = MAX_HIDDEN if len(cells.sizes) <= 2 else MAX_HIDDEN_MANY_WAYS
    if len(cells.hidden | unsafe) > most:
        raise SourceError("counts.too_many_hidden", table=table.name, most=most)
    published = replace(cells, hidden=set(cells.hidden or unsafe))
    solver = make_solver(published)
    bounds = list_bounds(solver)
    why = dict.fromkeys(published.hidden, "hidden" if cells.hidden else "unsafe")
    shown = unsafe - cells.hidden
    cells.hidden |= shown
    mended = make_solver(cells)
    added = mend(mended)
    why |= dict.fromkeys(shown, "unsafe") | dict.fromkeys(added, "added")
    left = [bound for bound in list_bounds(mended) if bound.is_open]
    found = _list_found(table, bounds, added, why, options, show_values)
    figures = next(iter(table.rows.values()))
    return CountsTable(
        table.name,
        table.form,
        table.dimensions,
        table.column,
        figures["cells"],
        figures["totals"],
        **table.lines,
        unsafe=UnsafeCells(*(figures[name] for name in ("unsafe", "small", "dominated", "close"))),
        exposure=_expose(bounds, published, solver.contradictory),
        read_elsewhere=table.read_elsewhere,
        outer=len(cells.sizes) > 2 and not has_programs(),
        mended=Mended(len(shown), len(added), _share(cells, added), len(cells.hidden), len(left)),
        found=tuple(found[:_LISTED]),
        listed=Truncation(len(found), 0),
    )


def _expose(bounds: Sequence[Bound], cells: Cells, contradictory: set[Place]) -> Exposure:
    exact = [bound for bound in bounds if bound.is_exact]
    return Exposure(
        len(cells.hidden),
        len(exact),
        sum(bound.by_subtraction for bound in exact),
        sum(bound.is_open and not bound.is_exact for bound in bounds),
        len(cells.hidden & contradictory),
    )


def _share(cells: Cells, added: Sequence[Place]) -> float | None:
    """Return the share of a table's sum that added cells hide, or None."""
    whole = sum(cells.count_at(place) for place in cells.counts if all(place))
    return sum(cells.count_at(place) for place in added if all(place)) / whole if whole else None


def _list_found(
    table: CountedTable,
    bounds: Sequence[Bound],
    added: Sequence[Place],
    why: dict[Place, Any],
    options: Options,
    show_values: bool,
) -> list[CellFound]:
    """List the cells that follow from others, exact ones first, then those to hide."""
    noted = [bound for bound in bounds if bound.is_exact or bound.is_open]
    noted.sort(key=lambda bound: (not bound.is_exact, not bound.by_subtraction, bound.place))
    unit = UNIT if options.value is not None else 1
    has_bounds = options.value is None or show_values

    def write(place: Place, outcome: Any, lower: int | None = None, upper: int | None = None) -> CellFound:
        low, high = (None if end is None or not has_bounds else end / unit for end in (lower, upper))
        labels = tuple(map(_label, table.rows[place]["keys"])) if show_values else None
        return CellFound(place, why[place], outcome, low, high, labels)

    found = [
        write(
            bound.place,
            "subtracted" if bound.by_subtraction else "exact" if bound.is_exact else "narrow",
            bound.lower,
            bound.upper,
        )
        for bound in noted
    ]
    return found + [write(place, "added") for place in added]


def _label(key: str) -> str:
    return {"t": "", "n": "?"}.get(key, key[1:])
