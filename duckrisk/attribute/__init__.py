"""The attacker who learns one value (or a few records) of an attribute: Ito's model.

Chooses which templates under ``sql/attribute`` run on which attributes, and ranks the results; every
number comes out of a template.
"""

from __future__ import annotations

from typing import Any

from duckrisk.engine_types import is_number
from duckrisk.options.attribute import CONFIDENCES as CONFIDENCES
from duckrisk.options.attribute import METHODS as METHODS
from duckrisk.options.attribute import Options as Options
from duckrisk.roles import Decision, Roles
from duckrisk.session import ASSESSED, Session
from duckrisk.source.long_cells import whole_texts
from duckrisk.templates import Attribute, Part

#: A coarser form with fewer distinct values than this is hardly worth publishing.
_OF_USE = 5
#: Candidate users that the attacker with several records may cost: about a gigabyte and some seconds.
_CANDIDATES = 50_000_000
#: Beside the exact risk, samples are drawn of so many attributes, the most dangerous ones.
_SAMPLED = 10


def measure(session: Session, roles: Roles, options: Options, *, show_values: bool = False) -> dict[str, Any]:
    """Measure all attributes of a source.

    Returns ``attribute_risk`` (one entry an attribute, ranked), ``known_records``,
    ``coarser_knowledge``, ``model_errors`` and ``notes``, as documented in the report's schema.
    """
    user = roles.user.binding if roles.user is not None else None
    by_binding = {decision.column.binding: decision for decision in roles.decisions}
    found: list[tuple[Attribute, dict[str, Any]]] = []
    notes: list[str] = []
    for attribute in roles.attributes:
        entry = _counted(session, attribute, user, options)
        if (
            entry["distinct_values"] is not None
            and entry["distinct_values"] <= 1
            and len(attribute.parts) == 1
        ):
            what = (
                "is constant" if entry["distinct_values"] == 1 else "is missing in every record with a user"
            )
            notes.append(f'"{attribute.name}" {what} and was set aside.')
            continue
        found.append((attribute, entry))
    found.sort(key=lambda pair: -_danger(pair[1]))  # equal risks stay in the order of the source
    # Beside the exact risk a sample only shows what it would have cost: not worth it for hundreds of them.
    compared = found if options.method == "sample" else found[:_SAMPLED]
    if options.samples:
        for attribute, entry in compared:
            if entry["records"] == 0:
                continue
            present = all(by_binding[part.column].present == roles.records for part in attribute.parts)
            users = roles.users if present and user is not None else None
            entry["sampled"] = _sampled(session, attribute, user, options, users)
        if len(compared) < len(found):
            notes.append(
                f"Samples were drawn of the {len(compared)} most dangerous attributes; all {len(found)} were "
                "counted."
            )
    if options.method == "sample":
        found.sort(key=lambda pair: -_danger(pair[1]))
    for rank, (_, entry) in enumerate(found, 1):
        entry["rank"] = rank
        entry["most_dangerous"] = (
            _undominated(entry, found)
            if options.method == "sample"
            else (entry["mean_risk"] == found[0][1]["mean_risk"])
        )
        if entry["sampled"] is not None:
            entry["sampled"]["most_dangerous"] = _undominated(entry, found)
    detailed = found[: options.detailed]
    if len(found) > len(detailed) and options.detailed:
        notes.append(
            f"Coarser knowledge and several known records were measured for the {len(detailed)} most "
            "dangerous attributes."
        )
    result: dict[str, Any] = {
        "attribute_risk": [entry for _, entry in found],
        "known_records": [],
        "coarser_knowledge": [],
        "model_errors": [],
        "single_values": None,
        "notes": notes,
    }
    if options.method == "sample":
        return result
    for attribute, entry in detailed:
        if options.known_records:
            result["known_records"] += _known_records(session, attribute, entry, roles, options)
        if len(attribute.parts) == 1:
            decision = by_binding[attribute.parts[0].column]
            result["coarser_knowledge"] += _coarser(session, attribute, decision, entry, user, options)
    if options.method == "exact":  # errors are distances from the exact risk
        for _, entry in compared:
            result["model_errors"] += _model_errors(session, entry)
    if found and options.samples and options.method == "exact":
        attribute = found[0][0]
        points = session.run(
            "single_values", source=ASSESSED, user=user, attribute=attribute, most=200, seed=options.seed
        )
        result["single_values"] = {"attribute": attribute.name, "points": points}
    if show_values:
        for attribute, entry in detailed:
            entry["values"] = session.run(
                "attribute_values", source=ASSESSED, user=user, attribute=whole_texts(attribute), most=10
            )
            if [part.knowledge for part in attribute.parts] == ["time"]:
                for row in entry["values"]:
                    row["value"] = "{:02}:{:02}".format(*divmod(int(row["value"]), 60))
    return result


def _counted(session: Session, attribute: Attribute, user: str | None, options: Options) -> dict[str, Any]:
    """An attribute's entry, its users counted unless only a sample is to be drawn."""
    entry: dict[str, Any] = {"attribute": attribute.name, **dict.fromkeys(_EXACT)}
    if options.method != "sample":
        name = "attribute_risk" if options.method == "exact" else "attribute_risk_approximate"
        entry.update(session.row(name, source=ASSESSED, user=user, attribute=attribute, k=options.k))
    return {**entry, "sampled": None}


def _sampled(
    session: Session, attribute: Attribute, user: str | None, options: Options, users: int | None
) -> dict[str, Any]:
    """What a sample tells of an attribute; ``users`` are those of the source, if any, where it has a value in
    every record."""
    shared = {
        "source": ASSESSED,
        "user": user,
        "attribute": attribute,
        "samples": options.samples,
        "seed": options.seed,
    }
    if options.interval == "paper":
        sampled = session.row("attribute_sample_paper", **shared)
    else:
        sampled = session.row("attribute_sample", **shared, confidence=options.confidence, users=users)
    return {
        "estimate": sampled["estimate"],
        "lower": sampled["lower"],
        "upper": sampled["upper"],
        "sampled_values": sampled["sampled_values"],
        "records_read": sampled["records_read"],
        "confidence": options.confidence if options.interval == "confidence" else None,
        "interval": options.interval,
    }


_EXACT = (
    "records",
    "distinct_values",
    "mean_risk",
    "mean_model_risk",
    "minimum_cost_risk",
    "max_value_risk",
    "mean_records_per_user",
    "share_below_k",
    "records_below_k",
    "singled_out_records",
    "share_singled_out",
    "singled_out_values",
)


def _danger(entry: dict[str, Any]) -> float:
    sampled = entry["sampled"] or {}
    risk = entry["mean_risk"] if entry["mean_risk"] is not None else sampled.get("estimate")
    return risk if risk is not None else -1.0


def _undominated(entry: dict[str, Any], found: list[tuple[Attribute, dict[str, Any]]]) -> bool:
    """The paper's rule for sampled risks: no other interval lies wholly above this one."""
    if entry["sampled"] is None or entry["sampled"]["upper"] is None:
        return False
    others = [
        other["sampled"] for _, other in found if other["sampled"] and other["sampled"]["lower"] is not None
    ]
    return all(other["lower"] <= entry["sampled"]["upper"] for other in others)


def _known_records(
    session: Session, attribute: Attribute, entry: dict[str, Any], roles: Roles, options: Options
) -> list[dict[str, Any]]:
    """One row for each number of known records; a single one is the exact risk."""
    rows: list[dict[str, Any]] = []
    known = options.known_records if roles.most_records > 1 else 1
    if known > 1 or options.method != "exact":
        user = roles.user.binding if roles.user is not None else None
        rows = session.run(
            "known_records",
            source=ASSESSED,
            user=user,
            attribute=attribute,
            known=known,
            draws=options.draws,
            candidates=_CANDIDATES,
            confidence=options.confidence,
            seed=options.seed,
        )
    if options.method == "exact":
        risk, unicity = entry["mean_risk"], entry["share_singled_out"]
        rows = [
            {
                "known_records": 1,
                "draws": None,
                "risk": risk,
                "risk_lower": risk,
                "risk_upper": risk,
                "unicity": unicity,
                "unicity_lower": unicity,
                "unicity_upper": unicity,
            },
            *rows[1:],
        ]
    return [{"attribute": attribute.name, **row} for row in rows]


def _model_errors(session: Session, entry: dict[str, Any]) -> list[dict[str, Any]]:
    if entry["mean_risk"] is None:
        return []
    sampled = entry["sampled"]
    rows = session.run(
        "model_errors",
        records=entry["records"],
        exact=entry["mean_risk"],
        minimum_cost=entry["minimum_cost_risk"],
        sampled=sampled["estimate"] if sampled else None,
        records_read=sampled["records_read"] if sampled else None,
    )
    return [{"attribute": entry["attribute"], **row} for row in rows]


# --- coarser knowledge ---------------------------------------------------------------------------


def coarser_forms(attribute: Attribute, decision: Decision, distinct_values: int) -> list[Attribute]:
    """What an attribute could be published as instead: coarser, and still of use."""
    (part,) = attribute.parts
    name, kind = decision.column.name, decision.column.type
    forms: list[tuple[str, float | None]] = []
    if part.knowledge == "date" or (part.knowledge == "exact" and kind == "DATE"):
        forms = [("week", None), ("month", None)]
    elif part.knowledge == "time":
        forms = [("hour", None)]
    elif kind == "VARCHAR" and part.knowledge == "exact" and not decision.moment and distinct_values > 20:
        forms = [("prefix", 3), ("prefix", 2)]
    elif part.knowledge in ("exact", "number") and is_number(kind) and distinct_values > 10:
        forms = [
            ("band", _round_number(distinct_values / 50, 5)),
            ("band", _round_number(distinct_values / 10, 10)),
        ]
    return [
        Attribute(
            f"{name}.{knowledge}" + (f"({argument})" if argument is not None else ""),
            (Part(part.column, knowledge, argument, part.moment),),
        )
        for knowledge, argument in forms
    ]


def _round_number(number: float, least: int) -> int:
    """The smallest of 1, 2 and 5 times a power of ten that is not below either number."""
    power = 1
    while True:
        for step in (1, 2, 5):
            if step * power >= max(number, least):
                return step * power
        power *= 10


def _coarser(
    session: Session,
    attribute: Attribute,
    decision: Decision,
    entry: dict[str, Any],
    user: str | None,
    options: Options,
) -> list[dict[str, Any]]:
    rows = []
    name = "attribute_risk" if options.method == "exact" else "attribute_risk_approximate"
    for form in coarser_forms(attribute, decision, entry["distinct_values"]):
        row = session.row(name, source=ASSESSED, user=user, attribute=form, k=options.k)
        if row["distinct_values"] < _OF_USE or row["distinct_values"] == entry["distinct_values"]:
            continue  # next to nothing is left, or nothing changed
        rows.append(
            {
                "attribute": attribute.name,
                "coarser": form.name,
                "distinct_values": row["distinct_values"],
                "mean_risk": row["mean_risk"],
                "share_below_k": row["share_below_k"],
            }
        )
    return rows
