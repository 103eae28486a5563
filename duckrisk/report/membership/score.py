"""A finished score of attacks on membership, and the forms it can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duckrisk.report.membership.figures import curves
from duckrisk.report.parts import Part, Report
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number
from duckrisk.session import Statement

_READING = (
    "Lift: how much oftener a guess is right than one by chance. p: how probable so many hits are by chance. "
    "Safety: 1 - the accuracy of the best attack.",
    "An attack that is no better than chance is void: it says nothing of safety.",
)
_READING_SCORES = (
    "TPR at a FPR: the members that are found where so many of the others at most are taken for members; the "
    "interval is exact (Clopper and Pearson). AUC: 0.5 is chance. Balanced accuracy: where it is "
    "best on these records.",
)


@dataclass(frozen=True, repr=False)
class Score(Report):
    """The score of attacks; ``data`` is documented in ``duckrisk/report/membership/score_schema.json``."""

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()

    def title(self) -> str:
        found = self.data["population"]
        return f'Attacks on membership among the {number(found["records"])} records of "{found["name"]}"'

    def parts(self) -> list[Part]:
        """The league, each submission, and the curves of scores."""
        made: list[Part] = []
        data = self.data
        if data["league"]:
            made += [Part("League table", 2), Part(table=_league(data["league"]))]
        several = len({entry["phase"] for entry in data["submissions"]}) > 1
        for entry in data["submissions"]:
            if not entry["attacks"]:
                continue
            phase = f", {entry['phase']} round" if several else ""
            head = f"{entry['name']}{phase}: {number(entry['members']['records'])} members"
            made += [Part(head, 2), Part(_verdict(entry)), Part(table=_attacks(entry, data))]
        if any(entry["attacks"] for entry in data["submissions"]):
            made += [Part(sentence) for sentence in _READING]
        if data["scores"]:
            made += [Part("Scores", 2), Part(table=_scores(data["scores"]))]
            drawing = curves([(_name(one, data), one) for one in data["scores"]])
            made += [Part("ROC curves", figure=drawing)] if drawing is not None else []
            made.append(Part(table=_rates(data["scores"], data)))
            made += [Part(sentence) for sentence in _few(data["scores"])]
            made += [Part(sentence) for sentence in _READING_SCORES]
        return made


def _verdict(entry: dict[str, Any]) -> str:
    best = f"Safety {entry['safety']:.3f}: the best attack is right in {100 * entry['accuracy']:.1f} %"
    if entry["void"]:
        return (
            f"{best}, no better than chance (p = {_p(entry['p_value'])} over all attacks). That the attacks "
            "are void does not show that the release is safe."
        )
    return f"{best}, better than chance (p = {_p(entry['p_value'])} over all attacks)."


def _name(entry: dict[str, Any], data: dict[str, Any]) -> str:
    """An attacker; where there are several submissions, with that which is attacked."""
    several = len({one["submission"] for one in data["scores"]}) > 1
    return f"{entry['attacker']}@{entry['submission']}" if several else entry["attacker"]


def _p(value: float) -> str:
    return "< 1e-300" if value < 1e-300 else f"{value:.3g}"


def _attacks(entry: dict[str, Any], data: dict[str, Any]) -> Table:
    rows = tuple(
        (
            Data(one["attacker"]),
            f"{number(one['hits'])} of {number(one['guesses'])}",
            f"{one['expected']:.1f}",
            f"{one['lift']:.2f}",
            _p(one["p_value"]),
            f"{one['lower']:.3f} to {one['upper']:.3f}",
            "void" if one["void"] else "better than chance",
        )
        for one in entry["attacks"]
    )
    interval = f"Accuracy, {100 * data['settings']['confidence']:g} %"
    return Table(("Attacker", "Hits", "By chance", "Lift", "p", interval, ""), rows, (1, 2, 3, 4))


def _league(entries: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            Data(one["name"]),
            _decimals(one["overall"]),
            _decimals(one["safety"]),
            _whole(one["safety_rank"]),
            _decimals(one["attack"]),
            _whole(one["attack_rank"]),
        )
        for one in entries
    )
    return Table(("Team", "Overall", "Safety", "Rank", "Attack", "Rank"), rows, (1, 2, 3, 4, 5))


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _whole(value: int | None) -> str:
    return "-" if value is None else str(value)


def _scores(entries: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            Data(one["attacker"]),
            Data(one["submission"]),
            _decimals(one["auc"]),
            _decimals(one["balanced_accuracy"]),
        )
        for one in entries
    )
    return Table(("Attacker", "Submission", "AUC", "Balanced accuracy"), rows, (2, 3))


def _rates(entries: list[dict[str, Any]], data: dict[str, Any]) -> Table:
    rows = tuple(
        (
            Data(one["attacker"]),
            Data(one["submission"]),
            f"{rate['fpr']:g}",
            _decimals(rate["tpr"]),
            f"{rate['lower']:.4f} to {rate['upper']:.4f}",
            f"{number(rate['true_positives'])} of {number(rate['members'])}",
        )
        for one in entries
        for rate in one["rates"]
    )
    interval = f"{100 * data['settings']['confidence']:g} %"
    return Table(("Attacker", "Submission", "FPR", "TPR", interval, "Found"), rows, (2, 3, 5))


def _few(entries: list[dict[str, Any]]) -> list[str]:
    """That there are too few others for a low rate to be told."""
    others = min(one["others"] for one in entries)
    rates = [rate["fpr"] for rate in entries[0]["rates"] if rate["fpr"] * others < 1]
    if not rates:
        return []
    told = ", ".join(f"{rate:g}" for rate in rates)
    return [f"With {number(others)} others an FPR of {told} allows no false alarm at all."]
