"""What a report says about special uniques."""

from __future__ import annotations

from typing import Any

from duckrisk.report.disclosure.sets import compared, short
from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, share

_LIMITS = {
    "max_size": "as was asked for",
    "built_in": "since all sizes would take many minutes",
    "time_limit": "and time ended the search before all of these: scores are at least what is said",
}
_MISSING = {
    "value": "a missing cell is a value of its own",
    "wildcard": "a missing cell agrees with every value",
    "none": "a missing cell tells nothing: such a record is looked for by its other attributes",
}
_NO_DIS = {
    "users": "it is about records, and here users are counted.",
    "missing": (
        "it needs to know whom a record agrees with on all attributes, which is not known of a record with a "
        "missing cell where that tells nothing."
    ),
    "time_limit": "time ended the search before it was known who agrees with whom on all attributes.",
}
_SCORES = {
    "elliot": "small sets counting most",
    "ihsn": "small sets counting most, in the variant of the IHSN",
}
_MOST = 10


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``suda``."""
    unit = section["unit"]
    whole = section["users"] if unit == "user" else section["records"]
    size = number(section["max_size"])
    sizes = f"up to {size} attributes"
    if section["limit"] is not None:
        sizes += f", {_LIMITS[section['limit']]}"
    least = "at least " if section["limit"] == "time_limit" else ""
    told = [
        Part(
            f"Of {number(whole)} {unit}s {least}{number(section['scored'])} "
            f"({share(section['scored_share'])}) have a minimal unique: a smallest set of attributes on "
            f"which the {unit} is the only one with these values. There are {least}"
            f"{number(section['minimal_uniques'])}, looked for with {sizes}; "
            f"{_MISSING[section['missing_mode']]}."
        )
    ]
    told += compared(section, (f"{unit}s".capitalize(), "Share", "Minimal uniques"), _cells)
    if not section["scored"]:
        return told
    told.append(
        Part(
            f"The score adds up the minimal uniques of a {unit}, {_SCORES[section['scores']]}: "
            f"{_score(section['score_max'])} at most"
            + (" (users have the score of their highest record)." if unit == "user" else ".")
        )
    )
    if section["dis_max"] is not None:
        assumed = "" if section["fraction_given"] else ", assumed as no other was given with --fraction"
        told.append(
            Part(
                "DIS, the chance that a match of a unique record with the population is right: "
                f"{section['dis_max']:.4g} at most, {section['dis_mean']:.4g} in the mean over scored "
                f"records; the records are taken for {share(section['fraction'])} of the population{assumed}."
            )
        )
    elif section["why_no_dis"] is not None:
        told.append(Part(f"There is no DIS: {_NO_DIS[section['why_no_dis']]}"))
    told.append(Part(table=_sizes(section)))
    told.append(Part(table=_contributions(section)))
    told.append(
        Part(
            "Contribution: the share of all scores from minimal uniques that hold the attribute; the shares "
            "add up to more than 100%, as a set counts for each of its attributes."
        )
    )
    for entry in section["contributions"]:
        if entry["values"]:
            told.append(Part(table=_values(entry)))
    if section["highest"]:
        told.append(Part(table=_highest(section)))
    return told


def _cells(entry: dict[str, Any]) -> tuple[str, ...]:
    """The figures of a rule for missing cells."""
    least = "at least " if entry["limit"] == "time_limit" and entry["scored"] is not None else ""
    return (
        f"{least}{number(entry['scored'])}",
        share(entry["scored_share"]),
        f"{least}{number(entry['minimal_uniques'])}",
    )


def _score(score: int | float) -> str:
    return number(score) if isinstance(score, int) else f"{score:,.6g}"


def _sizes(section: dict[str, Any]) -> Table:
    rows = tuple(
        (number(row["size"]), number(row["minimal_uniques"]), number(row["persons"]))
        for row in section["sizes"]
    )
    return Table(("Attributes", "Minimal uniques", f"{section['unit']}s".capitalize()), rows, (0, 1, 2))


def _contributions(section: dict[str, Any]) -> Table:
    rows = tuple(
        (
            Data(entry["attribute"]),
            share(entry["contribution"]),
            number(entry["minimal_uniques"]),
            number(entry["persons"]),
            number(entry["values_in_uniques"]),
        )
        for entry in section["contributions"]
    )
    return Table(
        ("Attribute", "Contribution", "Uniques", f"{section['unit']}s".capitalize(), "Values"),
        rows,
        (1, 2, 3, 4),
    )


def _values(entry: dict[str, Any]) -> Table:
    rows = tuple(
        (
            Data("missing" if row["value"] is None else row["value"]),
            share(row["contribution"]),
            number(row["minimal_uniques"]),
        )
        for row in entry["values"]
    )
    return Table((Data(entry["attribute"]), "Contribution", "Uniques"), rows, (1, 2))


def _highest(section: dict[str, Any]) -> Table:
    with_dis = section["dis_max"] is not None
    rows = tuple(
        (
            number(row["record"]),
            _score(row["score"]),
            *([f"{row['dis']:.4g}"] if with_dis else []),
            number(row["minimal_uniques"]),
            Data(short(row["sets"][0])),
        )
        for row in section["highest"]
    )
    shown = rows[:_MOST]
    heads = ("Record", "Score", *(["DIS"] if with_dis else []), "Uniques", "Smallest")
    return Table(heads, shown, tuple(range(len(heads) - 1)), len(rows) - len(shown))
