"""Assessments out of thin air, and streams to print them to."""

from __future__ import annotations

import dataclasses
import io
import unicodedata
from types import SimpleNamespace
from typing import Any

from duckrisk.decision import policy
from duckrisk.decision.assessment.checklist import make_checklist
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.verdict import judge_assessment
from duckrisk.engine.sql_log import Statement
from duckrisk.measures import disclosure
from duckrisk.report.forms import print_report
from tests.typed import typed


def column(name: str, role: str, reason: str, missing: int = 0) -> dict[str, Any]:
    told = {"name": name, "type": "VARCHAR", "role": role, "confidence": "likely", "kind": None}
    return told | {"reason": reason, "missing": missing}


def data_of(names: list[str], **changes: Any) -> dict[str, Any]:
    """The JSON form of a report on columns of these names, each risk half the one before."""
    entries, known, coarser, models = [], [], [], []
    for place, name in enumerate(names):
        risk = 0.5 ** (place % 40 + 1)
        sampled = {
            "estimate": risk * 0.9, "lower": risk * 0.8, "upper": risk * 1.2, "sampled_values": 50,
            "records_read": 700, "confidence": 0.9, "interval": "confidence", "most_dangerous": place == 0,
        }  # fmt: skip
        entries.append({
            "attribute": name, "records": 1000, "distinct_values": 200, "mean_risk": risk, 
            "mean_model_risk": risk,
            "minimum_cost_risk": risk / 3, "max_value_risk": 1.0, "mean_records_per_user": 2.5,
            "share_below_k": risk, "records_below_k": 100, "singled_out_records": 10,
            "share_singled_out": risk / 2, "singled_out_values": 7, "sampled": sampled, "rank": place + 1,
            "most_dangerous": place == 0,
        })  # fmt: skip
        if place < 10:
            for p in (1, 2, 3, 4):
                grown = min(1.0, risk * p)
                known.append({
                    "attribute": name, "known_records": p, "draws": None if p == 1 else 1000, "risk": grown,
                    "risk_lower": grown * 0.9, "risk_upper": grown, "unicity": grown / 2,
                    "unicity_lower": grown / 3, "unicity_upper": grown,
                })  # fmt: skip
            coarser.append({
                "attribute": name, "coarser": f"{name}.band(5)", "distinct_values": 9, "mean_risk": risk / 8,
                "share_below_k": 0.0,
            })  # fmt: skip
        for model, cost, error in (("exact", 1000, 0.0), ("sampling", 700, 0.01), ("minimum cost", 0, 0.2)):
            models.append({"attribute": name, "model": model, "cost": cost, "risk": risk, "error": error})
    data = {
        "version": Assessment.version,
        "source": {
            "name": names[0], "kind": "parquet", "records": 1000, "users": 90, "user": "the user",
            "user_confidence": "likely",
            "records_without_user": 3, "records_of_token_users": 2, "most_records_of_a_user": 40,
            "columns": [
                column("the user", "user", "its name says so", 3) | {"kind": "new"},
                *(column(name, "attribute", f'determined by "{name}"') for name in names),
            ],
            "encoding": None, "digest": {"kind": "sha256", "value": "ab" * 32, "files": 1, "bytes": 5000},
            "where": names[-1], "query": None, "notes": [f'"{names[0]}" was looked at.'],
        },
        "attribute_risk": entries, "known_records": known, "coarser_knowledge": coarser,
        "model_errors": models,
        "single_values": {
            "attribute": names[0],
            "points": [{"cost": 1 + i * i, "risk": 0.1, "error": i / 300} for i in range(200)],
            "distinct_values": 210, "mean_cost": 131.25, "mean_error": 0.073,
        },
        "identifiability": None, "uniqueness": None, **dict.fromkeys(disclosure.PARTS),
        "plausible_attacks": None, "checklist": [],
        "settings": {
            "method": "exact", "k": 5, "samples": 50, "confidence": 0.9, "interval": "confidence",
            "known_records": 4, "draws": 1000, "detailed": 10, "models_of": None, "user": None,
            "attributes": [], "ignore": names[:1], "show_values": False, "roles": {}, "table": None,
            "attached": None, "encoding": None, "header": None, "timezone": "UTC", "read": [], "config": None,
            "only": ["attribute_risk", "identifiability"],
            "levels": {}, "profile": "jo2003", "missing": "none", "missing_tokens": ["?"],
            "compare_missing": True, "max_sets": None, "max_size": None, "time_limit": None,
            "thorough": False, "what_if": None, "currency": "yen", "base": 500, "social_responsibility": 1,
            "post_response": 1, "disclosure": None,
        },
        "environment": {"duckrisk": "0.1.0", "duckdb": "2.0.0", "seed": 0},
        "gates": [
            {"expression": f"attribute_risk[{names[0]}].mean_risk > 0.2", "passed": False, "value": 0.5,
             "where": names[0]},
            {"expression": "source.users < 10", "passed": True, "value": 90, "where": None},
        ],
    }  # fmt: skip
    return {**data, **changes}


def assessed(data: dict[str, Any], **more: Any) -> Assessment:
    """The result of this JSON form, with the checklist that follows from it; sections on disclosure may be in
    part."""
    parts = {name: _loose(data[name]) for name in disclosure.PARTS}
    nothing = {
        "policy": "public",
        "outcome": "undecided",
        "accepted": False,
        **{key: [] for key in JUDGED},
    }
    told = {"uniqueness": None, "sensitive": [], **data, "verdict": nothing, "checklist": []}
    made = typed(Assessment, {**told, **dict.fromkeys(disclosure.PARTS)})
    made = dataclasses.replace(made, **{"statements": STATEMENTS, **more}, **parts)
    return dataclasses.replace(
        made, checklist=make_checklist(made), verdict=judge_assessment(made, policy.Options())
    )


#: The lists of a verdict.
JUDGED = ("findings", "assumptions", "undecided_because", "reservations")
STATEMENTS = (Statement("attribute_risk", "SELECT '<b>'", 0.5),)


def _loose(section: Any) -> Any:
    if isinstance(section, dict):
        made = SimpleNamespace(**{key: _loose(value) for key, value in section.items()})
        made.kinds = lambda: _kinds(section.get("found", ()))
        return made
    return [_loose(entry) for entry in section] if isinstance(section, list) else section


def _kinds(found: Any) -> dict[str, list[str]]:
    together = ("full date", "postal code")
    likely = [entry for entry in found if entry["likely"] and entry["kind"] not in together]
    return {entry["column"]: [entry["kind"]] for entry in likely}


def build(names: list[str], **changes: Any) -> Assessment:
    """An assessment of columns of these names."""
    return assessed(data_of(names, **changes))


def with_values(names: list[str], cell: str, show: bool = True) -> Assessment:
    """The same with a value of a record in each entry, which ``show`` says may be shown."""
    data = data_of(names)
    data["settings"]["show_values"] = show
    for entry in data["attribute_risk"]:
        entry["values"] = [{
            "value": cell, "records": 2, "users": 1, "records_per_user": 2.0, "probability": 0.002,
            "identification_given_value": 1.0, "identification": 0.002,
        }]  # fmt: skip
    return assessed(data)


class Stream(io.TextIOWrapper):
    """A strict stream with an encoding, a terminal or not."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def printed(
    report: Assessment, stream: Stream | None = None, width: int | None = None, full: bool = True
) -> str:
    stream = stream or Stream()
    print_report(report, stream, width, full=full)
    return stream.text()


def squares(line: str) -> int:
    """The cells of a line as Unicode counts them, apart from rich's own tables."""
    marks = ("Mn", "Me")
    return sum(
        1 + (unicodedata.east_asian_width(c) in "WF") for c in line if unicodedata.category(c) not in marks
    )


def squeezed(shown: str) -> str:
    return " ".join(shown.split())
