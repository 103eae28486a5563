"""Special uniques: the published examples, Adult's figures, and brute force over all sets."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.measures.disclosure import attribute_sets, minimal_keys, suda
from duckrisk.measures.sets import costs
from tests import sections
from tests.command import command
from tests.lattice_oracle import (
    RULES,
    Drawn,
    Row,
    agreeing,
    drawn,
    drawn_tables,
    measured,
    minimal_uniques,
    of_file,
    of_statement,
    same_by_other_rules,
    tables_of_words,
    wide,
)
from tests.shared_data import shared
from tests.tables import LIGHTER, thinned

pytestmark = pytest.mark.slow
GUIDELINE = [
    ("urban", "female", "secondary incomplete", "employed"),
    ("urban", "female", "secondary incomplete", "employed"),
    ("urban", "female", "primary incomplete", "non-LF"),
    ("urban", "male", "secondary complete", "employed"),
    ("rural", "female", "secondary complete", "unemployed"),
    ("urban", "male", "secondary complete", "employed"),
    ("urban", "female", "primary complete", "non-LF"),
    ("urban", "male", "post-secondary", "unemployed"),
    ("urban", "female", "secondary incomplete", "non-LF"),
    ("urban", "female", "secondary incomplete", "non-LF"),
]
NAMES = ("residence", "gender", "education", "labor")


def by_record(section: dict[str, Any], key: str) -> dict[int, Any]:
    return {entry["record"]: entry[key] for entry in section["highest"]}


def test_the_example_of_the_guideline(tmp_path: Path) -> None:
    section = measured(suda.measure, tmp_path, NAMES, GUIDELINE, show_values=True)
    assert by_record(section, "score") == {5: 12, 8: 10, 3: 6, 7: 6}
    assert [round(100 * entry["contribution"], 4) for entry in section["contributions"]] == [
        23.5294, 17.6471, 64.7059, 23.5294,
    ]  # fmt: skip
    risks = by_record(section, "dis")
    known = {3: 0.004986797661, 5: 0.011383006514, 7: 0.004986797661, 8: 0.009166678869}
    # sdcMicro's figures have the precision of single floats.
    assert all(math.isclose(risks[record], risk, rel_tol=1e-7) for record, risk in known.items())
    matched = 4 * 0.01 / (4 * 0.01 + 6 * 0.99)
    spread = sum(score**-1.2 for score in (6, 12, 6, 10))
    exact = 1 / (1 + (4 / matched - 4) / (12**1.2 * spread))
    assert math.isclose(risks[5], exact, rel_tol=1e-12)
    assert (section["unique_on_all"], section["in_pairs"], section["fraction"]) == (4, 6, 0.01)
    assert section["highest"][0]["sets"][0] == ["residence"]
    assert section["highest"][0]["cells"]["residence"] == "rural"
    assert section["contributions"][0]["values"][0]["value"] == "rural"
    tenth = by_record(measured(suda.measure, tmp_path, NAMES, GUIDELINE, fraction=0.1), "dis")
    expected = {3: 0.05224921880, 5: 0.11241668840, 7: 0.05224921880, 8: 0.09236653669}
    assert all(math.isclose(tenth[record], risk, rel_tol=1e-6) for record, risk in expected.items())


def test_the_scores_of_the_ihsn(tmp_path: Path) -> None:
    section = measured(suda.measure, tmp_path, NAMES, GUIDELINE, suda_scores="ihsn", show_values=True)
    assert by_record(section, "score") == {5: 3.25, 8: 2.75, 3: 1.75, 7: 1.75}
    assert (section["score_total"], section["score_max"]) == (9.5, 3.25)
    known = {3: 0.005120313, 5: 0.010702061, 7: 0.005120313, 8: 0.008775093}
    assert {record: round(risk, 9) for record, risk in by_record(section, "dis").items()} == known
    assert "in the variant of the IHSN: 3.25 at most" in sections.told(section)


def test_what_the_report_says(tmp_path: Path) -> None:
    section = measured(suda.measure, tmp_path, NAMES, GUIDELINE, show_values=True)
    assert "Of 10 records 4 (40.0%) have a minimal unique" in sections.told(section)


def test_values_are_told_only_to_whoever_asks(tmp_path: Path) -> None:
    section = measured(suda.measure, tmp_path, NAMES, GUIDELINE)
    assert not any(value in json.dumps(section) for row in GUIDELINE for value in row)


def test_three_records(tmp_path: Path) -> None:
    rows = [("2", "0", "0"), ("1", "3", "6"), ("1", "0", "0")]
    section = measured(suda.measure, tmp_path, ("a", "b", "c"), rows)
    assert by_record(section, "score") == {1: 2, 2: 4, 3: 2}
    assert [entry["contribution"] for entry in section["contributions"]] == [0.5, 0.375, 0.375]
    assert by_record(section, "sets") == {1: [["a"]], 2: [["b"], ["c"]], 3: [["a", "b"], ["a", "c"]]}


def test_one_record_is_unique_on_every_attribute(tmp_path: Path) -> None:
    section = measured(suda.measure, tmp_path, ("a", "b", "c"), [("x", "y", "x")])
    assert section["highest"][0]["sets"] == [["a"], ["b"], ["c"]]


def test_a_missing_cell_that_agrees_with_all(tmp_path: Path) -> None:
    rows = [("1", "x"), ("2", None), ("2", "y"), (None, "x")]
    section = measured(suda.measure, tmp_path, ("a", "b"), rows, missing="wildcard")
    # The fourth agrees on a with all, the second on b; the first with the fourth on both, the second and the
    # third as well; so do the second and the fourth. The third alone agrees with nobody but the second.
    nothing = ("scored", "scored_records", "minimal_uniques", "score_total", "score_max", "score_mean")
    assert [section[name] for name in nothing] == [0, 0, 0, 0, None, None]
    rows[3] = ("3", "x")
    section = measured(suda.measure, tmp_path, ("a", "b"), rows, missing="wildcard", show_values=True)
    assert {entry["record"]: entry["sets"] for entry in section["highest"]} == {1: [["a"]], 4: [["a"]]}
    # Two agree with nobody, two with one other record: D = 2 / (2 + 2 * 99), and the scores are equal.
    assert (section["unique_on_all"], section["in_pairs"], section["no_dis_reason"]) == (2, 2, None)
    assert math.isclose(section["dis_max"], 1 / (1 + (2 / 0.01 - 2) / 2), rel_tol=1e-12)
    # Three agree with nobody: D = 3 / (3 + 2 * 99).
    more = measured(suda.measure, tmp_path, ("a", "b"), [*rows, ("4", "x")], missing="wildcard")
    assert (more["unique_on_all"], more["in_pairs"]) == (3, 2)
    assert math.isclose(more["dis_max"], 3 / 201, rel_tol=1e-12)
    # Nobody agrees with anybody: every match is the right one.
    apart = measured(suda.measure, tmp_path, ("a", "b"), [("1", "x"), ("2", None)], missing="wildcard")
    assert (apart["unique_on_all"], apart["in_pairs"], apart["dis_max"]) == (2, 0, 1)
    assert "a missing cell agrees with every value" in sections.told(section)


INCOMPLETE = [*GUIDELINE, ("urban", None, None, "employed"), (None, "male", None, "employed")]


@pytest.mark.slow
def test_the_rules_are_compared_where_that_is_asked_for(tmp_path: Path) -> None:
    plain = measured(suda.measure, tmp_path, NAMES, INCOMPLETE)
    assert plain["other_rules"] == []
    assert "4 cells of these attributes are missing; --compare-missing shows" in sections.told(plain)
    compared = measured(suda.measure, tmp_path, NAMES, INCOMPLETE, compare_missing=True)
    assert {**compared, "other_rules": []} == plain
    assert [row[0] for row in sections.rows(compared)] == ["value", "wildcard", "none"]
    for rule, row in zip(RULES, sections.rows(compared), strict=True):
        own = measured(suda.measure, tmp_path, NAMES, INCOMPLETE, missing=rule)
        assert row[1:] == _row(own)


def _row(section: dict[str, Any]) -> tuple[str, ...]:
    scored, uniques = section["scored"], section["minimal_uniques"]
    return (str(scored), f"{100 * section['scored_share']:.1f}%", str(uniques), "all sizes")


@pytest.mark.parametrize("measure", [suda.measure, attribute_sets.measure, minimal_keys.measure])
def test_the_other_rules_have_what_is_left_of_the_time(measure: Any, tmp_path: Path) -> None:
    section = measured(measure, tmp_path, NAMES, INCOMPLETE, compare_missing=True, time_limit=1e-9)
    assert [entry["missing"] for entry in section["other_rules"]] == ["wildcard", "none"]
    for entry in section["other_rules"]:
        assert (entry["complete"], entry["limit"], entry["max_size"]) == (False, "time_limit", None)
    searched = ["time ended it", "no time left", "no time left"]
    assert [row[-1] for row in sections.rows(section, int(measure is minimal_keys.measure))] == searched
    assert "What the rules for missing cells change" in sections.told(section)


@pytest.mark.parametrize("measure", [suda.measure, attribute_sets.measure, minimal_keys.measure])
def test_a_rule_that_cannot_be_searched_by_says_so(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "MOST_WILDCARD_PAIRS", 3)
    section = measured(measure, tmp_path, NAMES, INCOMPLETE, compare_missing=True, max_size=1)
    wildcard, none = section["other_rules"]
    assert (wildcard["complete"], wildcard["limit"]) == (False, "patterns")
    assert (none["complete"], none["limit"], none["max_size"]) == (False, "max_size", 1)
    by_rule = sections.rows(section, int(measure is minimal_keys.measure))
    assert [row[-1] for row in by_rule][1:] == ["too many ways", "to size 1"]


@pytest.mark.slow
def test_the_settings_reach_every_form_of_the_report(tmp_path: Path) -> None:
    measured(suda.measure, tmp_path, NAMES, INCOMPLETE)  # writes the file
    path = tmp_path / "records.parquet"
    settings = tmp_path / "duckrisk.toml"
    settings.write_text('[disclosure]\ncompare_missing = true\nsuda_scores = "ihsn"\n')
    asked = ["assess", str(path), "--user", "", "--only", "suda", "--quiet", "--format", "json"]
    for options in (["--compare-missing", "--suda-scores", "ihsn"], ["--config", str(settings)]):
        found = command(*asked, *options).json
        assert found["settings"]["disclosure"]["compare_missing"] is True
        assert [entry["missing"] for entry in found["suda"]["other_rules"]] == ["wildcard", "none"]
        assert found["suda"]["scores"] == "ihsn"
    report = duckrisk.assess(path, user="", only=["suda"], compare_missing=True, suda_scores="ihsn")
    assert report.data["suda"] == found["suda"]
    for text in (report.to_markdown(), report.to_html()):
        assert "What the rules for missing cells change" in text
        assert "wildcard" in text
    with pytest.raises(UsageError, match='suda_scores must be elliot or ihsn, not "mine"'):
        duckrisk.assess(path, only=["suda"], suda_scores="mine")


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_time_ends_the_search(missing: str, tmp_path: Path) -> None:
    rows = [*GUIDELINE, ("urban", None, None, "employed")]
    section = measured(suda.measure, tmp_path, NAMES, rows, missing=missing, time_limit=1e-9)
    assert (section["complete"], section["limit"], section["minimal_uniques"]) == (False, "time_limit", 0)
    assert "Of 11 records at least 0 (0%)" in sections.told(section)


def weight(scores: str, size: int, count: int, most: int) -> Fraction:
    """The score of a minimal unique."""
    if scores == "ihsn":
        return Fraction(2 ** (count - size) - 1, math.comb(count, size))
    return Fraction(math.prod(count - one for one in range(size, min(most, count - 1) + 1)))


def oracle(
    rows: list[Row], users: list[Any], missing: str, most: int, kind: str = "elliot"
) -> dict[str, Any]:
    """Scores by person, minimal uniques by size, and what each attribute takes part in."""
    found = minimal_uniques(rows, users, missing, most)
    count = len(rows[0])
    weights = [weight(kind, size, count, most) for size in range(1, count + 1)]
    scores = {
        number: sum((weights[len(inside) - 1] for inside in sets), Fraction(0))
        for number, sets in found.items()
        if sets
    }
    persons: dict[Any, Fraction] = {}
    for number, score in scores.items():
        persons[users[number]] = max(persons.get(users[number], Fraction(0)), score)
    # Alike records of a person are one combination.
    each = {(users[number], rows[number]): sets for number, sets in found.items() if sets}
    sizes = Counter(len(inside) for sets in each.values() for inside in sets)
    parts = [sum(place in inside for sets in each.values() for inside in sets) for place in range(count)]
    total = sum(weights[len(inside) - 1] for sets in each.values() for inside in sets)
    shares = [
        float(sum(weights[len(one) - 1] for sets in each.values() for one in sets if place in one) / total)
        if total
        else None
        for place in range(count)
    ]
    return {
        "scored": len(persons),
        "scored_records": len(scores),
        "score_total": float(sum(persons.values())),
        "score_max": float(max(persons.values())) if persons else None,
        "score_mean": float(sum(persons.values(), Fraction(0)) / len(persons)) if persons else None,
        "minimal_uniques": sum(sizes.values()),
        "sizes": dict(sorted(sizes.items())),
        "parts": parts,
        "shares": shares,
    }


def risks(rows: list[Row], missing: str, kind: str, most: int, fraction: float) -> dict[int, float]:
    """DIS of each record, by its number from 1 on, from who agrees with whom on all attributes."""
    count = len(rows[0])
    numbers = list(range(len(rows)))
    alike = [len(others) for others in agreeing(rows, tuple(range(count)), missing).values()]
    scores = {
        number: float(sum(weight(kind, len(one), count, most) for one in sets if len(one) <= most))
        for number, sets in minimal_uniques(rows, numbers, missing).items()
        if any(len(one) <= most for one in sets)
    }
    power = 1 + (8 - count) / 20
    spread = sum(score**-power for score in scores.values() if score)
    factor = alike.count(2) * (1 - fraction) / fraction  # U / D - U
    return {
        number + 1: 1 / (1 + factor / (score**power * spread)) if score else 0.0
        for number, score in scores.items()
    }


def assert_lists(
    section: dict[str, Any],
    rows: list[Row],
    users: list[Any],
    found: dict[int, list[tuple[int, ...]]],
    kind: str,
) -> None:
    """The sets, the parts of attributes and values, and the records that a section lists."""
    count, most = len(rows[0]), section["max_size"]
    # Alike records of a person are one combination.
    each = {(users[number], rows[number]): sets for number, sets in found.items()}
    holders = [(inside, who, row) for (who, row), sets in each.items() for inside in sets]
    names = section["attributes"]
    known = Counter(inside for inside, _, _ in holders)
    for entry in section["sets"]:
        inside = tuple(names.index(name) for name in entry["attributes"])
        assert entry["minimal_uniques"] == known[inside]
        assert entry["persons"] == len({who for one, who, _ in holders if one == inside})
    assert len(section["sets"]) == min(len(known), 50)
    total = sum(weight(kind, len(inside), count, most) for inside, _, _ in holders)
    for place, entry in enumerate(section["contributions"]):
        here = [one for one in holders if place in one[0]]
        assert entry["persons"] == len({who for _, who, _ in here})
        parts = {}
        for value in {row[place] for _, _, row in here}:
            of_value = [one for one in here if one[2][place] == value]
            score = sum(weight(kind, len(inside), count, most) for inside, _, _ in of_value)
            part = float(score / total) if total else None
            parts[value] = (part, len(of_value), len({who for _, who, _ in of_value}))
        assert entry["values_in_uniques"] == len(parts)
        shares = [part for part, _, _ in parts.values() if part is not None]
        assert entry["highest_value_contribution"] == max(shares, default=None)
        if entry["values"] is not None:
            listed = {
                value["value"]: (value["contribution"], value["minimal_uniques"], value["persons"])
                for value in entry["values"]
            }
            assert listed.items() <= parts.items()
            assert len(listed) == min(len(parts), 10)
    for entry in section["highest"]:
        sets = sorted(found[entry["record"] - 1], key=lambda one: (len(one), sum(2**place for place in one)))
        assert entry["sets"] == [[names[place] for place in inside] for inside in sets[:10]]
        assert entry["minimal_uniques"] == len(sets)


def figures(section: dict[str, Any]) -> dict[str, Any]:
    same = ("scored", "scored_records", "score_total", "score_max", "score_mean", "minimal_uniques")
    return {
        **{key: section[key] for key in same},
        "sizes": {row["size"]: row["minimal_uniques"] for row in section["sizes"]},
        "parts": [entry["minimal_uniques"] for entry in section["contributions"]],
        "shares": [entry["contribution"] for entry in section["contributions"]],
    }


@given(
    table=drawn_tables() | tables_of_words(),
    rule=st.sampled_from(RULES),
    kind=st.sampled_from(["elliot", "ihsn"]),
    most=st.integers(1, 4),
    fraction=st.sampled_from([0.01, 0.25, 1.0]),
    small=st.sampled_from([0, 0.5, 3]),
)
@LIGHTER
def test_all_minimal_uniques_by_every_rule(
    table: Drawn,
    rule: str,
    kind: str,
    most: int,
    fraction: float,
    small: float,
    tmp_path: Path,
) -> None:
    most = min(most, table.count)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(costs, "COMPARED_GROUPS", small)
        settings = {"missing": rule, "max_size": most, "suda_scores": kind, "fraction": fraction}
        section = table.measured(suda.measure, tmp_path, show_values=True, **settings)
    expected = oracle(table.whole, table.users, rule, most, kind)
    assert figures(section) == expected
    assert section["scored_share"] == float(Fraction(expected["scored"], table.persons))
    assert_lists(
        section, table.whole, table.users, minimal_uniques(table.whole, table.users, rule, most), kind
    )
    if section["no_dis_reason"] is None:
        known = risks(table.whole, rule, kind, most, fraction)
        found = by_record(section, "dis")
        assert found.keys() == known.keys()
        assert all(math.isclose(found[record], risk, rel_tol=1e-12) for record, risk in known.items())
        assert section["dis_max"] == max(found.values(), default=None)
    else:
        assert section["no_dis_reason"] == ("users" if section["unit"] == "user" else "missing")
        assert (section["dis_max"], section["fraction"]) == (None, None)

    def told(other: str) -> dict[str, Any]:
        same = oracle(table.whole, table.users, other, most, kind)
        return {
            "scored": same["scored"],
            "scored_share": float(Fraction(same["scored"], table.persons)),
            "minimal_uniques": same["minimal_uniques"],
            "max_size": most,
            "complete": most == table.count,
            "limit": None if most == table.count else "max_size",
        }

    same_by_other_rules(table, section, rule, told)
    assert "minimal unique" in sections.told(section)


@pytest.mark.parametrize("seed", [2, 7, 15])
def test_all_minimal_uniques_of_random_tables(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "COMPARED_GROUPS", (0, 0.5, 3)[seed % 3])  # both ways to look at a class
    monkeypatch.setattr(costs, "LATTICE_PAIRS", (50, 1_500_000)[seed % 2])
    monkeypatch.setattr(costs, "WILDCARD_PAIRS", 50 if seed == 12 else 2_000_000)
    count = 3 + seed % 6
    missing = "wildcard" if seed > 10 else "none" if seed % 4 == 3 else "value"
    rows = drawn(seed, count, 40, 6, missing=0.15 if seed % 2 or seed > 10 else 0.0)
    most = count if seed % 3 else 2
    several = seed in (2, 5, 7, 9, 12, 15)
    users = [f"u{number // 3 if several else number}" for number in range(len(rows))]
    columns = ["who", *(f"a{place}" for place in range(count))]
    section = measured(
        suda.measure,
        tmp_path,
        columns,
        [(user, *row) for user, row in zip(users, rows, strict=True)],
        user="who",
        missing=missing,
        max_size=None if most == count else most,
    )
    assert section["unit"] == ("user" if several else "record")
    assert figures(section) == oracle(rows, users, missing, most)


@pytest.mark.parametrize("words", [2, 3])
def test_columns_that_fill_several_words(words: int, tmp_path: Path) -> None:
    columns, rows = wide(words)
    users = list(range(len(rows)))
    section = measured(suda.measure, tmp_path, columns, rows, max_size=2)
    assert figures(section) == oracle(rows, users, "value", 2)
    assert_lists(section, rows, users, minimal_uniques(rows, users, "value", 2), "elliot")


@pytest.mark.parametrize(
    ("most", "low", "missing"), thinned(list(product((2, 6), (0, 2, 6), ("value", "none"))), 3)
)
def test_attributes_that_stand_one_to_one_for_others(
    most: int, low: int, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place by its code and two names, a shop by its number and name, both unknown at times, and a kind."""
    monkeypatch.setattr(costs, "LOW_ATTRIBUTES", low)
    rows: list[Row] = []
    for n in range(50):
        place, shop = (n * n % 11 or None), (n * 7 % 13 % 5 or None)
        names = [None if place is None else f"{word}{place}" for word in ("c", "n", "m")]
        shops = [None if shop is None else f"{word}{shop}" for word in ("s", "t")]
        rows.append((names[0], shops[0], names[1], str(n % 3), shops[1], names[2]))
    columns = [f"a{place}" for place in range(6)]
    section = measured(
        suda.measure, tmp_path, columns, rows, show_values=True, missing=missing, max_size=most
    )
    users = list(range(len(rows)))
    assert figures(section) == oracle(rows, users, missing, most, "elliot")
    assert_lists(section, rows, users, minimal_uniques(rows, users, missing, most), "elliot")


def same_as_the_statement(section: dict[str, Any], path: Path, columns: list[str], most: int) -> None:
    rows = of_statement("suda", path, columns, max_size=most, sampling_fraction=0.01)
    assert len(rows) == section["scored"]
    assert sum(row["score"] for row in rows) == section["score_total"]
    assert sum(row["minimal_uniques"] for row in rows) == section["minimal_uniques"]
    for row, entry in zip(rows, section["highest"], strict=False):
        assert math.isclose(row.pop("dis"), entry["dis"], rel_tol=1e-12)
        smallest = row.pop("attributes")
        assert row == {key: entry[key] for key in ("record", "score", "minimal_uniques")}
        assert smallest == entry["sets"][0]


@pytest.mark.parametrize(("count", "uniques", "total"), [(5, 11_751, 24_935), (8, 20_593, 3_959_696)])
def test_adult_has_the_scores_of_sdcmicro(count: int, uniques: int, total: int) -> None:
    names = (
        "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    )[:count]  # fmt: skip
    section = of_file(suda.measure, shared("adult.parquet"), names)
    assert (section["scored"], section["score_total"]) == (uniques, total)


def test_the_statement_for_the_shell_on_adult() -> None:
    names = ["age", "workclass", "education", "occupation", "sex", "native-country", "hours-per-week"]
    section = of_file(suda.measure, shared("adult.parquet"), names, max_size=2)
    same_as_the_statement(section, shared("adult.parquet"), section["attributes"], 2)


def test_tokens_are_missing_cells(tmp_path: Path) -> None:
    rows = [("1", "x"), ("1", "n/k"), ("n/k", "x"), ("2", "y")]
    plain = [tuple(None if cell == "n/k" else cell for cell in row) for row in rows]
    for missing in ("value", "none", "wildcard"):
        section = measured(suda.measure, tmp_path, ("a", "b"), rows, missing=missing, missing_tokens=("n/k",))
        assert section == measured(suda.measure, tmp_path, ("a", "b"), plain, missing=missing)


@pytest.mark.parametrize(("seed", "small"), [(1, 0), (2, 0.5), (3, 3)])
def test_users_with_alike_combinations(
    seed: int, small: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of a user that agree on some attributes and nobody else's do: the user is unique on these."""
    monkeypatch.setattr(costs, "COMPARED_GROUPS", small)
    monkeypatch.setattr(costs, "LOW_ATTRIBUTES", 2)
    chance = random.Random(seed)
    rows: list[Row] = [tuple(f"v{chance.randrange(2 + place % 2)}" for place in range(5)) for _ in range(9)]
    users = [f"u{chance.randrange(5)}" for _ in rows]
    # Each user's records again, with another value in one attribute.
    for number in range(9):
        place = chance.randrange(5)
        rows.append((*rows[number][:place], "other", *rows[number][place + 1 :]))
        users.append(users[number])
    # What another user has as well is nobody's.
    rows += rows[:6]
    users += ["another"] * 6
    columns = ["who", *(f"a{place}" for place in range(5))]
    records = [(user, *row) for user, row in zip(users, rows, strict=True)]
    section = measured(suda.measure, tmp_path, columns, records, user="who", fraction=0.1)
    assert figures(section) == oracle(rows, users, "value", 5)
