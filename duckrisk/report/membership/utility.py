"""A finished measurement of utility by the contest's indices, and the forms it can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duckrisk.report.parts import Part, Report
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number
from duckrisk.session import Statement

_WORDS = {
    "histogram": "histogram",
    "covariance": "covariance (VCM)",
    "correlation": "correlation",
    "trees": "trees",
}
_READING = (
    "An index is 1 where nothing differs. Histogram: counts of values, as they are, so that a release of "
    "another size loses. Covariance: 1 / the largest sum of differences of a dummy's covariances. "
    "Correlation: 1 - the largest difference of the correlation of two dummies. Tree: how alike the "
    "predictions of a tree learnt from the release and one learnt from the original are (F-measure).",
    "These indices say what a release serves for; they say nothing of whose records are in it.",
)


@dataclass(frozen=True, repr=False)
class Utility(Report):
    """The indices of releases. ``data["releases"]`` has an entry for each: ``histogram``, ``covariance``,
    ``correlation`` and ``trees`` (None: not measured, ``trees_not_measured`` says why), and in ``rounds`` for
    each round its thresholds and whether the release passes; documented in
    ``duckrisk/report/membership/utility_schema.json``."""

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()

    @property
    def releases(self) -> list[dict[str, Any]]:
        """The figures of each release, in the order they were named."""
        found: list[dict[str, Any]] = self.data["releases"]
        return found

    def title(self) -> str:
        original = self.data["original"]
        return f'How like releases are to "{original["name"]}", {number(original["records"])} records'

    def parts(self) -> list[Part]:
        """What is told of each release."""
        made: list[Part] = []
        for entry in self.releases:
            made.append(Part(f"{entry['name']}, {number(entry['records'])} records", 2))
            made.append(Part("; ".join(_verdict(entry, name) for name in entry["rounds"]) + "."))
            made.append(Part(table=_indices(entry)))
            made += [Part(sentence) for sentence in _worst(entry)]
            if entry["trees_not_measured"] is not None:
                made.append(Part(f"The trees were not measured, {_because(entry['trees_not_measured'])}."))
        return [*made, *(Part(sentence) for sentence in _READING)]


def _because(reason: str) -> str:
    return f"because there is {reason}" if reason.startswith("no ") else f"because {reason}"


def _verdict(entry: dict[str, Any], name: str) -> str:
    found = entry["rounds"][name]
    failed = [check["index"] for check in found["checks"] if check["passed"] is False]
    if failed:
        return f"{name} round: FAILED ({', '.join(_WORDS.get(each, each) for each in failed)})"
    return f"{name} round: " + ("passed" if found["passed"] else "open, not everything was measured")


def _indices(entry: dict[str, Any]) -> Table:
    rows = [
        _row(entry, index, entry[index]["value"], entry[index].get("infinite", False))
        for index in ("histogram", "covariance", "correlation")
    ]
    for tree in entry["trees"] or []:
        name = f"tree {tree['attribute']}"
        label = f"{name} = {tree['positive']}"
        rows.append(_row(entry, name if tree["judged"] else "", tree["value"], False, label))
    if entry["trees"] is None:
        rows.append(
            ("trees", "not measured", *(_threshold(entry, name, "trees") for name in entry["rounds"]))
        )
    heads = ("Index", "Value", *(f"{name.capitalize()} round" for name in entry["rounds"]))
    return Table(heads, tuple(rows), (1,))


def _row(
    entry: dict[str, Any], index: str, value: float | None, infinite: bool, label: str | None = None
) -> tuple[Any, ...]:
    shown = "infinite" if infinite else figure(value)
    rounds = (_threshold(entry, name, index) for name in entry["rounds"])
    return (Data(label or _WORDS[index]), shown, *rounds)


def _threshold(entry: dict[str, Any], name: str, index: str) -> str:
    for check in entry["rounds"][name]["checks"]:
        if check["index"] == index:
            word = {True: "passed", False: "FAILED", None: "not measured"}[check["passed"]]
            return f"{word} (at least {check['threshold']:g})"
    return "-"


def figure(value: float | None) -> str:
    """An index, never rounded up to 1."""
    if value is None:
        return "-"
    text = f"{value:.6f}"
    return "> 0.999999" if text == "1.000000" and value < 1 else text


def _worst(entry: dict[str, Any]) -> list[str]:
    made = []
    far = max(entry["histogram"]["attributes"], key=lambda each: each["distance"])
    if far["distance"]:
        made.append(f'The counts of "{far["attribute"]}" are furthest apart: {number(far["distance"])}.')
    found = entry["covariance"]
    if found["largest_sum"]:
        dummy = _dummy(found["attribute"], found["category"])
        made.append(f"The covariances of {dummy} differ most: {found['largest_sum']:.6g} together.")
    found = entry["correlation"]
    if found["difference"]:
        pair = (
            _dummy(found["first_attribute"], found["first_category"]),
            _dummy(found["second_attribute"], found["second_category"]),
        )
        made.append(
            f"The correlation of {pair[0]} and {pair[1]} differs most, by {found['difference']:.6f}; in the "
            f"mean the index would be {figure(found['mean_value'])}."
        )
    return made


def _dummy(attribute: str, category: str | None) -> str:
    return f'"{attribute}"' if category is None else f'"{attribute}" = "{category}"'
