"""Apply each method to the chain, and return what it did: counts, never values.

Each function takes the chain and the step with its options, and raises UsageError if these do not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.templates import Sql, identifier, literal, render
from duckrisk.engine.types import has_date, is_float, is_number
from duckrisk.release.anonymization import engine_treatment
from duckrisk.release.anonymization.chain import MAX_LISTED, Chain, Column
from duckrisk.release.anonymization.classes import delete_classes
from duckrisk.release.anonymization.pseudonyms import (
    find_time_column,
    pseudonymize,
    render_day,
)
from duckrisk.release.anonymization.recoding import k_anonymize
from duckrisk.release.anonymization.recodings import apply_bands, apply_groups
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step
from duckrisk.release.anonymization.summary import summarize
from duckrisk.source import query
from duckrisk.source.hierarchies import (
    Definition,
    render_interval,
    render_period,
    render_period_start,
    render_prefix,
    truncate_to_microseconds,
)
from duckrisk.source.hierarchies.computed import render_root


def generalize(chain: Chain, step: Step) -> Done:
    """Make the values of a column coarser."""
    column = (chain.find_moment_column if "moment" in step.options else chain.find_column)(step.get("column"))
    if chain.session.engine is not None:
        engine_treatment.check_coarser(
            column, step, chain.find_hierarchy(column) if "level" in step.options else None
        )
    cell = identifier(column.binding)
    if "bands" in step.options:
        return apply_bands(chain, column, step)
    if "groups" in step.options:
        return apply_groups(chain, column, step)
    if "width" in step.options:
        coarse = render_interval(cell, column.type, step.get("width"), column.name)
    elif "prefix" in step.options:
        coarse = render_prefix(cell, step.get("prefix"))
        longer = render("is_longer", column=column.binding, characters=step.get("prefix"))
        return _compute_column(chain, column, coarse, longer)
    elif "moment" in step.options:
        period = render_period_start if step.get("first_day") else render_period
        coarse = period(cell, column.type, step.get("moment"), column.name)
        if has_date(column.type):
            return _compute_column(chain, column, coarse, key=render_day(column))
    else:
        hierarchy = chain.find_hierarchy(column)
        if hierarchy is None and step.get("level"):
            chain.notes.append(Sentence("anonymization.no_hierarchy", column=Data(column.name)))
        return _generalize_to_level(chain, column, hierarchy or Definition(), step.get("level"))
    return _compute_column(chain, column, coarse)


def _generalize_to_level(chain: Chain, column: Column, hierarchy: Definition, level: int) -> Done:
    hierarchy.check_level(level)
    cell = identifier(column.binding)
    if level == hierarchy.height:
        return _compute_column(chain, column, render_root(cell))
    if hierarchy.is_computed:
        if level == 0:
            return Done(column=column.name, cells=chain.count_present(column), changed=0)
        return _compute_column(chain, column, hierarchy.expression(level, cell, column.type, column.name))
    name = chain.name_table("levels")
    source = chain.relation_with(column)
    built = hierarchy.build(chain.session, source, column.binding, name, column.type, column.name)
    label = f"level{level}"
    counted = chain.session.fetch_row(
        "count_relabelled",
        levels=identifier(name),
        leaves=identifier(f"{name}_leaves"),
        cell=identifier(label),
    )
    chain.replace_column(
        column,
        render("looked_up_label", level=label),
        identifier(name),
        render("found_label", column=column.binding),
        built.leaves,
    )
    return Done(column=column.name, cells=counted["cells"], changed=counted["changed"])


def _compute_column(
    chain: Chain, column: Column, cell: Sql, changed: Sql | None = None, key: Sql | None = None
) -> Done:
    """Replace a column by what is computed from its values.

    Args:
        chain: The chain.
        column: The column.
        cell: SQL of the new value.
        changed: Condition of the values that change; None for all that are not missing.
        key: SQL that determines the new value; None for the value itself.
    """
    key, source = key or identifier(column.binding), chain.relation_with(column)
    if chain.has_repeats(key, source):
        name = chain.name_table("cells")
        chain.session.run(
            "cells_of_values",
            name=name,
            source=source,
            column=column.binding,
            key=key,
            cell=cell,
            changed=changed,
        )
        counted = chain.session.fetch_row("sum_changed", source=identifier(name))
        condition = render("found_number", key="number", number=key)
        every = identifier(name), "value"
        chain.replace_column(
            column, render("looked_up_value"), identifier(name), condition, counted["found"], every
        )
        return Done(column=column.name, changed=counted["changed"])
    cells = chain.count_present(column) if changed is None else chain.count_records(changed, column)[1]
    chain.replace_column(column, cell)
    return Done(column=column.name, changed=cells)


def suppress(chain: Chain, step: Step) -> Done:
    """Write ``*`` into all values of a column, or leave the column out."""
    column = chain.find_column(step.get("column"))
    if step.get("drop"):
        chain.drop_column(column)
        return Done(column=column.name, dropped=True)
    records, _ = chain.count_records()
    chain.replace_column(column, literal("*"))
    return Done(column=column.name, changed=records)


def _check_condition(chain: Chain, step: Step) -> tuple[Sql, int, int]:
    """Check a person's condition; return it, all records, and those that meet it."""
    condition = f'The condition of "{step.method}"'
    try:
        where = query.check_condition(chain.session, step.get("where"))
    except UsageError as error:
        raise UsageError(str(error).replace("--where", condition)) from None
    try:
        query.check_query(chain.session, bare := render("bare_condition", where=where))
    except UsageError:
        raise UsageError("anonymization.unbalanced_parentheses", shown=condition) from None
    query.refuse_ambiguous_names(
        chain.session, bare, [c.name for c in chain.columns], chain.list_condition_names()
    )
    try:
        if chain.session.engine is not None:
            where = engine_treatment.translate_condition(chain, where)
        else:  # without records only errors of the condition itself are raised
            _count_meeting(chain, where, render("first_records", source=chain.relation, most=0))
    except SourceError:
        raise UsageError("anonymization.invalid_condition", shown=condition) from None
    counted = _count_meeting(chain, where, chain.relation)
    return where, counted["records"], counted["met"]


def _count_meeting(chain: Chain, where: Sql, source: Sql) -> dict[str, int]:
    names = chain.list_condition_names()
    return chain.session.fetch_row(
        "count_meeting", source=source, columns=chain.bindings, names=names, where=where
    )


def suppress_cells(chain: Chain, step: Step) -> Done:
    """Replace a column's values by ``*`` or NULL in records that meet a condition."""
    column = chain.find_column(step.get("column"))
    where, _, met = _check_condition(chain, step)
    set_missing = bool(step.get("missing"))
    chain.apply_condition("suppress_cells", where, column=column.binding, set_missing=set_missing)
    return Done(column=column.name, changed=met)


def delete(chain: Chain, step: Step) -> Done:
    """Delete the records that meet a condition."""
    where, records, met = _check_condition(chain, step)
    chain.apply_condition("delete_records", where)
    return Done(deleted=met, records=records - met)


def delete_rare(chain: Chain, step: Step) -> Done:
    """Delete the records with a value that is unique, or that few users have."""
    column, table = chain.find_column(step.get("column")), chain.name_table("rare")
    user = chain.find_column(step.get("user")).binding if "user" in step.options else None
    chain.session.run(
        "rare_values",
        name=table,
        source=chain.relation,
        column=column.binding,
        user=user,
        users=step.get("users", 2),
    )
    kept = render("is_unlisted", column=column.binding, table=identifier(table))
    return _keep_meeting(chain, kept, column.name, joined=True)


def delete_outliers(chain: Chain, step: Step) -> Done:
    """Delete the records with a number beyond some standard deviations of the mean."""
    column = chain.find_column(step.get("column"))
    if not is_number(column.type) and column.type != "VARCHAR":
        raise UsageError("anonymization.column_not_numeric", column=column.name, method=step.method)
    limits = chain.session.fetch_row(
        "outlier_limits",
        source=chain.relation_with(column),
        column=column.binding,
        deviations=float(step.get("deviations", 4)),
    )
    kept = render("is_within", column=column.binding, **limits)
    return _keep_meeting(chain, kept, column.name)


def _keep_meeting(chain: Chain, kept: Sql, column: str, *, joined: bool = False) -> Done:
    """Keep the records that meet a condition of ours on a column."""
    records, met = chain.count_records(kept)
    chain.keep_records(kept, joined=joined)
    return Done(column=column, deleted=records - met, records=met)


def code_extremes(chain: Chain, step: Step) -> Done:
    """Replace numbers beyond a limit by the limit (top and bottom coding)."""
    column = chain.find_column(step.get("column"))
    if not is_number(column.type):
        raise UsageError("anonymization.coded_column_not_numeric", column=column.name, method=step.method)
    sql_type, limit, above = Sql(column.type), str(step.get("at") + 0), step.method == "top"  # not -0.0
    if not chain.session.fetch_row("limit_fits", limit=limit, kind=sql_type)["fits"]:
        raise UsageError("anonymization.limit_outside_type", limit=limit, column=column.name)
    coded = {"column": column.binding, "limit": limit, "kind": sql_type, "above": above}
    _, met = chain.count_records(render("beyond_limit", **coded), column)
    chain.replace_column(column, render("limited_cell", **coded))
    return Done(column=column.name, changed=met)


def microaggregate(chain: Chain, step: Step) -> Done:
    """Replace numbers by the means of groups of similar ones, column by column."""
    k = step.get("k")
    columns = [chain.find_column(name) for name in step.get("columns")]
    for column in columns:
        _render_means(column)
    parts, cells = 0, 0
    for index, column in enumerate(columns):
        present = chain.count_present(column)
        if 0 < present < k:
            raise UsageError("anonymization.too_few_values_for_k", column=column.name, present=present, k=k)
        number, mean, cell = _render_means(column)
        name = chain.name_table(f"means{index}")
        chain.session.run(
            "microaggregated",
            name=name,
            source=chain.relation,
            columns=chain.bindings,
            column=column.binding,
            number=number,
            mean=mean,
            cell=cell,
            k=k,
        )
        chain.continue_with_table(name)
        parts += present // k
        cells += present
    return Done(column=", ".join(c.name for c in columns), changed=cells, groups=parts)


def _render_means(column: Column) -> tuple[Sql, Sql, Sql]:
    """Render a value as a number, the mean of a group, and the mean as a value."""
    if is_float(column.type):
        way = "real"
    elif is_number(column.type):
        way = "decimal" if column.type.startswith("DECIMAL") else "whole"
    elif has_date(column.type):
        way = "day" if column.type == "DATE" else "moment"
    else:
        raise UsageError("anonymization.mean_of_non_number", column=column.name)
    return (
        render("cell_as_number", column=column.binding, way=way),
        render("mean_of_numbers", way=way),
        render("mean_as_cell", way=way, kind=Sql(column.type)),
    )


def perturb(chain: Chain, step: Step) -> Done:
    """Replace some values by drawn ones, from the domain or from the column's values."""
    column, number = chain.find_column(step.get("column")), chain.number
    drawn = chain.chance.render_share(step.get("share"), number, "perturb")
    draw = chain.chance.render_draw(number, "value")
    if step.get("by", "domain") == "domain":
        return _perturb_from_domain(chain, column, drawn, draw)
    table, source = chain.name_table("values"), chain.relation_with(column)
    pick = _render_pick(column, drawn, draw, chain.count_present(column))
    chain.session.run("empirical_values", name=table, source=source, column=column.binding, pick=pick)
    counted = chain.session.fetch_row("sum_changed", source=identifier(table))
    _look_up_picks(chain, column, table, pick, counted["found"])
    return Done(column=column.name, changed=counted["changed"])


def _perturb_from_domain(chain: Chain, column: Column, drawn: Sql, draw: Sql) -> Done:
    """Replace the drawn values by values of the column, all equally likely."""
    table, source = chain.name_table("values"), chain.relation_with(column)
    chain.session.run("domain_values", name=table, source=source, column=column.binding, drawn=drawn)
    domain = identifier(table)
    counted = chain.session.fetch_row("sum_changed", source=domain)
    values = counted["found"]
    pick = _render_pick(column, drawn, draw, values)
    if values > MAX_LISTED:
        _look_up_picks(chain, column, table, pick, values)
        return Done(column=column.name, changed=counted["changed"])

    def picked(own: Sql) -> Sql:
        count = max(1, values)
        return render("picked_cell", own=own, column=column.binding, drawn=drawn, pick=draw, values=count)

    labels: dict[str, Any] = {}
    if column.type == "VARCHAR" and chain.has_repeats(identifier(column.binding), source):
        kept = table
        if chain.session.fetch_row("count_drawn_out", domain=domain)["found"]:
            kept = chain.name_table("left")
            chain.session.run("perturbed_values", name=kept, source=source, pick=pick, domain=table)
        labels = {"every": (identifier(kept), "value"), "picked": picked}
    listed = chain.name_table("listed")
    chain.session.run("listed_values", name=listed, source=domain, value="value")
    chain.replace_column(column, picked(identifier(column.binding)), listed=identifier(listed), **labels)
    return Done(column=column.name, changed=counted["changed"])


def _look_up_picks(chain: Chain, column: Column, table: str, pick: Sql, rows: int) -> None:
    """Replace the values that pick a number by those that a table has for it."""
    cell = render("looked_up_cell", column=column.binding, key="number")
    condition = render("found_number", key="number", number=pick)
    chain.replace_column(column, cell, identifier(table), condition, rows)


def _render_pick(column: Column, drawn: Sql, draw: Sql, values: int) -> Sql:
    return render("pick_if_drawn", column=column.binding, drawn=drawn, pick=draw, values=max(1, values))


def swap(chain: Chain, step: Step) -> Done:
    """Let some records exchange their values of a column, overall or within a period."""
    period = step.get("period", "none")
    when = None
    if period != "none":
        time = find_time_column(chain, step, None)
        render_period(identifier(time.binding), time.type, period, time.name)  # refuses what is no moment
        when = render(
            "period_start", column=truncate_to_microseconds(identifier(time.binding), time.type), unit=period
        )
    column, number, table = chain.find_column(step.get("column")), chain.number, chain.name_table("swapped")
    chain.session.run(
        "swapped_values",
        name=table,
        source=chain.relation if when is not None else chain.relation_with(column),
        column=column.binding,
        drawn=chain.chance.render_share(step.get("share"), number, "swap"),
        random_key=chain.chance.render_draw(number, "place"),
        period=when,
    )
    rows = chain.session.fetch_row("table_size", source=identifier(table))["found"]
    chain.replace_column(
        column,
        render("looked_up_cell", column=column.binding, key="taker"),
        identifier(table),
        render("found_number", key="taker", number=identifier("record")),
        rows,
    )
    return Done(column=column.name, changed=rows if rows > 1 else 0)


def sample(chain: Chain, step: Step) -> Done:
    """Keep a share of the records, or exactly some number of them."""
    if chain.session.engine is not None:
        engine_treatment.name_records(chain)
    if "share" in step.options:
        kept = chain.chance.render_share(step.get("share"), chain.number, "sample")
        records, met = chain.count_records(kept)
    else:
        records, _ = chain.count_records()
        met = step.get("records")
        if met > records:
            raise UsageError("anonymization.sample_too_large", met=met, records=records)
        drawn = chain.chance.render_draw(chain.number, "sample")
        limit = chain.session.fetch_row("drawn_limit", source=chain.relation, drawn=drawn, max_records=met)[
            "drawn"
        ]
        kept = render("is_drawn", drawn=drawn, limit=limit)
    chain.keep_records(kept)
    return Done(deleted=records - met, records=met)


def truncate(chain: Chain, step: Step) -> Done:
    """Keep at most some records of each user, drawn at random."""
    user, most = chain.find_column(step.get("user")), step.get("records")
    records, _ = chain.count_records()
    table = chain.name_table("truncated")
    drawn = chain.chance.render_draw(chain.number, step.method)
    chain.session.run(
        "records_above", name=table, source=chain.relation, user=user.binding, drawn=drawn, most=most
    )
    deleted = chain.session.fetch_row("table_size", source=identifier(table))["found"]
    chain.leave_out_records(table, deleted)
    return Done(column=user.name, deleted=deleted, records=records - deleted)


def shuffle(chain: Chain, step: Step) -> Done:
    """Put the records into a random order."""
    chain.set_order(chain.chance.render_draw(chain.number, step.method))
    return Done()


def sort(chain: Chain, step: Step) -> Done:
    """Put the records into the order of their values, which reveals nothing else."""
    chain.sort_by_values()
    return Done()


METHODS: dict[str, Callable[[Chain, Step], Done]] = {
    "generalize": generalize,
    "suppress": suppress,
    "suppress-cells": suppress_cells,
    "delete": delete,
    "delete-rare": delete_rare,
    "delete-outliers": delete_outliers,
    "delete-classes": delete_classes,
    "top": code_extremes,
    "bottom": code_extremes,
    "microaggregate": microaggregate,
    "perturb": perturb,
    "swap": swap,
    "k-anonymize": k_anonymize,
    "pseudonymize": pseudonymize,
    "sample": sample,
    "truncate": truncate,
    "summarize": summarize,
    "shuffle": shuffle,
    "sort": sort,
}
