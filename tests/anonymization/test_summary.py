"""One row a person, the first records of each, and an order that reveals nothing."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.engine.templates import literal
from tests.command import command, table
from tests.hostile import NAMES
from tests.releases import made, read, treat, types
from tests.tables import LIGHT, engine, thinned

pytestmark = pytest.mark.slow

VISITS = {
    "who": "VARCHAR",
    "town": "VARCHAR",
    "day": "DATE",
    "paid": "DECIMAL(6, 2)",
    "items": "INTEGER",
    "weight": "DOUBLE",
    "ward": "VARCHAR",
}
DAY = dt.date(2024, 3, 1)
ROWS = [
    ("ann", "Kyoto", DAY, Decimal("2.50"), 3, 0.1, "B"),
    ("bob", "Osaka", DAY, Decimal("1.00"), 1, 5.0, "A"),
    ("ann", "Kyoto", DAY + dt.timedelta(4), Decimal("0.25"), None, 0.2, "A"),
    (None, "Nara", DAY, Decimal("9.00"), 9, 9.0, "C"),
    ("ann", None, DAY + dt.timedelta(2), None, 4, float("inf"), "A"),
    ("bob", "Osaka", DAY, Decimal("1.00"), 1, 5.0, "B"),
]


def test_one_row_a_person_by_hand(tmp_path: Path) -> None:
    """Ann's three visits and Bob's two; a visit of nobody is left out; equally frequent values: the least."""
    rows, release = treat(VISITS, ROWS, {"method": "summarize", "user": "who"}, folder=tmp_path)
    later = DAY + dt.timedelta(4)
    assert rows == [
        ("ann", 3, "Kyoto", DAY, later, Decimal("2.75"), 7, pytest.approx(0.3), "A"),
        ("bob", 2, "Osaka", DAY, DAY, Decimal("2.00"), 2, 10.0, "A"),
    ]
    (step,) = release.steps
    assert (step.users, step.records, step.deleted) == (2, 2, 1)
    names = [row[0] for row in engine().execute(f"DESCRIBE FROM '{release.path}'").fetchall()]
    assert names == [
        *("who", "records", "town", "day_first", "day_last", "paid_sum", "items_sum", "weight_sum"),
        "ward_most_frequent",
    ]
    assert types(release.path)[5:7] == ["DECIMAL(38,2)", "BIGINT"]


def test_a_person_says_which_figure_a_column_has() -> None:
    step = {"method": "summarize", "user": "who", "distinct": ["ward", "items"], "sum": ["paid"]}
    rows, _ = treat(VISITS, ROWS, step)
    assert rows == [("ann", 3, Decimal("2.75"), 2, 2), ("bob", 2, Decimal("2.00"), 1, 2)]


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"user": "who", "sum": ["town"]}, "no numbers"),
        ({"user": "who", "same": ["who"]}, "is the user column"),
        ({"user": "who", "sum": ["paid"], "distinct": ["PAID"]}, "has two figures"),
        ({"user": "nobody"}, "nobody"),
        ({"user": "who", "sum": ["paid", "paid"]}, "names a column twice"),
    ],
)
def test_a_summary_that_does_not_fit_is_refused(step: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        treat(VISITS, ROWS, {"method": "summarize", **step})


def summarize_by_hand(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Summarize (person, number, text), by the definition, for columns that vary."""
    made = []
    for person in dict.fromkeys(row[0] for row in rows if row[0] is not None):
        own = [row for row in rows if row[0] == person]
        numbers = [row[1] for row in own if row[1] is not None]
        counted = Counter(row[2] for row in own if row[2] is not None)
        frequent = min(counted, key=lambda text: (-counted[text], text.encode()), default=None)
        made.append((person, len(own), sum(numbers) if numbers else None, frequent, len(counted)))
    return made


@LIGHT
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.sampled_from(["a", "b", "ß", "日本", "'; --"])),
            st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1)),
            st.one_of(st.none(), st.sampled_from(["x", "X", "", "é", '"', "* "])),
        ),
        min_size=0,
        max_size=20,
    ),
    st.permutations([name for name in NAMES if name.strip()]),
)
def test_a_summary_is_what_its_definition_says(rows: list[tuple[Any, ...]], names: list[str]) -> None:
    """With missing values, no rows, one row, unicode and hostile names."""
    who, number, text = names[:3]
    columns = {who: "VARCHAR", number: "INTEGER", text: "VARCHAR", "again": "VARCHAR"}
    step = {
        "method": "summarize",
        "user": who,
        "sum": [number],
        "most_frequent": [text],
        "distinct": ["again"],
    }
    got, _ = treat(columns, [(*row, row[2]) for row in rows], step)
    assert got == summarize_by_hand(rows)


def test_the_figure_of_a_column_follows_from_its_values() -> None:
    """More texts than a set can hold are counted; up to 120 the most frequent one is written."""
    rows = [(f"p{i % 50}", f"t{i % 121}", f"u{i % 120}") for i in range(600)]
    _, release = treat(
        {"who": "VARCHAR", "many": "VARCHAR", "few": "VARCHAR"}, rows, {"method": "summarize", "user": "who"}
    )
    assert 'distinct = ["many"]' in release.recipe
    assert 'most_frequent = ["few"]' in release.recipe


def test_sums_do_not_depend_on_the_order_of_records() -> None:
    rows = [("a", 0.1 * (i % 7) + 1e9 * (i % 3)) for i in range(1000)] + [("b", 1.0), ("b", 2.0)]
    step = {"method": "summarize", "user": "who", "sum": ["x"]}
    sums = [treat({"who": "VARCHAR", "x": "DOUBLE"}, order, step)[0] for order in (rows, rows[::-1])]
    assert sorted(sums[0]) == sorted(sums[1])


def test_a_person_keeps_some_records() -> None:
    """At most two each, the same for the same seed, and others for another one."""
    rows = [(f"p{i % 9}", i) for i in range(90)] + [("once", 1), (None, 2), (None, 3), (None, 4)]
    step = {"method": "truncate", "user": "who", "records": 2}
    kept = [treat({"who": "VARCHAR", "x": "INTEGER"}, rows, step, seed=seed) for seed in (1, 1, 2)]
    assert Counter(row[0] for row in kept[0][0]) == {**{f"p{i}": 2 for i in range(9)}, "once": 1, None: 2}
    assert kept[0][0] == kept[1][0] != kept[2][0]
    assert set(kept[0][0]) <= set(rows)
    assert kept[0][1].steps[0].deleted == len(rows) - 21


@LIGHT
@given(
    st.lists(st.tuples(st.none() | st.integers(0, 3), st.none() | st.sampled_from("aBé")), max_size=12),
    st.randoms(use_true_random=False),
)
def test_sorted_records_say_nothing_of_their_order(rows: list[tuple[Any, ...]], drawn: Any) -> None:
    """The order is that of what is released: a column that is left out has no part in it."""
    mixed = drawn.sample(rows, len(rows))
    columns = {"secret": "INTEGER", "a": "INTEGER", "b": "VARCHAR"}
    steps = [{"method": "sort"}, {"method": "suppress", "column": "secret", "drop": True}]
    first, second = (
        treat(columns, [(i, *row) for i, row in enumerate(order)], *steps)[0] for order in (rows, mixed)
    )
    assert first == second
    key = [(row[0] is not None, row[0] or 0, row[1] is not None, (row[1] or "").encode()) for row in first]
    assert key == sorted(key)


def test_records_have_one_order() -> None:
    with pytest.raises(UsageError, match="one order"):
        treat(VISITS, ROWS, {"method": "shuffle"}, {"method": "sort"})


# --- for a policy --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short histories of many people: no class size hides three records of somebody."""
    return made(
        tmp_path_factory.mktemp("sparse") / "visits.parquet",
        {"member_id": "VARCHAR", "day": "DATE", "paid": "INTEGER", "ward": "VARCHAR"},
        [
            (
                f"m{i * 7919 % 251:03}",
                dt.date(2023, 1, 1) + dt.timedelta(i * i % 700),
                i * 31 % 400,
                "ABC"[i % 3],
            )
            for i in range(880)
        ],
    )


@pytest.fixture(scope="module")
def narrow(sparse: Path) -> Path:
    """The same histories of days and wards alone, where each column costs time."""
    return table(
        sparse.with_name("narrow.parquet"), f"SELECT member_id, day, ward FROM {literal(str(sparse))}"
    )


@pytest.mark.slow
def test_one_row_a_person_keeps_a_policy(sparse: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Advice lists it, its command makes it, and a comparison finds the same detail."""
    monkeypatch.chdir(tmp_path)
    done = command("anonymize", str(sparse), "-o", "r.csv", "--to-policy", "public", "--method", "summary")
    assert done.code == 0, done.err
    assert "One row stands for all records of a person" in done.out
    rows = Path("r.csv").read_text().splitlines()
    assert rows[0] == "member_id,records,day_first,day_last,paid_sum,ward_most_frequent"
    assert len(rows) == 252
    cells = Counter(row.split(",", 1)[1] for row in rows[1:])
    assert min(cells.values()) >= 11
    (_, told) = duckrisk.compare(str(sparse), "r.csv", policy="public").tables
    assert told.people is not None
    assert told.people.verdict.outcome in ("pass", "pass_if")
    assert f"{told.information.detail.detail_left:.1%} of the detail" in " ".join(done.out.split())
    again = command("anonymize", str(sparse), "-o", "again.csv", "--recipe", "r.csv.recipe.toml")
    assert again.code == 0, again.err
    assert Counter(row.split(",", 1)[1] for row in Path("again.csv").read_text().splitlines()[1:]) == cells


@pytest.mark.slow
def test_advice_offers_one_row_a_person(narrow: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    advice = duckrisk.advise(str(narrow), policy="shared")
    assert "one row a person, 5 people or more" in " ".join(advice.to_text().split())
    (line,) = [line for line in advice.lines if line.step.method == "summary"]
    assert (line.records, line.rows_before) == (251, 251)
    assert line.people is not None
    assert line.people.verdict.is_kept
    assert tuple(line.options[2:4]) == ("--method", "summary")


@pytest.mark.slow
def test_records_that_nothing_links_are_in_no_order(sparse: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The public gets the records without pseudonyms, and no person's records stand together."""
    monkeypatch.chdir(tmp_path)
    done = command("anonymize", str(sparse), "-o", "r.parquet", "--to-policy", "public", "--method", "local")
    assert done.code == 0, done.err
    assert '"member_id" is left out' in done.out
    rows = read(Path("r.parquet"))
    assert len(rows) == 880
    assert rows == engine().execute(f"FROM {literal('r.parquet')} ORDER BY ALL NULLS FIRST").fetchall()


def test_a_new_column_takes_no_name_of_another_one() -> None:
    """A column named "records" keeps its name and its role; the number of records has another one."""
    columns = {"who": "VARCHAR", "records": "VARCHAR", "x": "INTEGER", "x_sum": "INTEGER"}
    rows = [("a", "ill", 1, 5), ("a", "ill", 2, 5), ("b", "well", 3, 6)]
    got, release = treat(columns, rows, {"method": "summarize", "user": "who"})
    assert got == [("a", 2, "ill", 3, 5), ("b", 1, "well", 3, 6)]
    assert 'same = ["records", "x_sum"]' in release.recipe


def test_large_sums_fit() -> None:
    """Sums of decimals of 38 digits and of huge numbers are real numbers; small ones keep their digits."""
    columns = {"who": "VARCHAR", "wide": "DECIMAL(38, 0)", "huge": "HUGEINT", "small": "DOUBLE"}
    large = 10**37
    rows = [("a", 9 * large, large, 1e-9, 2**62)] * 20 + [("a", large, 0, 2e-9, 0)]
    got, _ = treat({**columns, "b": "BIGINT"}, rows, {"method": "summarize", "user": "who"})
    ((_, count, wide, huge, small, whole),) = got
    assert (count, whole) == (21, 20 * 2**62)
    assert [wide, huge, small] == pytest.approx([181e37, 20e37, 22e-9])


def test_methods_go_on_with_one_row_a_person(tmp_path: Path, monkeypatch: Any) -> None:
    """Classes of sums, by names that the table itself lacks; then the first screen of a comparison."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{i % 60},{i * 7 % 50},{'AB'[i % 2]}\n" for i in range(300))
    Path("t.csv").write_text(f"who,paid,ward\n{rows}")
    options = ["--summarize", "who", "--k", "5", "--quasi-identifier", "paid_sum", "--sort", "--drop", "ward"]
    done = command("anonymize", "t.csv", "-o", "r.csv", *options)
    assert done.code == 0, done.err
    lines = Path("r.csv").read_text().splitlines()
    assert lines[0] == "who,records,paid_sum"
    assert min(Counter(line.split(",", 2)[2] for line in lines[1:]).values()) >= 5
    drawn = ["--truncate", "who=2", "--summarize", "who"]
    done = command("anonymize", "t.csv", "-o", "s.csv", *drawn, "--seed", "7")
    assert done.code == 0, done.err
    (_, told) = duckrisk.compare("t.csv", "s.csv", user="who", only=["information"]).tables
    assert (told.records, told.information.detail.detail_left) == (60, 1.0)
    done = command("anonymize", "t.csv", "-o", "u.csv", *drawn)
    assert done.code == 0, done.err
    done = command("compare", "t.csv", "u.csv", "--user", "who")
    assert (done.code, "make it with --seed" in " ".join(done.err.split())) == (2, True)
    done = command("compare", "t.csv", "r.csv", "s.csv", "--user", "who")
    assert (done.code, "one by one" in " ".join(done.err.split())) == (2, True)


@pytest.mark.slow
def test_too_little_detail_says_what_others_leave(narrow: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    # One that tries all methods tries the summary, too.
    for method in thinned(("auto", "summary")):
        done = command(
            *("anonymize", str(narrow), "-o", "r.csv", "--to-policy", "public"),
            *("--method", method, "--least-detail", "99.9%"),
        )
        assert done.code == 1, done.err
        assert '"shared" about' in " ".join(done.err.split())
        assert not Path("r.csv").exists()


@pytest.mark.slow
def test_importance_and_columns_to_keep_hold_for_their_figures(
    sparse: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = ["--importance", "paid=5", "--keep", "ward"]
    done = command(
        *("anonymize", str(sparse), "-o", "r.csv", "--to-policy", "shared", "--method", "summary", *wanted)
    )
    assert done.code == 0, done.err
    recipe = Path("r.csv.recipe.toml").read_text()
    assert "paid_sum = 5" in recipe
    assert "ward_most_frequent" in Path("r.csv").read_text().splitlines()[0]


@pytest.mark.slow
def test_people_of_a_sorted_release_are_found(tmp_path: Path, monkeypatch: Any) -> None:
    """Also where a column lists its possible values, which are in the order of the list."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"m{i * 7919 % 151:03}", ["z", "b", "k"][i % 3], i * 31 % 40) for i in range(600)]
    smallest = {}
    for kind in ("VARCHAR", "ENUM('z', 'k', 'b')"):
        engine().execute("ATTACH OR REPLACE 't.duckdb' AS sorted")
        engine().execute(f"CREATE OR REPLACE TABLE sorted.t (member_id VARCHAR, ward {kind}, paid INTEGER)")
        engine().executemany("INSERT INTO sorted.t VALUES (?, ?, ?)", rows)
        engine().execute("DETACH sorted")
        done = command(
            *("anonymize", "--attach", "t.duckdb", "--table", "t", "-o", f"{kind[0]}.csv"),
            *("--to-policy", "public", "--method", "local", "--user", "member_id"),
        )
        assert done.code == 0, done.err
        smallest[kind[0]] = int(done.out.split("smallest class has ")[1].split()[0].replace(",", ""))
    lines = [Path(name).read_text().splitlines() for name in ("V.csv", "E.csv")]
    assert Counter(lines[0]) == Counter(lines[1])
    for name in ("V.csv", "E.csv"):
        compared = duckrisk.compare("t.duckdb", name, user="member_id", only=["risk"]).tables
        sizes = [(one.people.people, one.people.smallest_class) for one in compared if one.people]
        assert sizes[1] == (151, smallest[name[0]])


def test_nobody_has_several_records(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + i % 40},{'fm'[i % 2]},{i}\n" for i in range(200))
    Path("t.csv").write_text(f"age,sex,income\n{rows}")
    done = command("anonymize", "t.csv", "-o", "r.csv", "--to-policy", "public", "--method", "summary")
    assert done.code != 0
    assert "has several records" in done.err
    assert not Path("r.csv").exists()
