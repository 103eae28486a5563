"""What a report says about class sizes and what an attacker finds by them."""

from __future__ import annotations

from typing import Any

from duckrisk.report.disclosure import figures
from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, probability, share

_RULES = {
    "value": "a value of its own",
    "wildcard": "agrees with all",
    "none": "not known",
}
_MISSING = (
    "A missing cell is a value of its own (value); agrees with every value, both ways (wildcard); or is not "
    "known of its record, whose class is the records that hold all its other values (none)."
)
_READING = (
    "A class is the records that agree on the quasi-identifiers; k is the smallest. A record in a class of f "
    "is found with 1 / f by who knows that it is there (prosecutor). The mean over the records is also the "
    "share that an attacker on all of them names rightly (marketer). Shares are of all records."
)
#: The demanded sizes that are told of, apart from those asked for.
_TOLD = (2, 3, 4, 5, 10, 20, 50, 100)
_MODELS = (("zayatz", "Zayatz"), ("pitman", "Pitman"), ("snb", "SNB"))


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``class_sizes``."""
    chosen = next(one for one in section["rules"] if one["missing"] == section["missing"])
    told = [Part(_first(chosen, section)), _why(section)]
    # Without a missing cell all rules say the same.
    rules = section["rules"] if section["missing_cells"] else [chosen]
    told += [Part(_READING), Part(table=_rules(rules, "records"))]
    if section["missing_cells"]:
        told.append(
            Part(
                f"{number(section['missing_cells'])} cells of {number(section['incomplete_records'])} "
                f"records are missing. {_MISSING}"
            )
        )
    elif section["missing_cells"] == 0:
        told.append(Part("No cell of the quasi-identifiers is missing, so every rule for one says the same."))
    if chosen["records"]:
        told.append(Part("What demanding a k costs", figure=figures.lost(_curves(section, chosen))))
    told.append(Part(table=_lost(chosen, "records")))
    if chosen["records"]:
        told.append(Part("Sizes of the classes", figure=figures.sizes(chosen["distribution"], "records")))
    told.append(Part(table=_distribution(chosen, "records")))
    told += _users(section)
    told += _journalist(section["journalist"])
    told += _uniqueness(section["population_uniqueness"])
    told += _individual(section["individual"], section["household"])
    return told


def _curves(section: dict[str, Any], chosen: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What is lost by each rule for missing cells, where they differ, and of users."""
    rules = [chosen]
    if section["missing_cells"]:
        rules += [one for one in section["rules"] if one is not chosen]
    named = {one["missing"]: f"missing: {one['missing']}" for one in rules} if len(rules) > 1 else {}
    curves = [(named.get(one["missing"], "records"), one["lost"]) for one in rules]
    users = [one for one in section["users"] or [] if one["missing"] == section["missing"]]
    return curves + [("users", one["lost"]) for one in users]


def _first(entry: dict[str, Any], section: dict[str, Any]) -> str:
    return (
        f"k is {number(entry['smallest_class'])}: {number(entry['alone'])} of {number(entry['records'])} "
        f"records ({share(entry['share_alone'])}) agree with no other one on "
        f"{len(section['quasi_identifiers'])} quasi-identifiers, a missing cell being "
        f"{_being(entry['missing'])}."
    )


def _being(rule: str) -> str:
    return "one that agrees with all" if rule == "wildcard" else _RULES[rule]


def _why(section: dict[str, Any]) -> Part:
    rows = tuple((Data(one["column"]), Data(_cut(one["reason"]))) for one in section["quasi_identifiers"])
    return Part(table=Table(("Quasi-identifier", "Why"), rows))


def _cut(text: str) -> str:
    return text if len(text) <= 48 else f"{text[:45]}..."


def _rules(entries: list[dict[str, Any]], unit: str) -> Table:
    rows = tuple(
        (
            entry["missing"],
            number(entry["smallest_class"]),
            number(entry["classes"]),
            number(entry["alone"]),
            share(entry["share_alone"]),
            probability(entry["highest_risk"]),
            probability(entry["average_risk"]),
        )
        for entry in entries
    )
    heads = ("Missing", "k", "Classes", f"{unit.capitalize()} alone", "Share", "Highest", "Mean risk")
    return Table(heads, rows, (1, 2, 3, 4, 5, 6))


def _lost(entry: dict[str, Any], unit: str) -> Table:
    told = {row["class_size"] for row in entry["below"]} | set(_TOLD)
    every = {row["class_size"]: row for row in (*entry["lost"], *entry["below"])}
    sizes = sorted(told & every.keys())
    # More than all cannot be lost.
    last = next((place for place, size in enumerate(sizes) if every[size]["share"] == 1), len(sizes))
    rows = tuple(
        (number(size), number(every[size]["records"]), share(every[size]["share"]))
        for size in sizes[: last + 1]
    )
    return Table(("k demanded", f"{unit.capitalize()} lost", "Share"), rows, (0, 1, 2))


def _distribution(entry: dict[str, Any], unit: str) -> Table:
    rows = tuple(
        (
            figures.named(band),
            number(band["classes"]),
            number(band["records"]),
            share(band["share"]),
        )
        for band in entry["distribution"]
    )
    return Table(
        (f"{unit.capitalize()} in the class", "Classes", unit.capitalize(), "Share"), rows, (0, 1, 2, 3)
    )


def _users(section: dict[str, Any]) -> list[Part]:
    entries, missing = section["users"], bool(section["missing_cells"])
    if not entries:
        return []
    first = next((one for one in entries if one["missing"] == section["missing"]), entries[0])
    rules = (
        "With a wildcard users agree who have as many records and as many that agree with each of the "
        "other's; with none where the other has as many records that hold each known part. Either rules out "
        "a little less than comparing all records at once would."
    )
    return [
        Part("Users by their whole profile", 3),
        Part(
            f"By their whole profile, which is all their records on the quasi-identifiers, "
            f"{number(first['alone'])} of {number(first['records'])} users ({share(first['share_alone'])}) "
            f"are alone, a missing cell being {_being(first['missing'])}. Two users agree where they have "
            "the same records, each as often. Records without a user are left out."
        ),
        *([Part(rules)] if missing and len(entries) > 1 else []),
        Part(table=_rules(entries if missing else [first], "users")),
        Part(table=_lost(first, "users")),
        Part(table=_distribution(first, "users")),
    ]


def _journalist(found: dict[str, Any] | None) -> list[Part]:
    if found is None:
        return []
    by = {
        "population": f"Among the {number(_whole(found['people']))} people of the population",
        "fraction": "Where each class is larger in the population by the fraction of it that is here",
    }[found["by"]]
    told = [
        Part("Who is looked for among a population", 3),
        Part(
            f"{by}, {number(found['records'])} records are found with a chance of at most "
            f"{probability(found['highest_risk'])} and {probability(found['average_risk'])} on average "
            f"(journalist; {probability(found['marketer_risk'])} by marketer). k-map is "
            f"{number(_whole(found['k_map']))}: so many people are in the smallest class that has a record."
        ),
    ]
    if found["delta_most"] is not None:
        told.append(
            Part(
                f"Of the people of a class, {share(found['delta_least'])} to {share(found['delta_most'])} "
                "are in the table (delta-presence)."
            )
        )
    if found["records_beyond"]:
        told.append(
            Part(
                f"Records without a counterpart in the population: {number(found['records_beyond'])}. So it "
                "lacks people who are in the table; their classes count with the size in the table."
            )
        )
    rows = tuple(
        (number(row["class_size"]), number(row["records"]), share(row["share"])) for row in found["below"]
    )
    told.append(Part(table=Table(("People below", "Records", "Share"), rows, (0, 1, 2))))
    return told


def _whole(value: float | None) -> int | float | None:
    return int(value) if value is not None and value == int(value) else value


def _uniqueness(found: dict[str, Any] | None) -> list[Part]:
    if found is None:
        return []
    rows = tuple(
        (name, share(found[key]) if found[key] is not None else "no solution") for key, name in _MODELS
    )
    rule = dict(_MODELS).get(found["dankar_model"])
    said = f"Dankar's rule takes {rule}: {share(found['dankar'])}." if rule else "No record is alone."
    if found["pitman_alpha"] == 0:
        said += " Pitman's model is likeliest at its edge alpha = 0, so it is Ewens' model here."
    return [
        Part("Who is unique in the population", 3),
        Part(
            f"If the {number(found['records'])} records are {share(found['fraction'])} of the population, "
            f"{number(_whole(found['people']))} people, models estimate the share of it that is unique. "
            f"{said} A missing cell is a value of its own there."
        ),
        Part(table=Table(("Model", "Unique people"), rows, (1,))),
    ]


def _expected(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


def _individual(found: dict[str, Any] | None, household: dict[str, Any] | None) -> list[Part]:
    if found is None and household is None:
        return []
    told = [Part("Individual and household risk", 3)]
    if found is not None:
        by = "the survey weights" if found["by"] == "weight" else "the fraction"
        told.append(
            Part(
                f"By {by} (Benedetti and Franconi) a record is found with "
                f"{probability(found['average_risk'])} on average, {probability(found['highest_risk'])} at "
                f"most; {_expected(found['expected_found'])} of {number(found['records'])} records "
                "would be found. From classes of 3 on that is sdcMicro's approximation; exactly it is "
                f"{probability(found['average_exact_risk'])} on average."
            )
        )
        if found["unweighted_records"]:
            told.append(
                Part(
                    f"{number(found['unweighted_records'])} records have no weight above 0; each stands for "
                    "itself alone."
                )
            )
    if household is not None:
        told.append(
            Part(
                f"Whoever finds one of a household finds all of it: in {number(household['households'])} "
                f"households a record is found with {probability(household['average_risk'])} on average, "
                f"{probability(household['highest_risk'])} at most; records without a household are one each."
            )
        )
    return told
