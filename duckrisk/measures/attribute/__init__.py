"""Measure attackers who know a value, or a few records, of an attribute (Ito).

This module chooses the templates under ``sql/attribute`` for each attribute, and ranks the results. Every
number comes from a template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from duckrisk.base.errors import EngineError, UsageError, suggest_names
from duckrisk.base.options.attribute import CONFIDENCES as CONFIDENCES
from duckrisk.base.options.attribute import METHODS as METHODS
from duckrisk.base.options.attribute import Options as Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute
from duckrisk.measures.attribute.coarser_forms import list_coarser_forms
from duckrisk.measures.attribute.known_records import find_complete, list_known_records
from duckrisk.measures.attribute.known_records import measure_known_records as measure_known_records
from duckrisk.measures.attribute.results import (
    AttributeRisk,
    AttributeRisks,
    Coarser,
    DangerousValue,
    ModelError,
    Sampled,
    SingleValue,
    SingleValues,
)
from duckrisk.roles import Roles
from duckrisk.roles.attributes import group_alike
from duckrisk.roles.dependencies import split_batches
from duckrisk.source.long_values import show_in_full

#: Distinct values; a coarser form with fewer is not shown (a choice: it is hardly worth publishing).
_MIN_DISTINCT_VALUES = 5
#: Attributes of one statement (a choice: with few records, planning a statement takes longer than its run).
_MAX_ATTRIBUTES = 16
#: Values; one statement on several attributes holds no more in memory (2,000 columns of 100,000 records take
#: 5 CPU seconds, and 10 with a tenth of it).
_MAX_VALUES = 2_000_000
#: Attributes of one statement if they have one type (a choice: 2,000 columns then take a few statements).
_MAX_SAME_TYPE = 500
#: Attributes with a sample in addition to the exact risk (a choice: it only shows the cost of sampling).
_SAMPLED_ATTRIBUTES = 10
#: Records; from here on coarser forms share a statement (13 forms of 5 million records take 4.5 CPU seconds
#: together and 8.5 one by one).
_MANY_RECORDS = 1_000_000
#: Forms that share a statement, and bits of the words that hold their values.
_FORMS_PER_STATEMENT, _BITS_PER_WORD = 16, 60
#: Points of the figure of single values (a choice: more points cover one another).
_MAX_POINTS = 500


def measure(session: Session, roles: Roles, options: Options) -> tuple[AttributeRisks, list[Sentence]]:
    """Measure the risk of all attributes, and that of several known records.

    :func:`add_details` measures the rest, which no limit of a policy is about.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns.
        options: The method, and what else to measure.

    Returns:
        The risks, the most dangerous attribute first, and notes on attributes without a risk.
    """
    user = roles.user.binding if roles.user is not None else None
    notes: list[Sentence] = []
    risks = _count_attributes(session, roles, user, options, notes)
    if options.method == "sample":
        risks = _rank_attributes(_draw_samples(session, risks, roles, options), options)
        return AttributeRisks(tuple(entry for _, entry in risks)), notes
    risks = _rank_attributes(risks, options)
    known = list_known_records(session, risks[: options.detailed], roles, options)
    return AttributeRisks(tuple(entry for _, entry in risks), tuple(known)), notes


def add_details(
    session: Session,
    roles: Roles,
    options: Options,
    found: AttributeRisks,
    *,
    show_values: bool = False,
) -> AttributeRisks:
    """Add samples, coarser forms, errors of models, and values.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns.
        options: The method, and what else to measure.
        found: What :func:`measure` returned.
        show_values: Whether to list the most dangerous values of each attribute.
    """
    if options.method == "sample":
        return found
    user = roles.user.binding if roles.user is not None else None
    by_binding = {decision.column.binding: decision for decision in roles.decisions}
    by_name = {attribute.name: attribute for attribute in roles.attributes}
    risks = [(by_name[entry.attribute], entry) for entry in found.attribute_risk]
    compared = _count_sampled(options, len(risks))
    if options.samples:
        risks = _rank_attributes(_draw_samples(session, risks, roles, options), options)
    entries = [entry for _, entry in risks]
    forms: list[tuple[AttributeRisk, Attribute]] = []
    for index, (attribute, entry) in enumerate(session.steps.track(risks[: options.detailed])):
        if entry.plausible and len(attribute.parts) == 1:
            decision = by_binding[attribute.parts[0].column]
            coarse = list_coarser_forms(session, attribute, decision, entry.distinct_values or 0, roles.count)
            forms += [(entry, form) for form in coarse]
        if show_values:
            entries[index] = replace(entry, **_list_values(session, attribute, user))
    coarser = _measure_coarser(session, forms, roles, options)
    errors: list[ModelError] = []
    single = None
    if options.method == "exact":  # errors are distances from the exact risk
        named = [entry for entry in entries[compared:] if entry.attribute == options.models_of]
        errors = [
            error for entry in entries[:compared] + named for error in _measure_model_errors(session, entry)
        ]
        single = _measure_single_values(session, [attribute for attribute, _ in risks], user, options)
    return replace(
        found,
        attribute_risk=tuple(entries),
        coarser_knowledge=tuple(coarser),
        model_errors=tuple(errors),
        single_values=single,
    )


def describe_extent(found: AttributeRisks, options: Options, *, with_samples: bool) -> list[Sentence]:
    """Say for how many attributes samples were drawn, and details measured.

    Args:
        found: The risks.
        options: The method, and what else was measured.
        with_samples: Whether samples were drawn in addition to the exact risk.
    """
    notes, every = [], [entry.risk for entry in found.attribute_risk]
    sampled = _count_sampled(options, len(every))
    if with_samples and options.samples and sampled < len(every):
        note = Sentence("attribute.sampled_some", some=f"{sampled:,}", count=f"{len(every):,}")
        notes.append(_mention_equals(note, every, sampled))
    if options.method != "sample" and 0 < options.detailed < len(every):
        note = Sentence("attribute.detailed_some", some=f"{options.detailed:,}")
        notes.append(_mention_equals(note, every, options.detailed))
    return notes


def _count_sampled(options: Options, count: int) -> int:
    """Return the number of attributes with a sample.

    In addition to the exact risk a sample only shows its own cost: not worth it for hundreds of attributes.
    """
    return count if options.method == "sample" else min(_SAMPLED_ATTRIBUTES, count)


def check_models_of(options: Options, roles: Roles) -> None:
    """Check that the attribute of the figure of models is assessed.

    Args:
        options: The options; `models_of` names the attribute.
        roles: The roles, with the attributes.

    Raises:
        UsageError: No attribute has this name.
    """
    names = [attribute.name for attribute in roles.attributes]
    if options.models_of is not None and options.models_of not in names:
        raise UsageError(
            "attribute.models_of_unknown_attribute",
            name=options.models_of,
            hint=suggest_names(options.models_of, names),
        )


_Risks = list[tuple[Attribute, AttributeRisk]]


def _count_attributes(
    session: Session,
    roles: Roles,
    user: str | None,
    options: Options,
    notes: list[Sentence],
) -> _Risks:
    """Count the users of all attributes, unless only samples are drawn.

    Returns:
        The attributes with their risks, the most dangerous first. Constant columns are left out, with a note.
    """
    risks: _Risks = []
    likely = set(roles.plausible)
    rows: dict[int, dict[str, Any]] = {}
    for batch in session.steps.track(_plan_batches(session, roles, options), to=0.5):
        attributes = [roles.attributes[index] for index in batch]
        counted = roles.count.binding if roles.count is not None else None
        rows |= zip(batch, _measure_risks(session, attributes, user, options, counted), strict=True)
    for index, attribute in enumerate(roles.attributes):
        entry = AttributeRisk(attribute.name, plausible=attribute in likely, **rows.get(index, {}))
        values = entry.distinct_values
        # A value that only some records have distinguishes these from the others.
        everywhere = entry.records == roles.records - roles.without_user
        if values is not None and (values == 0 or (values == 1 and everywhere)) and len(attribute.parts) == 1:
            key = "attribute.constant" if values == 1 else "attribute.missing"
            notes.append(Sentence(key, name=Data(attribute.name)))
            continue
        risks.append((attribute, entry))
    return sorted(risks, key=_sort_key)  # equal risks stay in the order of the source


def _plan_batches(session: Session, roles: Roles, options: Options) -> list[list[int]]:
    """Return the indices of the attributes of each statement; none if only sampling."""
    count = len(roles.attributes)
    most = _count_per_statement(roles) if count > _MAX_ATTRIBUTES else 1
    if options.method == "sample":
        return []
    if most < _MAX_ATTRIBUTES or options.method != "exact" or session.engine is not None:
        return split_batches(range(count), most)
    # More attributes than _MAX_ATTRIBUTES are read as one list, for which they need one type.
    kinds = {decision.column.binding: decision.column.type for decision in roles.decisions}
    alike = min(_MAX_SAME_TYPE, _MAX_VALUES // roles.records)
    parts = [part for group in group_alike(roles.attributes, kinds) for part in split_batches(group, alike)]
    others = [index for part in parts if len(part) <= _MAX_ATTRIBUTES for index in part]
    return [
        *(part for part in parts if len(part) > _MAX_ATTRIBUTES),
        *split_batches(sorted(others), _MAX_ATTRIBUTES),
    ]


def _count_per_statement(roles: Roles) -> int:
    """Return how many attributes one statement measures."""
    return max(1, min(_MAX_ATTRIBUTES, _MAX_VALUES // roles.records))


def _measure_risks(
    session: Session,
    attributes: list[Attribute],
    user: str | None,
    options: Options,
    counted: str | None = None,
) -> list[dict[str, Any]]:
    """Measure each of some attributes, in one statement if memory allows it."""
    name = "attribute_risk" if options.method == "exact" else "attribute_risk_approximate"
    counts = {"counted": counted} if counted is not None else {}
    try:
        rows = session.run(
            name,
            source=session.views.select_columns(user, counted, *attributes),
            user=user,
            attributes=attributes,
            k=options.k,
            **counts,
        )
    except EngineError:
        if len(attributes) == 1:
            raise
        return [
            row
            for attribute in attributes
            for row in _measure_risks(session, [attribute], user, options, counted)
        ]
    return [{key: row[key] for key in row if key != "position"} for row in rows]


def _mention_equals(some: Sentence, risks: Sequence[float | None], first: int) -> Sentence:
    """Add how many other attributes are as dangerous as the last of the first ones."""
    equals = Truncation.after(first, risks).equal_to_last
    return Sentence("attribute.beside_equals", some=some, count=f"{equals:,}") if equals else some


def _sort_key(measured: tuple[Attribute, AttributeRisk]) -> tuple[bool, float]:
    risk = measured[1].risk
    return not measured[1].plausible, 1.0 if risk is None else -risk


def _rank_attributes(risks: _Risks, options: Options) -> _Risks:
    """Add ranks, and mark the most dangerous attributes."""
    if options.method == "sample":
        risks = sorted(risks, key=_sort_key)
    every = [entry.sampled for _, entry in risks if entry.sampled is not None and entry.plausible]
    highest = risks[0][1].mean_risk if risks else None
    ranked: _Risks = []
    for rank, (attribute, entry) in enumerate(risks, 1):
        counts = entry.plausible or not risks[0][1].plausible
        undominated = entry.sampled is not None and counts and _is_undominated(entry.sampled, every)
        sampled = replace(entry.sampled, most_dangerous=undominated) if entry.sampled is not None else None
        first = undominated if options.method == "sample" else entry.mean_risk == highest and counts
        ranked.append((attribute, replace(entry, rank=rank, most_dangerous=first, sampled=sampled)))
    return ranked


def _is_undominated(sampled: Sampled, every: list[Sampled]) -> bool:
    """Return whether no other interval lies wholly above this one (the paper's rule)."""
    upper = sampled.upper
    return upper is not None and all(other.lower is None or other.lower <= upper for other in every)


def _draw_samples(session: Session, risks: _Risks, roles: Roles, options: Options) -> _Risks:
    """Add the samples of the first attributes."""
    user = roles.user.binding if roles.user is not None else None
    complete = find_complete(roles, [attribute for attribute, _ in risks])
    risks = list(risks)
    for index, (attribute, entry) in enumerate(risks[: _count_sampled(options, len(risks))]):
        if entry.records != 0:
            users = roles.users if user is not None and attribute in complete else None
            sampled = _draw_sample(session, attribute, user, options, users)
            risks[index] = attribute, replace(entry, sampled=sampled)
    return risks


def _draw_sample(
    session: Session, attribute: Attribute, user: str | None, options: Options, users: int | None
) -> Sampled:
    """Estimate the risk of an attribute from a sample.

    Args:
        session: The session.
        attribute: The attribute.
        user: Binding of the user column; None if each record is a person.
        options: Size and seed of the sample, and the kind of interval.
        users: Number of users of the source if the attribute has a value in every record; else None.
    """
    shared = {
        "source": session.views.select_columns(user, attribute),
        "user": user,
        "attribute": attribute,
        "samples": options.samples,
        "seed": options.seed,
    }
    if session.engine is not None and user is not None and options.interval != "paper":
        value_users = {name: shared[name] for name in ("source", "user", "attribute", "seed")}
        session.run("value_users", **value_users)
        row = session.fetch_row("sampled_values", samples=options.samples, confidence=options.confidence)
        return Sampled(**row, confidence=options.confidence, interval="confidence")
    if options.interval == "paper":
        row = session.fetch_row("attribute_sample_paper", **shared)
        return Sampled(**row, confidence=None, interval="paper")
    row = session.fetch_row("attribute_sample", **shared, confidence=options.confidence, users=users)
    return Sampled(**row, confidence=options.confidence, interval="confidence")


def _measure_model_errors(session: Session, entry: AttributeRisk) -> list[ModelError]:
    if entry.mean_risk is None:
        return []
    rows = session.run(
        "model_errors",
        records=entry.records,
        exact=entry.mean_risk,
        minimum_cost=entry.minimum_cost_risk,
        sampled=entry.sampled.estimate if entry.sampled else None,
        records_read=entry.sampled.records_read if entry.sampled else None,
    )
    return [ModelError(entry.attribute, **row) for row in rows]


def _measure_single_values(
    session: Session, attributes: list[Attribute], user: str | None, options: Options
) -> SingleValues | None:
    """Measure the single values of the requested, else the most dangerous attribute."""
    asked = [attribute for attribute in attributes if options.models_of in (None, attribute.name)]
    if not asked or (options.models_of is None and not options.samples):
        return None
    known = {"source": session.views.select_columns(user, asked[0]), "user": user, "attribute": asked[0]}
    points = session.run("single_values", **known, most=_MAX_POINTS, seed=options.seed)
    centroid = session.fetch_row("sampling_centroid", **known)
    return SingleValues(asked[0].name, tuple(SingleValue(**point) for point in points), **centroid)


def _list_values(session: Session, attribute: Attribute, user: str | None) -> dict[str, Any]:
    """List the most dangerous values of an attribute, and count the others."""
    rows = session.run(
        "attribute_values",
        source=session.views.select_columns(user, attribute),
        user=user,
        attribute=show_in_full(attribute),
        most=10,
    )
    return {
        "values_listed": Truncation.pop_from(rows),
        "values": tuple(DangerousValue(**row) for row in rows),
    }


# --- coarser knowledge ---------------------------------------------------------------------------


def _measure_coarser(
    session: Session, forms: Sequence[tuple[AttributeRisk, Attribute]], roles: Roles, options: Options
) -> list[Coarser]:
    """Measure coarser forms of attributes, and compare them with the attributes."""
    rows = _measure_forms(session, [form for _, form in forms], roles, options)
    coarser = []
    for (entry, form), row in zip(forms, rows, strict=True):
        if row["distinct_values"] < _MIN_DISTINCT_VALUES or row["distinct_values"] == entry.distinct_values:
            continue  # hardly any detail remains, or none is lost
        numbers = {key: row[key] for key in ("distinct_values", "mean_risk", "share_below_k")}
        coarser.append(Coarser(entry.attribute, form.name, **numbers))
    return coarser


def _measure_forms(
    session: Session, forms: Sequence[Attribute], roles: Roles, options: Options
) -> list[dict[str, Any]]:
    """Measure each form; large tables are read once for all forms with few values."""
    user = roles.user.binding if roles.user is not None else None
    rows: dict[Attribute, dict[str, Any]] = {}
    together = user is not None and options.method == "exact" and session.engine is None
    if together and roles.records >= _MANY_RECORDS:
        for start in range(0, len(forms), _FORMS_PER_STATEMENT):
            rows |= _measure_few_values(session, forms[start : start + _FORMS_PER_STATEMENT], user, options)
    counted = roles.count.binding if roles.count is not None else None
    others = [form for form in forms if form not in rows]
    for batch in split_batches(others, _count_per_statement(roles)):
        rows |= zip(batch, _measure_risks(session, batch, user, options, counted), strict=True)
    return [rows[form] for form in forms]


def _measure_few_values(
    session: Session, attributes: Sequence[Attribute], user: str | None, options: Options
) -> dict[Attribute, dict[str, Any]]:
    """Measure the attributes whose values fit into a word."""
    tables = {attribute: f"few_values_{number}" for number, attribute in enumerate(attributes)}
    for attribute, table in tables.items():
        source = session.views.select_columns(user, attribute)
        session.run("numbered_few_values", source=source, user=user, attribute=attribute, table=table)
    counts = session.run("row_counts", tables=list(tables.values()))
    sizes = {
        attribute: row["records"]
        for attribute, row in zip(tables, counts, strict=True)
        if row["records"] <= _BITS_PER_WORD
    }
    words, shifts = _pack_into_words(list(sizes.values()))
    rows = []
    if sizes:
        rows = session.run(
            "risk_of_few_values",
            source=session.views.select_columns(user, *sizes),
            user=user,
            attributes=list(sizes),
            tables=[tables[attribute] for attribute in sizes],
            sizes=list(sizes.values()),
            words=words,
            shifts=shifts,
            k=options.k,
        )
    for table in tables.values():
        session.run("drop_table", table=table)
    return dict(zip(sizes, rows, strict=True))


def _pack_into_words(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the word and the first bit of each attribute, by its number of values."""
    words, shifts = [], []
    word = used = 0
    for size in sizes:
        if used + size > _BITS_PER_WORD:
            word, used = word + 1, 0
        words.append(word)
        shifts.append(used)
        used += size
    return words, shifts
