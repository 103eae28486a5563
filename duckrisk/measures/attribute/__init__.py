"""The attacker who learns one value (or a few records) of an attribute: Ito's model.

Chooses which templates under ``sql/attribute`` run on which attributes, and ranks the results; every
number comes out of a template.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from duckrisk.base.errors import EngineError, UsageError, suggest_names
from duckrisk.base.options.attribute import CONFIDENCES as CONFIDENCES
from duckrisk.base.options.attribute import METHODS as METHODS
from duckrisk.base.options.attribute import Options as Options
from duckrisk.base.results import Listed
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.engine.types import is_float, is_number
from duckrisk.measures.attribute.results import (
    AttributeRisk,
    AttributeRisks,
    Coarser,
    DangerousValue,
    KnownRecords,
    ModelError,
    Sampled,
    SingleValue,
    SingleValues,
)
from duckrisk.roles import Decision, Roles
from duckrisk.roles.attributes import group_alike
from duckrisk.roles.dependencies import batches
from duckrisk.source import Column
from duckrisk.source.long_cells import as_shown

#: A coarser form with fewer distinct values than this is hardly worth publishing.
_OF_USE = 5
#: Numbers are published in about so many bands, or fewer: those that most records are in.
_BANDS = (20, 8)
#: Numbers that lie nearer or farther apart have no bands.
_NARROWEST, _WIDEST = 1e-3, 1e15
#: Of more attributes than these so many are counted in one statement, where they have no more cells: of few
#: records the engine takes longer to plan a statement than to run it.
_TOGETHER = 16
_CELLS = 200_000
#: Attributes of one type that one statement counts at most, of few records.
_ALIKE = 500
#: Candidate users that the attacker with several records may cost: about a gigabyte and some seconds.
_CANDIDATES = 50_000_000
#: Beside the exact risk, samples are drawn of so many attributes, the most dangerous ones.
_SAMPLED = 10
#: Records; from this number on coarser forms share a statement: 13 forms of 5 million records take 4.5 CPU
#: seconds, and 8.5 one by one.
_MANY_RECORDS = 1_000_000
#: Forms that share a statement, and bits of the words that hold their values.
_FORMS, _WORD = 16, 60
#: So many single values are points of a figure.
_POINTS = 500


def measure(
    session: Session,
    roles: Roles,
    options: Options,
    *,
    show_values: bool = False,
    with_coarser: bool = True,
) -> tuple[AttributeRisks, list[Sentence]]:
    """Measure all attributes of a source, and notes on what was left out."""
    user = roles.user.binding if roles.user is not None else None
    by_binding = {decision.column.binding: decision for decision in roles.decisions}
    notes: list[Sentence] = []
    risks = _counted(session, roles, user, options, notes)
    # Beside the exact risk a sample only shows what it would have cost: not worth it for hundreds of them.
    compared = len(risks) if options.method == "sample" else min(_SAMPLED, len(risks))
    if options.samples:
        for index, (attribute, entry) in enumerate(risks[:compared]):
            present = all(
                by_binding[part.column].present == roles.records and not part.tokens
                for part in attribute.parts
            )
            if entry.records != 0:
                users = roles.users if present and user is not None else None
                sampled = _sampled(session, attribute, user, options, users)
                risks[index] = attribute, replace(entry, sampled=sampled)
        if compared < len(risks):
            some = Sentence("attribute.sampled_some", some=f"{compared:,}", count=f"{len(risks):,}")
            notes.append(_beside_equals(some, risks, compared))
    risks = _ranked(risks, options)
    entries = [entry for _, entry in risks]
    if options.method == "sample":
        return AttributeRisks(tuple(entries)), notes
    if 0 < options.detailed < len(risks):
        some = Sentence("attribute.detailed_some", some=f"{options.detailed:,}")
        notes.append(_beside_equals(some, risks, options.detailed))
    known: list[KnownRecords] = []
    forms: list[tuple[AttributeRisk, Attribute]] = []
    for index, (attribute, entry) in enumerate(session.steps.track(risks[: options.detailed])):
        if options.known_records:
            known += _known_records(session, attribute, entry, roles, options)
        if with_coarser and entry.plausible and len(attribute.parts) == 1:
            decision = by_binding[attribute.parts[0].column]
            coarse = coarser_forms(session, attribute, decision, entry.distinct_values or 0, roles.count)
            forms += [(entry, form) for form in coarse]
        if show_values:
            entries[index] = replace(entry, **_values(session, attribute, user))
    coarser = _coarser(session, forms, roles, options)
    errors: list[ModelError] = []
    single = None
    if options.method == "exact":  # errors are distances from the exact risk
        named = [entry for entry in entries[compared:] if entry.attribute == options.models_of]
        errors = [error for entry in entries[:compared] + named for error in _model_errors(session, entry)]
        single = _single_values(session, [attribute for attribute, _ in risks], user, options)
    return AttributeRisks(tuple(entries), tuple(known), tuple(coarser), tuple(errors), single), notes


def check_named(options: Options, roles: Roles) -> None:
    """Raise UsageError before anything is measured for an attribute that is not assessed."""
    names = [attribute.name for attribute in roles.attributes]
    if options.models_of is not None and options.models_of not in names:
        raise UsageError(
            "attribute.models_of_unknown_attribute",
            name=options.models_of,
            hint=suggest_names(options.models_of, names),
        )


_Risks = list[tuple[Attribute, AttributeRisk]]


def _counted(
    session: Session,
    roles: Roles,
    user: str | None,
    options: Options,
    notes: list[Sentence],
) -> _Risks:
    """The attributes, their users counted unless only a sample is to be drawn, the most dangerous first."""
    risks: _Risks = []
    likely = set(roles.plausible)
    rows: dict[int, dict[str, Any]] = {}
    for batch in session.steps.track(_batches(session, roles, options), to=0.5):
        attributes = [roles.attributes[index] for index in batch]
        counted = roles.count.binding if roles.count is not None else None
        rows |= zip(batch, _risks(session, attributes, user, options, counted), strict=True)
    for index, attribute in enumerate(roles.attributes):
        entry = AttributeRisk(attribute.name, plausible=attribute in likely, **rows.get(index, {}))
        values = entry.distinct_values
        everywhere = entry.records == roles.records - roles.without_user  # a mark of some tells of these
        if values is not None and (values == 0 or (values == 1 and everywhere)) and len(attribute.parts) == 1:
            key = "attribute.constant" if values == 1 else "attribute.missing"
            notes.append(Sentence(key, name=Data(attribute.name)))
            continue
        risks.append((attribute, entry))
    return sorted(risks, key=_danger)  # equal risks stay in the order of the source


def _batches(session: Session, roles: Roles, options: Options) -> list[list[int]]:
    """Return the indices of the attributes that each statement counts; none if only samples are drawn."""
    count = len(roles.attributes)
    most = max(1, min(_TOGETHER, _CELLS // roles.records)) if count > _TOGETHER else 1
    if options.method == "sample":
        return []
    if most < _TOGETHER or options.method != "exact" or session.engine is not None:
        return batches(range(count), most)
    # More attributes than _TOGETHER are read as one list, for which they need one type.
    kinds = {decision.column.binding: decision.column.type for decision in roles.decisions}
    alike = min(_ALIKE, _CELLS // roles.records)
    parts = [part for group in group_alike(roles.attributes, kinds) for part in batches(group, alike)]
    others = [index for part in parts if len(part) <= _TOGETHER for index in part]
    return [*(part for part in parts if len(part) > _TOGETHER), *batches(sorted(others), _TOGETHER)]


def _risks(
    session: Session,
    attributes: list[Attribute],
    user: str | None,
    options: Options,
    counted: str | None = None,
) -> list[dict[str, Any]]:
    """The figures of each of some attributes by itself: in one statement, or in one each where the engine's
    memory is not enough for all of them."""
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
            row for attribute in attributes for row in _risks(session, [attribute], user, options, counted)
        ]
    return [{key: row[key] for key in row if key != "position"} for row in rows]


def _beside_equals(some: Sentence, risks: _Risks, first: int) -> Sentence:
    """What was done for the first attributes, and how many others are as dangerous as the last of them."""
    equals = Listed.of([entry.risk for _, entry in risks], first).equal_to_last
    return Sentence("attribute.beside_equals", some=some, count=f"{equals:,}") if equals else some


def _danger(measured: tuple[Attribute, AttributeRisk]) -> tuple[bool, float]:
    risk = measured[1].risk
    return not measured[1].plausible, 1.0 if risk is None else -risk


def _ranked(risks: _Risks, options: Options) -> _Risks:
    """The attributes with their ranks, and which of them are the most dangerous."""
    if options.method == "sample":
        risks = sorted(risks, key=_danger)
    every = [entry.sampled for _, entry in risks if entry.sampled is not None and entry.plausible]
    highest = risks[0][1].mean_risk if risks else None
    ranked: _Risks = []
    for rank, (attribute, entry) in enumerate(risks, 1):
        counts = entry.plausible or not risks[0][1].plausible
        undominated = entry.sampled is not None and counts and _undominated(entry.sampled, every)
        sampled = replace(entry.sampled, most_dangerous=undominated) if entry.sampled is not None else None
        first = undominated if options.method == "sample" else entry.mean_risk == highest and counts
        ranked.append((attribute, replace(entry, rank=rank, most_dangerous=first, sampled=sampled)))
    return ranked


def _undominated(sampled: Sampled, every: list[Sampled]) -> bool:
    """The paper's rule for sampled risks: no other interval lies wholly above this one."""
    upper = sampled.upper
    return upper is not None and all(other.lower is None or other.lower <= upper for other in every)


def _sampled(
    session: Session, attribute: Attribute, user: str | None, options: Options, users: int | None
) -> Sampled:
    """What a sample tells of an attribute; ``users`` are those of the source, if any, where it has a value in
    every record."""
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


def _known_records(
    session: Session, attribute: Attribute, entry: AttributeRisk, roles: Roles, options: Options
) -> list[KnownRecords]:
    """One entry for each number of known records; a single one is the exact risk."""
    known = options.known_records if roles.most_records > 1 else 1
    if options.method != "exact":
        return _drawn_records(session, attribute, known, roles, options)
    entries = _drawn_records(session, attribute, known, roles, options) if known > 1 else []
    risk, unicity = entry.mean_risk, entry.share_singled_out
    return [
        KnownRecords(attribute.name, 1, None, risk, risk, risk, unicity, unicity, unicity),
        *entries[1:],
    ]


def _drawn_records(
    session: Session, attribute: Attribute, known: int, roles: Roles, options: Options
) -> list[KnownRecords]:
    """One entry for each number of known records, by drawn attackers."""
    if session.engine is not None:
        return _drawn_there(session, attribute, known, roles, options)
    user = roles.user.binding if roles.user is not None else None
    rows = session.run(
        "known_records",
        source=session.views.select_columns(user, attribute),
        user=user,
        attribute=attribute,
        known=known,
        draws=options.draws,
        candidates=_CANDIDATES,
        confidence=options.confidence,
        seed=options.seed,
    )
    return [KnownRecords(attribute.name, **row) for row in rows]


def _drawn_there(
    session: Session, attribute: Attribute, known: int, roles: Roles, options: Options
) -> list[KnownRecords]:
    """The same by attackers that a distributed engine draws; nothing where each record is a person."""
    if roles.user is None:
        return []
    shared = {"source": ASSESSED, "user": roles.user.binding, "attribute": attribute}
    session.run("drawn_users", **shared, draws=options.draws, seed=options.seed)
    session.run("picked_values", **shared, known=known, seed=options.seed)
    session.run("attackers_left", **shared, known=known)
    rows = session.run("known_records_left", known=known, confidence=options.confidence)
    return [KnownRecords(attribute.name, **row) for row in rows]


def known_records(session: Session, roles: Roles, options: Options, most: int) -> list[KnownRecords]:
    """What several known records tell by ``most`` attributes, those with most values, by drawn attackers;
    nothing where nobody has several."""
    if roles.most_records <= 1 or not options.known_records:
        return []
    distinct = {decision.column.binding: decision.distinct for decision in roles.decisions}
    by_values = sorted(
        roles.attributes, key=lambda attribute: -math.prod(distinct[part.column] for part in attribute.parts)
    )
    return [
        entry
        for attribute in by_values[:most]
        for entry in _drawn_records(session, attribute, options.known_records, roles, options)
    ]


def _model_errors(session: Session, entry: AttributeRisk) -> list[ModelError]:
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


def _single_values(
    session: Session, attributes: list[Attribute], user: str | None, options: Options
) -> SingleValues | None:
    """The single values of the attribute that was asked for, or else of the most dangerous one."""
    asked = [attribute for attribute in attributes if options.models_of in (None, attribute.name)]
    if not asked or (options.models_of is None and not options.samples):
        return None
    known = {"source": session.views.select_columns(user, asked[0]), "user": user, "attribute": asked[0]}
    points = session.run("single_values", **known, most=_POINTS, seed=options.seed)
    centroid = session.fetch_row("sampling_centroid", **known)
    return SingleValues(asked[0].name, tuple(SingleValue(**point) for point in points), **centroid)


def _values(session: Session, attribute: Attribute, user: str | None) -> dict[str, Any]:
    """The most dangerous values of an attribute, and how many there are."""
    rows = session.run(
        "attribute_values",
        source=session.views.select_columns(user, attribute),
        user=user,
        attribute=as_shown(attribute),
        most=10,
    )
    return {"values_listed": Listed.taken(rows), "values": tuple(DangerousValue(**row) for row in rows)}


# --- coarser knowledge ---------------------------------------------------------------------------


def coarser_forms(
    session: Session,
    attribute: Attribute,
    decision: Decision,
    distinct_values: int,
    counted: Column | None = None,
) -> list[Attribute]:
    """What an attribute could be published as instead: coarser, and still of use.

    A record stands for as many people as ``counted`` says, for one without it.
    """
    (part,) = attribute.parts
    name, kind = decision.column.name, decision.column.type
    forms: list[tuple[str, float | None]] = []
    if part.knowledge == "date" or (part.knowledge == "exact" and kind == "DATE"):
        forms = [("week", None), ("month", None), ("year", None)]
    elif part.knowledge == "time":
        forms = [("hour", None)]
    elif kind == "VARCHAR" and part.knowledge == "exact" and not decision.moment and distinct_values > 20:
        forms = [("prefix", 3), ("prefix", 2)]
    elif part.knowledge in ("exact", "number") and is_number(kind) and distinct_values > 10:
        span = _span_of(session, decision, counted)
        least = 0 if is_float(kind) else 2
        widths = {max(least, _round_number(span / bands)): None for bands in _BANDS if span is not None}
        forms = [("band", width) for width in widths]
    return [
        Attribute(
            f"{name}.{knowledge}" + (f"({argument})" if argument is not None else ""),
            (
                Part(
                    part.column,
                    knowledge,
                    argument,
                    part.moment,
                    part.tokens,
                    number=part.number,
                    fine=part.fine,
                ),
            ),
        )
        for knowledge, argument in forms
    ]


def _span_of(session: Session, decision: Decision, counted: Column | None) -> float | None:
    """How far the numbers of a column lie apart, but for outliers; None where no bands are of use."""
    column = decision.column.binding
    people = {"counted": counted.binding} if counted is not None else {}
    source = session.views.select_columns(column, *people.values())
    row = session.fetch_row("value_span", source=source, column=column, **people)
    if row["span_lower"] is None or row["span_upper"] is None:
        return None
    span = float(row["span_upper"] - row["span_lower"])
    return span if math.isfinite(span) and _NARROWEST < span < _WIDEST else None


def _round_number(number: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a number."""
    power = math.floor(math.log10(number) + 1e-9)
    width = next(step for step in (1, 2, 5, 10) if step >= number / 10.0**power * (1 - 1e-9))
    return width * 10**power if power >= 0 else 1 if (width, power) == (10, -1) else float(f"{width}e{power}")


def _coarser(
    session: Session, forms: Sequence[tuple[AttributeRisk, Attribute]], roles: Roles, options: Options
) -> list[Coarser]:
    """Measure coarser forms of attributes, and each attribute as it is."""
    rows = _risks_of_forms(session, [form for _, form in forms], roles, options)
    coarser = []
    for (entry, form), row in zip(forms, rows, strict=True):
        if row["distinct_values"] < _OF_USE or row["distinct_values"] == entry.distinct_values:
            continue  # next to nothing is left, or nothing changed
        numbers = {key: row[key] for key in ("distinct_values", "mean_risk", "share_below_k")}
        coarser.append(Coarser(entry.attribute, form.name, **numbers))
    return coarser


def _risks_of_forms(
    session: Session, forms: Sequence[Attribute], roles: Roles, options: Options
) -> list[dict[str, Any]]:
    """Return the figures of each form: many records are read once for all forms of few values."""
    user = roles.user.binding if roles.user is not None else None
    rows: dict[Attribute, dict[str, Any]] = {}
    together = user is not None and options.method == "exact" and session.engine is None
    if together and roles.records >= _MANY_RECORDS:
        for start in range(0, len(forms), _FORMS):
            rows |= _risks_of_few_values(session, forms[start : start + _FORMS], user, options)
    counted = roles.count.binding if roles.count is not None else None
    return [
        rows[form] if form in rows else _risks(session, [form], user, options, counted)[0] for form in forms
    ]


def _risks_of_few_values(
    session: Session, attributes: Sequence[Attribute], user: str | None, options: Options
) -> dict[Attribute, dict[str, Any]]:
    """Return the figures of those attributes whose values fit into a word."""
    tables = {attribute: f"few_values_{number}" for number, attribute in enumerate(attributes)}
    for attribute, table in tables.items():
        source = session.views.select_columns(user, attribute)
        session.run("numbered_few_values", source=source, user=user, attribute=attribute, table=table)
    counts = session.run("row_counts", tables=list(tables.values()))
    sizes = {
        attribute: row["records"]
        for attribute, row in zip(tables, counts, strict=True)
        if row["records"] <= _WORD
    }
    words, shifts = _share_words(list(sizes.values()))
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


def _share_words(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the word and the first bit of each attribute, by the number of its values."""
    words, shifts = [], []
    word = used = 0
    for size in sizes:
        if used + size > _WORD:
            word, used = word + 1, 0
        words.append(word)
        shifts.append(used)
        used += size
    return words, shifts
