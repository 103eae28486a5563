"""Recode the quasi-identifiers of a chain until no class is too small."""

from __future__ import annotations

import dataclasses

from duckrisk.base.errors import UsageError
from duckrisk.engine.templates import Attribute
from duckrisk.engine.types import has_date, is_number, is_timestamp_with_zone
from duckrisk.measures.disclosure.sensitive import list_judged_forms
from duckrisk.release import k_anonymity
from duckrisk.release.anonymization.chain import Chain, Column
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step
from duckrisk.release.k_anonymity import QuasiIdentifier
from duckrisk.roles import Decision
from duckrisk.roles.model import Role


def k_anonymize(chain: Chain, step: Step) -> Done:
    """Recode quasi-identifiers until every class has k records, or k people.

    Args:
        chain: The chain.
        step: The step, with its quasi-identifiers and k.

    Raises:
        UsageError: The options do not fit the columns.
    """
    columns = [chain.find_column(name) for name in step.get("quasi_identifiers")]
    user = chain.find_column(step.get("user")).binding if "user" in step.options else None
    target = chain.name_table("classes")
    outcome = k_anonymity.k_anonymize(
        chain.session,
        chain.relation,
        target,
        read_quasi_identifiers(chain, step),
        step.get("k"),
        user=user,
        sensitive=list_forms(chain, step),
        numbers=step.get("numbers", "interval"),
        categories=step.get("categories", "text"),
    )
    chain.add_upper_bounds(outcome.uppers)
    chain.continue_with_table(target)
    return Done(
        column=", ".join(column.name for column in columns),
        users=outcome.people,
        classes=outcome.classes,
        smallest=outcome.smallest,
        ncp=outcome.ncp,
        gcp=outcome.gcp,
        discernibility=outcome.discernibility,
        average_class=outcome.average_class,
    )


def read_quasi_identifiers(chain: Chain, step: Step) -> list[QuasiIdentifier]:
    """Read the quasi-identifiers of a step, with their hierarchies and weights.

    A column that is also sensitive has no sets of values: a set would disclose them as a value does.

    Args:
        chain: The chain.
        step: The step.

    Raises:
        UsageError: A column does not exist, is named twice, or is no quasi-identifier.
    """
    columns = [chain.find_column(name) for name in step.get("quasi_identifiers")]
    bindings = [column.binding for column in columns]
    if len(set(bindings)) < len(bindings):
        raise UsageError("anonymization.duplicate_quasi_identifier")
    given = {chain.find_column(name).binding: w for name, w in step.get("importance", {}).items()}
    for column in chain.columns:
        if column.binding in given and column.binding not in bindings:
            raise UsageError("anonymization.importance_of_other_column", column=column.name)
    if "user" in step.options and chain.find_column(step.get("user")).binding in bindings:
        raise UsageError("anonymization.quasi_identifier_is_user", column=step.get("user"))
    sensitive = {chain.find_column(name).binding for name in step.get("sensitive", ())}
    return [
        _describe(chain, index, column, given.get(column.binding, 1.0), column.binding not in sensitive)
        for index, column in enumerate(columns)
    ]


def list_forms(chain: Chain, step: Step) -> list[Attribute]:
    """List the forms in which the sensitive columns of a step are judged.

    Args:
        chain: The chain.
        step: The step.
    """
    columns = map(chain.find_column, step.get("sensitive", ()))
    return [form for column in columns for form in _list_forms(chain, column)]


def _describe(chain: Chain, index: int, column: Column, weight: float, has_sets: bool) -> QuasiIdentifier:
    """Describe a quasi-identifier, and build its hierarchy if it has one."""
    hierarchy = chain.find_hierarchy(column)
    described = QuasiIdentifier(
        column.binding,
        column.name,
        is_number(column.type),
        moment=_describe_moment(column.type),
        weight=weight,
        has_sets=has_sets,
    )
    if hierarchy is None:
        return described
    table = chain.name_table(f"hierarchy{index}")
    built = hierarchy.build(chain.session, chain.relation, column.binding, table, column.type, column.name)
    return dataclasses.replace(described, hierarchy=table, height=built.height)


def _describe_moment(type_name: str) -> str | None:
    if not has_date(type_name):
        return None
    if is_timestamp_with_zone(type_name):
        return "zoned"
    return "day" if type_name == "DATE" else "moment"


def _list_forms(chain: Chain, column: Column) -> list[Attribute]:
    """List the forms in which a sensitive column is judged."""
    row = chain.session.fetch_row("count_distinct", source=chain.relation_with(column), column=column.binding)
    source = dataclasses.replace(chain.source.column(column.name), type=column.type)
    role: Role = "date_time" if has_date(column.type) else "attribute"
    decision = Decision(source, role, distinct=row["found"])
    return list_judged_forms(chain.session, decision, chain.session.resources.missing_tokens)
