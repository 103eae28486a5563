"""Every attribute set: ARX's figures, brute force over all sets, and intervals of samples."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.measures.disclosure import attribute_sets
from duckrisk.measures.sets import costs
from tests import sections
from tests.lattice_oracle import (
    RULES,
    Drawn,
    Row,
    agreeing,
    classes,
    drawn,
    drawn_tables,
    measured,
    of_file,
    of_statement,
    same_by_other_rules,
    sets,
    singled,
    tables_of_words,
    wide,
)
from tests.shared_data import shared
from tests.tables import LIGHTER, connect, make, run, tell, thinned

pytestmark = pytest.mark.slow


def by_set(section: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {tuple(entry["attributes"]): entry for entry in section["sets"]}


def test_the_toy_of_arx(tmp_path: Path) -> None:
    rows = [("20", "F", "CA"), ("30", "F", "CA"), ("40", "F", "TX"), ("20", "M", "NY"), ("40", "M", "CA")]
    section = measured(attribute_sets.measure, tmp_path, ("age", "sex", "state"), rows)
    found = {key: (e["distinction"], e["separation"]) for key, e in by_set(section).items()}
    assert found == {
        ("sex",): (0.4, 0.6), ("state",): (0.6, 0.7), ("age",): (0.6, 0.8), ("sex", "state"): (0.8, 0.9),
        ("age", "sex"): (1, 1), ("age", "state"): (1, 1), ("age", "sex", "state"): (1, 1),
    }  # fmt: skip
    assert "7 of 7 attribute sets were examined, of up to 3 attributes." in sections.told(section)


def test_a_set_tells_nothing_of_whom_it_lacks_a_cell(tmp_path: Path) -> None:
    rows = [("1", "x", "p"), ("1", "x", None), ("2", "y", None), ("2", "x", "p"), ("2", "x", "q")]
    section = measured(attribute_sets.measure, tmp_path, ("a", "b", "c"), rows, missing="none")
    found = {key: entry["singled_out"] for key, entry in by_set(section).items()}
    # ("2", "y", None) is alone on "b", and no set with "c" says so.
    assert (found[("b",)], found[("a", "b")], found[("b", "c")], found[("a", "b", "c")]) == (1, 1, 1, 3)
    assert "a set of attributes tells nothing of a record that lacks one of them" in sections.told(section)
    assert "looked for by its other" not in sections.told(section)


def test_too_many_ways_of_missing_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MOST_WILDCARD_PAIRS", 3)
    with pytest.raises(UsageError, match=r"compare 2 different records in 2 patterns .* fewer attributes"):
        measured(attribute_sets.measure, tmp_path, ("a",), [("x",), (None,)], missing="wildcard")


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_time_ends_the_search(missing: str, tmp_path: Path) -> None:
    rows = [("x", "y"), (None, "z")]
    section = measured(attribute_sets.measure, tmp_path, ("a", "b"), rows, missing=missing, time_limit=1e-9)
    assert (section["complete"], section["limit"], section["sets_examined"]) == (False, "time_limit", 0)
    assert "Not all were examined: time ended the search." in sections.told(section)


def oracle(rows: list[Row], users: list[Any], missing: str, most: int) -> dict[tuple[int, ...], Any]:
    found = {}
    for inside in sets(len(rows[0]), most):
        number = None if missing == "wildcard" else len(classes(rows, inside, missing))
        members = {who: len(others) for who, others in agreeing(rows, inside, missing).items()}
        n = len(members)
        alone = {users[who] for who in singled(rows, users, inside, missing)}
        apart = 1 - Fraction(sum(members.values()) - n, n * (n - 1)) if n > 1 else None
        found[inside] = (number, apart, len(alone), min(members.values(), default=None))
    return found


def exact(table: Drawn, missing: str, most: int) -> dict[tuple[str, ...], dict[str, Any]]:
    """The figures of each set that somebody has all attributes of, as their nearest doubles."""
    if not any(None in row for row in table.whole):
        missing = "value"  # no classes overlap
    found = {}
    for inside, (number, apart, alone, smallest) in oracle(table.whole, table.users, missing, most).items():
        if smallest is None:
            continue
        records = len(agreeing(table.whole, inside, missing))
        found[tuple(f"a{place}" for place in inside)] = {
            "size": len(inside),
            "classes": number,
            "distinction": None if number is None else float(Fraction(number, records)),
            # Of the share of pairs that agree: what is nearest to it is taken from 1.
            "separation": None if apart is None else 1 - float(1 - apart),
            "singled_out": alone,
            "share_singled_out": float(Fraction(alone, table.persons)),
            "lower": None,
            "upper": None,
            "smallest_class": smallest,
        }
    return found


@pytest.mark.slow
@given(
    table=drawn_tables() | tables_of_words(),
    rule=st.sampled_from(RULES),
    most=st.integers(1, 4),
    portion=st.sampled_from([1, 1_500_000]),
    small=st.sampled_from([0, 0.5, 3]),
)
@LIGHTER
def test_all_sets_by_every_rule(
    table: Drawn, rule: str, most: int, portion: int, small: float, tmp_path: Path
) -> None:
    most = min(most, table.count)
    with pytest.MonkeyPatch.context() as patched:
        for name in ("LATTICE_PAIRS", "WILDCARD_PAIRS"):
            patched.setattr(costs, name, portion)
        patched.setattr(costs, "COMPARED_GROUPS", small)
        section = table.measured(attribute_sets.measure, tmp_path, missing=rule, max_size=most)
    found = {key: {k: v for k, v in e.items() if k != "attributes"} for key, e in by_set(section).items()}
    assert found == exact(table, rule, most)

    def expected(other: str) -> dict[str, Any]:
        limit = None if most == table.count else "max_size"
        return {
            "method": "exact",
            "max_size": most,
            "sets_examined": section["sets_examined"],
            "complete": limit is None,
            "limit": limit,
        }

    same_by_other_rules(table, section, rule, expected)
    for entry in section["other_rules"]:
        known = exact(table, entry["missing"], most)
        for best in entry["best"]:
            names = tuple(best["attributes"])
            own = {key: value for key, value in best.items() if key not in ("attributes", "equals")}
            assert own == known[names]
            ranks = [
                (row["singled_out"], row["classes"]) for row in known.values() if row["size"] == len(names)
            ]
            assert (best["singled_out"], best["classes"]) == max(ranks)
            assert best["equals"] == ranks.count(max(ranks)) - 1
        assert {best["size"] for best in entry["best"]} == {row["size"] for row in known.values()}
    assert "attribute set" in sections.told(section)


@pytest.mark.parametrize("seed", [2, 11])
def test_all_sets_of_random_tables(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "LATTICE_PAIRS", (60, 1_500_000)[seed % 2])
    monkeypatch.setattr(costs, "WILDCARD_PAIRS", 50 if seed == 12 else 2_000_000)
    count = 2 + seed % 10
    missing = "wildcard" if seed > 10 else "none" if seed % 4 == 3 else "value"
    rows = drawn(seed, count, 30, 5, missing=0.15 if seed % 2 or seed > 10 else 0.0)
    several = seed in (2, 5, 7, 12)
    users = [f"u{number // 3 if several else number}" for number in range(len(rows))]
    most = count if seed < 6 else 3
    section = measured(
        attribute_sets.measure,
        tmp_path,
        ["who", *(f"a{place}" for place in range(count))],
        [(user, *row) for user, row in zip(users, rows, strict=True)],
        user="who",
        missing=missing,
        max_size=None if most == count else most,
    )
    found = {tuple(int(name[1:]) for name in names): entry for names, entry in by_set(section).items()}
    expected = oracle(rows, users, missing, most)
    # A set that no record has all attributes of has no class, and is not listed.
    assert set(found) == {inside for inside, figures in expected.items() if figures[3]}
    for inside, entry in found.items():
        number, apart, alone, smallest = expected[inside]
        assert (entry["classes"], entry["singled_out"], entry["smallest_class"]) == (number, alone, smallest)
        assert entry["separation"] == pytest.approx(float(apart)) if apart is not None else True
    assert section["sets_examined"] == len(expected)


@pytest.mark.parametrize(("most", "missing"), thinned([(2, "value"), (5, "value"), (5, "none"), (2, "none")]))
def test_what_an_attribute_determines_is_counted_once(most: int, missing: str, tmp_path: Path) -> None:
    # A place, its name, its region, which some lack, and two other attributes.
    places = [(str(n * 7 % 12), n % 5, n * n % 3) for n in range(60)]
    rows = [(code, f"n{code}", None if int(code) % 3 else "r", *others) for code, *others in places]
    columns = ["a0", "a1", "a2", "a3", "a4"]
    section = measured(attribute_sets.measure, tmp_path, columns, rows, missing=missing, max_size=most)
    expected = oracle(rows, list(range(len(rows))), missing, most)
    assert section["sets_examined"] == len(section["sets"]) == len(expected)
    for names, entry in by_set(section).items():
        number, apart, alone, smallest = expected[tuple(map(columns.index, names))]
        assert (entry["classes"], entry["singled_out"], entry["smallest_class"]) == (number, alone, smallest)
        assert entry["separation"] == pytest.approx(float(apart), abs=1e-12)
        assert entry["size"] == len(names)


@pytest.mark.parametrize(("most", "low"), thinned([(2, 0), (2, 2), (2, 6), (6, 0), (6, 2), (6, 6)]))
def test_attributes_that_stand_one_to_one_for_others(
    most: int, low: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place by its code and two names, a shop by its number and name, both unknown at times, and a kind."""
    monkeypatch.setattr(costs, "LOW_ATTRIBUTES", low)
    rows: list[tuple[str | None, ...]] = []
    for n in range(50):
        place, shop = (n * n % 11 or None), (n * 7 % 13 % 5 or None)
        names = [None if place is None else f"{word}{place}" for word in ("c", "n", "m")]
        shops = [None if shop is None else f"{word}{shop}" for word in ("s", "t")]
        rows.append((names[0], shops[0], names[1], str(n % 3), shops[1], names[2]))
    columns = [f"a{place}" for place in range(6)]
    section = measured(attribute_sets.measure, tmp_path, columns, rows, max_size=most)
    expected = oracle(rows, list(range(len(rows))), "value", most)
    assert section["sets_examined"] == len(section["sets"]) == len(expected)
    for names, entry in by_set(section).items():
        number, apart, alone, smallest = expected[tuple(map(columns.index, names))]
        assert (entry["classes"], entry["singled_out"], entry["smallest_class"]) == (number, alone, smallest)
        assert entry["separation"] == pytest.approx(float(apart), abs=1e-12)
        assert entry["size"] == len(names)


@pytest.mark.parametrize("words", [2, 3])
def test_columns_that_fill_several_words(words: int, tmp_path: Path) -> None:
    columns, rows = wide(words)
    section = measured(attribute_sets.measure, tmp_path, columns, rows, max_size=2)
    expected = oracle(rows, list(range(len(rows))), "value", 2)
    assert section["sets_examined"] == len(section["sets"]) == len(expected)
    for names, entry in by_set(section).items():
        number, apart, alone, smallest = expected[tuple(map(columns.index, names))]
        assert (entry["classes"], entry["singled_out"], entry["smallest_class"]) == (number, alone, smallest)
        assert entry["separation"] == pytest.approx(float(apart), abs=1e-12)


def same_as_the_statement(section: dict[str, Any], path: Path, columns: list[str], most: int) -> None:
    rows = of_statement("attribute_sets", path, columns, max_size=most)
    assert rows == [{key: entry[key] for key in rows[0]} for entry in section["sets"]]


def test_samples_have_intervals_that_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(1, 4, 1_500, 17)
    columns = ["a", "b", "c", "d"]
    whole = by_set(measured(attribute_sets.measure, tmp_path, columns, rows))
    monkeypatch.setattr(costs, "FEWEST_SAMPLED", 0)
    monkeypatch.setattr(costs, "SAMPLED_CLASSES", 4)
    monkeypatch.setattr(costs, "SURVEY_SECONDS", 1e-9)
    monkeypatch.setattr(costs, "SAMPLED_COST", 0)
    monkeypatch.setattr(costs, "SAMPLED_SET_COST", 0)
    section = measured(attribute_sets.measure, tmp_path, columns, rows)
    assert (section["method"], section["one_in"], section["sets_examined"]) == ("sample", 4, 15)
    inside = [
        entry["lower"] <= whole[key]["share_singled_out"] <= entry["upper"]
        for key, entry in by_set(section).items()
    ]
    assert sum(inside) >= 14
    for entry in section["sets"]:
        assert entry["distinction"] == pytest.approx(entry["classes"] / len(rows))
        seen = entry["singled_out"] / 4
        half = 1.959963984540054 * math.sqrt(seen * 3 / 4 + 1)
        assert entry["lower"] == pytest.approx(max(0, (seen - half) * 4 / len(rows)))
        assert entry["upper"] == pytest.approx(min(1, (seen + half + 1) * 4 / len(rows)))
    again = measured(attribute_sets.measure, tmp_path, columns, list(reversed(rows)))
    assert by_set(again) == by_set(section)


def departures(seed: int) -> list[tuple[int | None, int | None, str]]:
    """Return flights whose time of departure mostly equals the scheduled one, and an equal text."""
    chance = random.Random(seed)
    flights: list[tuple[int | None, int | None, str]] = []
    for _ in range(4000):
        planned = seed * 10_000 + chance.randrange(2000)
        late = 0 if chance.random() < 0.7 else chance.randrange(300)
        flights.append((None if chance.random() < 0.02 else planned + late, planned, str(planned)))
    return flights


def sample_sets(folder: Path, patched: pytest.MonkeyPatch, rows: list[Any], one_in: int) -> dict[str, Any]:
    """Measure three attributes by a sample of one class in ``one_in``, however few there are."""
    for name, value in {
        "FEWEST_SAMPLED": 0,
        "SAMPLED_CLASSES": one_in,
        "SURVEY_SECONDS": 1e-9,
        "SAMPLED_COST": 0,
        "SAMPLED_SET_COST": 0,
    }.items():
        patched.setattr(costs, name, value)
    section = measured(attribute_sets.measure, folder, ("dep", "sched", "text"), rows)
    assert (section["method"], section["one_in"], section["sets_examined"]) == ("sample", one_in, 7)
    return section


@pytest.mark.parametrize("one_in", [8, 64])
def test_samples_of_equal_columns_hold(one_in: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cover the true numbers of classes and of people singled out where the values of columns are equal."""
    inside = []
    for seed in thinned(range(4)):
        rows = departures(seed)
        section = sample_sets(tmp_path, monkeypatch, rows, one_in)
        for names, entry in by_set(section).items():
            places = [("dep", "sched", "text").index(name) for name in names]
            sizes = Counter(tuple(row[place] for place in places) for row in rows).values()
            alone = sum(size == 1 for size in sizes)
            inside.append(entry["lower"] <= alone / len(rows) <= entry["upper"])
            # Five standard deviations of the number of picked classes.
            assert abs(entry["classes"] - len(sizes)) <= 5 * math.sqrt(len(sizes) * (one_in - 1)), names
    assert sum(inside) >= 0.93 * len(inside)


def test_samples_add_up_to_all_classes(tmp_path: Path) -> None:
    """Pick each class in exactly one bucket, and about equally many classes in each.

    An exclusive or with the bucket's number moves the classes of a bucket to the one that is picked.
    """
    rows = departures(1)[:800]
    make(engine := connect(threads=1), {"c0": "BIGINT", "c1": "BIGINT", "c2": "VARCHAR"}, rows, "source")
    names = ["values0", "values1", "values2"]
    codes: list[dict[Any, int]] = []
    for place, name in enumerate(names):
        values = sorted({row[place] for row in rows if row[place] is not None}, key=str)
        make(engine, {"value": "VARCHAR", "code": "BIGINT"}, [(v, n) for n, v in enumerate(values, 1)], name)
        codes.append({None: 0} | {value: number for number, value in enumerate(values, 1)})
    packed = Counter(tuple(codes[place][row[place]] for place in range(3)) for row in rows)
    records = [(count, a | b << 20 | c << 40) for (a, b, c), count in packed.items()]
    make(engine, {"records": "BIGINT", "p0": "BIGINT"}, records, "combinations")
    masks = [(2**20 - 1) << 20 * place for place in range(3)]
    words = {"words": [0, 0, 0], "shifts": [0, 20, 40], "masks": masks}
    run(engine, "set_hashes", tables=names, **words)
    for inside in sets(3, 3):
        run(engine, "set_begin")
        picked = []
        for bucket in range(16):
            moved = "UPDATE set_hashes SET h{0} = xor(h{0}, {1})"
            engine.execute(moved.format(inside[0], bucket))
            fields = [sum(masks[place] for place in inside)]
            run(engine, "set_sampled", mask=1, positions=list(inside), words=[0], fields=fields, one_in=16)
            engine.execute(moved.format(inside[0], bucket))
            picked.append(tell(engine, "SELECT classes, singled FROM set_parts")[-1])
        sizes = Counter(tuple(row[place] for place in inside) for row in rows)
        assert sum(classes for classes, _ in picked) == len(sizes)
        assert sum(singled for _, singled in picked) == sum(size == 1 for size in sizes.values())
        expected = len(sizes) / 16
        squares = sum((classes - expected) ** 2 for classes, _ in picked) / expected
        assert squares < 60, (
            inside
        )  # chi-square with 15 degrees of freedom: exceeded with a probability of 2e-7


def test_an_interval_of_a_share_stays_below_one() -> None:
    """Bound both ends where more classes than expected are picked: 26 for the 15.6 of 1,000.

    The lower end is (26 - 1.96 sqrt(26 * 63 / 64 + 1)) * 64 / 1,000 = 1.02 before it is bounded.
    """
    engine = connect()
    run(engine, "set_begin")
    engine.execute("INSERT INTO set_parts BY NAME SELECT 1 AS mask, 26 AS classes, 26 AS singled")
    run(engine, "set_figures", persons=1000, one_in=64)
    assert tell(engine, "SELECT lower, upper FROM set_figures") == [(1, 1)]


def test_adult_has_the_figures_of_arx(tmp_path: Path) -> None:
    names = {
        "income": (6.630860022544923e-5, 0.3739325606425852),
        "sex": (6.630860022544923e-5, 0.43828434814896455),
        "race": (1.657715005636231e-4, 0.2510168705580825),
        "workclass": (2.3208010078907233e-4, 0.4384710833330085),
        "marital-status": (2.3208010078907233e-4, 0.6572008210359416),
        "occupation": (4.6416020157814467e-4, 0.8946220036154093),
        "education": (5.304688018035939e-4, 0.8074379804137617),
        "native-country": (1.3593263046217095e-3, 0.16789461132116162),
        "age": (2.3871096081161725e-3, 0.9781172561484958),
    }
    known = " AND ".join(f"\"{name}\" <> '?'" for name in ("workclass", "occupation", "native-country"))
    path = tmp_path / "adult.parquet"
    duckdb.execute(f"COPY (FROM '{shared('adult_train.parquet')}' WHERE {known}) TO '{path}'").fetchall()
    section = of_file(attribute_sets.measure, path, list(names))
    assert (section["records"], section["sets_examined"]) == (30_162, 511)
    found = by_set(section)
    for name, (distinction, separation) in names.items():
        assert math.isclose(found[(name,)]["distinction"], distinction, rel_tol=1e-12)
        assert math.isclose(found[(name,)]["separation"], separation, rel_tol=1e-12)
    whole = section["best"][-1]
    assert (whole["classes"], whole["singled_out"]) == (19_502, 15_512)
    assert math.isclose(whole["separation"], 0.999906322421153, rel_tol=1e-12)
    assert math.isclose(whole["share_singled_out"], 0.5142895033485844, rel_tol=1e-12)
    few = of_file(attribute_sets.measure, path, list(names), max_size=2)
    same_as_the_statement(few, path, few["attributes"], 2)
