"""Apply bands of numbers, groups of values and first days of periods to the chain.

A value outside all bands or groups has no cell: its records are deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import decimal_digits, is_float, is_integer, is_number, is_small_integer
from duckrisk.release.anonymization.chain import Chain, Column
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step
from duckrisk.release.k_anonymity.tuples import MAX_SET_VALUES

#: Names of the columns of `bounds`.
BOUND_NAMES = ("{name}_from", "{name}_to")
#: Digits of decimals that a double holds exactly (derived).
_DOUBLE_DIGITS = 15


def apply_bands(chain: Chain, column: Column, step: Step) -> Done:
    """Replace numbers by the mean, the interval or the bounds of their band.

    Args:
        chain: The chain.
        column: The column.
        step: The step, with its bands and their cells.

    Raises:
        UsageError: The column has no numbers.
    """
    if not is_number(column.type):
        raise UsageError("hierarchies.column_not_numeric", name=column.name)
    edges, cells = [str(edge) for edge in step.get("bands")], step.get("cells")
    kind, own = _find_comparison_type(column.type), Sql(column.type)
    limits = {"column": column.binding, "kind": kind, "edges": edges}
    done = _delete_outside(chain, column, render("is_in_bands", **limits), joined=False)
    numbers = step.get("numbers", "mean")
    if numbers == "bounds":
        _write_bounds(chain, column, limits, cells)
        return done
    if numbers == "mean":
        written = [render("band_mean", mean=str(mean)) for mean, *_ in cells]
    else:
        written = [
            render("band_interval", type=own, least=str(least), most=str(most)) for least, most in cells
        ]
    chain.replace_column(column, render("band_cell", cells=written, **limits))
    return done


def _write_bounds(
    chain: Chain, column: Column, limits: Mapping[str, Any], cells: Sequence[Sequence[Any]]
) -> None:
    """Write the least and the greatest number of a band into two columns."""
    names = [name.format(name=column.name) for name in BOUND_NAMES]
    ends = [
        render(
            "band_cell",
            cells=[render("band_end", type=Sql(column.type), number=str(cell[side])) for cell in cells],
            **limits,
        )
        for side in range(2)
    ]
    chain.add_column(column, names[1], ends[1])
    chain.replace_column(column, ends[0])
    chain.rename_column(column, names[0])


def _find_comparison_type(type_name: str) -> Sql:
    """Return the type in which numbers of a type and edges are compared exactly."""
    digits = decimal_digits(type_name)
    if is_float(type_name) or is_small_integer(type_name) or (digits and digits[0] <= _DOUBLE_DIGITS):
        return Sql("DOUBLE")
    if is_integer(type_name):
        return Sql("UHUGEINT" if type_name == "UHUGEINT" else "HUGEINT")
    assert digits is not None
    return Sql(f"DECIMAL(38,{digits[1]})")


def apply_groups(chain: Chain, column: Column, step: Step) -> Done:
    """Replace values by the set of their group.

    Args:
        chain: The chain.
        column: The column.
        step: The step, with its groups.
    """
    groups = step.get("groups")
    table = chain.name_table("groups")
    is_ambiguous = any(map(_is_ambiguous, (value for group in groups for value in group)))
    listed = step.get("categories", "text") == "list"
    chain.session.run(
        "group_cells",
        name=table,
        texts=[value for group in groups for value in group],
        numbers=[number for number, group in enumerate(groups, 1) for _ in group],
        cells=[_write_set(group, is_ambiguous) for group in groups],
        listed=listed,
        large=[0, *(number for number, group in enumerate(groups, 1) if len(group) > MAX_SET_VALUES)],
    )
    grouped = render("is_grouped", column=column.binding, table=identifier(table))
    done = _delete_outside(chain, column, grouped, joined=True)
    chain.replace_column(
        column,
        render("looked_up_label", level="cell"),
        identifier(table),
        render("found_label", column=column.binding),
        sum(map(len, groups)),
    )
    return done


def _is_ambiguous(value: str) -> bool:
    """Return whether a set with a value could be read in two ways."""
    return ", " in value or ";" in value or value.startswith("{") or value == "*"


def _write_set(group: Sequence[str], is_ambiguous: bool) -> str:
    if len(group) == 1:
        return group[0]
    if is_ambiguous or len(group) > MAX_SET_VALUES:
        return "*"
    return "{" + ", ".join(group) + "}"


def _delete_outside(chain: Chain, column: Column, inside: Sql, *, joined: bool) -> Done:
    """Delete the records outside all bands or groups, if there are any."""
    changed = chain.count_present(column)
    records, met = chain.count_records(inside, column)
    if met == records:
        return Done(column=column.name, changed=changed)
    chain.keep_records(inside, joined=joined)
    return Done(column=column.name, changed=changed - (records - met), deleted=records - met, records=met)
