"""Whole checks of tables of counts: forms, rules, several tables, and tables drawn by Hypothesis."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.release.counts.results import CountsTable
from tests import counts_oracle as oracle
from tests.command import command
from tests.hostile import NAMES
from tests.tables import LIGHT

TOY = """row,a,b,c,d,Total
w,x,x,x,89,230
x,x,124,x,31,250
y,92,x,59,x,336
z,800,x,651,x,3127
Total,1012,1262,779,890,3943
"""


def frame(columns: str, *rows: tuple[Any, ...]) -> pandas.DataFrame:
    return pandas.DataFrame(list(rows), columns=columns.split())


def check(*tables: Any, **options: Any) -> CountsTable:
    return duckrisk.tables(*tables, **options).tables[0]


def test_the_toy_as_a_crosstab_and_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "toy.csv"
    path.write_text(TOY, encoding="utf-8")
    found = duckrisk.tables(path, show_values=True)
    table = found.tables[0]
    assert (table.form, table.cells, table.totals, table.lines, table.wrong_lines) == (
        "crosstab",
        16,
        9,
        10,
        0,
    )
    exposure = table.exposure
    assert (exposure.hidden, exposure.exact, exposure.by_subtraction, exposure.narrow) == (9, 1, 1, 0)
    exact, added = table.found
    assert (exact.labels, exact.place, exact.lower, exact.upper) == (("w", "b"), (1, 2), 47, 47)
    assert (added.labels, added.why) == (("x", "d"), "added")
    assert (table.mended.added, table.mended.hidden, table.mended.still_open) == (1, 10, 0)
    head, *lines = (line.split(",") for line in TOY.split())
    rows = [(line[0], name, count) for line in lines for name, count in zip(head[1:], line[1:], strict=True)]
    longer = check(frame("row col n", *rows))
    assert longer.form == "rows"
    assert (longer.exposure, longer.mended) == (table.exposure, table.mended)
    with duckdb.connect() as connection:
        rolled = connection.sql(
            "SELECT nullif(row, 'Total') AS r, nullif(col, 'Total') AS c, TRY_CAST(n AS INTEGER) AS many "
            f"FROM (VALUES {', '.join(map(str, rows))}) AS t(row, col, n)"
        )
        assert check(rolled, count="many").exposure == table.exposure


def test_eleven_in_one_table_and_ten_in_another() -> None:
    """ACRO#117: the difference is one person."""
    one = frame("sex n", ("m", 11), ("f", 20), ("Total", 31))
    other = frame("sex n", ("m", 10), ("f", 20), ("Total", 30))
    (shared,) = duckrisk.tables(one, other, threshold=5).shared
    assert (shared.compared, shared.differences, shared.smallest, shared.revealed) == (3, 2, 1, 0)


def test_a_count_that_another_table_shows() -> None:
    """The total of a is hidden in one table, and the sum of two cells in the other."""
    one = frame("k n", ("a", None), ("b", None), ("Total", 40))
    other = frame("k l n", ("a", "x", 3), ("a", "y", 4), ("b", "x", 33), ("b", "y", None))
    result = duckrisk.tables(one, other, count="n", threshold=3)
    (shared,) = result.shared
    assert (shared.revealed, shared.differences) == (1, 0)
    assert result.tables[0].read_elsewhere == 1
    assert (result.tables[0].exposure.hidden, result.tables[0].exposure.exact) == (1, 1)


def test_dominance_and_the_p_percent_rule() -> None:
    """NK(2,75): 105 of 110 are 95.5 %, 20 of 30 are 66.7 %. 10 %: 5 is below 10 % of 100, and 10 above 1."""
    rows = [*(("u", v) for v in (100, 5, 5)), *(("s", 10) for _ in range(3))]
    table = check(frame("g v", *rows), by=["g"], value="v", threshold=2)
    unsafe = table.unsafe
    assert (unsafe.cells, unsafe.small, unsafe.dominated, unsafe.close) == (2, 0, 2, 1)  # the total, too
    assert {cell.place for cell in table.found if cell.why == "unsafe"} <= {(0,), (2,)}
    assert all(cell.lower is cell.upper is None for cell in table.found)
    safe = check(frame("g v", *rows[3:]), by=["g"], value="v", threshold=2)
    assert safe.unsafe.cells == 0


def test_contributors_are_users() -> None:
    """Three records of one company are one contribution."""
    rows = [("a", 1, 5), ("a", 1, 5), ("a", 1, 5), ("b", 1, 4), ("b", 2, 4), ("b", 3, 4)]
    by_user = check(frame("g who v", *rows), by=["g"], value="v", user="who", threshold=3, dominance=90)
    assert (by_user.unsafe.small, by_user.unsafe.dominated) == (1, 1)
    assert check(frame("g who v", *rows), by=["g"], value="v", threshold=3, dominance=90).unsafe.small == 0


def test_marks_totals_and_missing_labels(tmp_path: Path) -> None:
    """Marks hide, <5 limits, commas group thousands, and a word for totals leaves an empty label as it is."""
    path = tmp_path / "marks.csv"
    path.write_text('k,n\na,<5\nb,*\n,"1,200"\nTotal,"1,210"\n', encoding="utf-8")
    table = check(path, count="n", threshold=4, header=True)
    assert (table.cells, table.totals, table.exposure.hidden, table.lines) == (3, 1, 2, 1)
    narrow = check(path, count="n", threshold=11, header=True)
    # 0..4 is no closer than what <5 says itself.
    assert [(c.lower, c.upper) for c in narrow.found if c.why == "hidden"] == [(6, 10)]


def test_totals_that_do_not_add_up() -> None:
    rows = [("a", "x", 3), ("a", "y", 4), ("a", "Total", 8), ("b", "x", 5), ("b", "y", 6), ("b", "Total", 11)]
    table = check(frame("k l n", *rows), threshold=2)
    assert (table.lines, table.wrong_lines) == (2, 1)


HIDDEN_BOX = """k,a,b,c,Total
u,x,x,30,100
v,x,x,40,120
w,50,60,{last},120
Total,130,130,80,340
"""


@pytest.mark.parametrize(("last", "sign"), [(10, "✓"), (11, "?")])
def test_totals_that_do_not_add_up_leave_a_doubt(last: int, sign: str, tmp_path: Path) -> None:
    """Four hidden cells protect each other, but a wrong line says less than the right one may."""
    path = tmp_path / "box.csv"
    path.write_text(HIDDEN_BOX.format(last=last), encoding="utf-8")
    headline = " ".join(command("tables", path, "--threshold", 5).out.split("\n\n")[1].split())
    assert headline.startswith(f"{sign} box.csv")
    assert ("but 2 of 8 rows and columns do not add up to their totals" in headline) == (sign == "?")


def test_bounds_that_may_be_too_wide_leave_a_doubt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of eight hidden cells of a cube none follows; without a solver that is not known."""
    counts = oracle.with_totals({place: 20 + sum(place) for place in itertools.product((1, 2), repeat=3)})
    rows = [
        (*("Total" if n == 0 else "abc"[n] for n in place), None if 0 not in place else count)
        for place, count in counts.items()
    ]
    path = tmp_path / "cube.csv"
    frame("i j k n", *rows).to_csv(path, index=False)
    for module in ("duckrisk.release.counts", "duckrisk.release.counts.bounds"):
        monkeypatch.setattr(f"{module}.has_programs", lambda: False)
    headline = " ".join(command("tables", path).out.split("\n\n")[1].split())
    assert headline.startswith("? cube.csv: of 8 hidden cells none is found to follow")
    assert "duckrisk[ml]" in headline


def test_three_ways() -> None:
    """One hidden cell is the rest of each of its lines; a box of 7 more cells protects it."""
    inner = {place: 5 + sum(place) for place in itertools.product((1, 2), repeat=3)}
    inner[1, 1, 1] = 2
    rows = [
        (*("Total" if n == 0 else "abc"[n] for n in place), None if place == (1, 1, 1) else count)
        for place, count in oracle.with_totals(inner).items()
    ]
    table = check(frame("i j k n", *rows), threshold=3)
    assert (table.exposure.exact, table.exposure.by_subtraction) == (1, 1)
    assert (table.mended.added, table.mended.still_open) == (7, 0)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (frame("a b", ("x", "y"), ("y", "z")), {}, "neither a crosstab"),
        (frame("a n", ("x", 1.5), ("y", 2)), {"count": "n"}, "whole numbers"),
        (frame("a n", ("x", -1), ("y", 2)), {"count": "n"}, "whole numbers"),
        (frame("a b n", ("x", "u", 1), ("x", "v", 2)), {"by": ["a"], "count": "n"}, "several rows"),
        (frame("a n", ("x", 1), ("y", 2)), {"count": "m"}, '"m"'),
        (frame("a v", ("x", -1), ("y", 2)), {"by": ["a"], "value": "v"}, "negative"),
        (frame("a v", ("x", 1), ("y", 2)), {"value": "v"}, "--by"),
        (frame("a v", ("x", 1), ("y", 2)), {"count": "v", "user": "a"}, "--count"),
        (frame("a v", ("x", 1), ("y", 2)), {"by": ["a", "a"]}, "twice"),
        (frame("a v", *((i, i) for i in range(30_000))), {"by": ["a"]}, "coarser"),
        (frame("a v", *((i, i) for i in range(2_000))), {"by": ["a"]}, "more than are checked"),
    ],
)
def test_what_cannot_be_checked_is_said(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((SourceError, UsageError), match=message):
        duckrisk.tables(table, **options)


LABELS = st.none() | st.sampled_from(["", " ", "a", "A", "é", "e\u0301", "total", "x'y", "n", "t", "v"])


@LIGHT
@given(
    st.lists(st.tuples(LABELS, LABELS, st.integers(1, 3), st.integers(0, 9)), min_size=1, max_size=25),
    st.sampled_from(NAMES),
)
def test_tables_of_records(rows: list[tuple[Any, ...]], name: str) -> None:
    """Cells, small ones and dominated ones are those of a count in Python, whatever the labels and names."""
    columns = {name: 0, "other": 1, "who": 2, "v": 3}
    if len({column.casefold() for column in columns}) < 4:
        return
    table = pandas.DataFrame(rows, columns=list(columns), dtype=object).astype({"who": int, "v": int})
    sums: dict[tuple[Any, ...], Counter[int]] = {}
    for one, other, who, value in rows:
        for place in itertools.product((one, "*"), (other, "*")):
            key = (place[0], place[0] == "*", place[1], place[1] == "*")
            sums.setdefault(key, Counter())[who] += value
    tops = [(sum(sorted(of.values())[-2:]), sum(of.values()), of) for of in sums.values()]
    found = check(table, by=[name, "other"], value="v", user="who", threshold=2, dominance=60)
    assert found.cells + found.totals == len(sums)
    assert found.unsafe.small == sum(len(of) == 1 for *_, of in tops)
    assert found.unsafe.dominated == sum(whole > 0 and 100 * top > 60 * whole for top, whole, _ in tops)
    close = 0
    for _, whole, of in tops:
        first, second, *_ = [*sorted(of.values(), reverse=True), 0]
        close += whole > 0 and 100 * (whole - first - second) < 10 * first
    assert found.unsafe.close == close
    assert found.wrong_lines == 0


@LIGHT
@given(st.lists(st.integers(0, 12), min_size=6, max_size=6), st.integers(2, 6))
def test_what_is_said_of_records_is_that_of_the_table(counts: list[int], threshold: int) -> None:
    """Records and the table that they make have the same unsafe cells, exact ones and mended table."""
    inner = dict(zip(itertools.product((1, 2), (1, 2, 3)), counts, strict=True))
    records = [place for place, count in inner.items() for _ in range(count)]
    if len({i for i, _ in records}) < 2 or len({j for _, j in records}) < 3:
        return
    rows = [
        (*(None if n == 0 else n for n in place), count) for place, count in oracle.with_totals(inner).items()
    ]
    table = check(frame("i j n", *rows), threshold=threshold)
    made = check(frame("i j", *records), by=["i", "j"], threshold=threshold)
    assert (made.unsafe, made.exposure, made.mended) == (table.unsafe, table.exposure, table.mended)
    hidden = {place for place, count in oracle.with_totals(inner).items() if 0 < count < threshold}
    if hidden and (0, 0) not in hidden and len(hidden) < 7:
        bounds = oracle.bounds_of(oracle.with_totals(inner), hidden)
        assert made.exposure.exact == sum(low == high for low, high in bounds.values())
        width = max(1, threshold - 2)
        assert made.exposure.narrow == sum(0 < high - low < width for low, high in bounds.values())


def test_order_of_records_and_threads_change_nothing() -> None:
    rows = [(f"k{i % 5}", f"l{i * 7 % 4}", i % 11) for i in range(90)]
    one = duckrisk.tables(frame("k l v", *rows), by=["k", "l"], value="v", threads=1)
    other = duckrisk.tables(frame("k l v", *rows[::-1]), by=["k", "l"], value="v", threads=2)
    assert one.to_json() == other.to_json()


def test_no_label_and_no_sum_without_show_values() -> None:
    """Of the one contribution of 918273645 the sum follows exactly, and is not shown."""
    rows = [
        ("ZQX", "q", 918273645),
        *(("ZQY", column, 900_000_000 + n) for n in range(20) for column in "qr"),
    ]
    table = frame("k l v", *rows)
    hidden = duckrisk.tables(table, by=["k", "l"], value="v", threshold=3)
    shown = duckrisk.tables(table, by=["k", "l"], value="v", threshold=3, show_values=True)
    for form in ("to_json", "to_text", "to_markdown", "to_html"):
        written = getattr(hidden, form)()
        assert not any(mark in written for mark in ("ZQX", "ZQY", "918273645", "918,273,645"))
        assert "ZQX" in getattr(shown, form)()
    assert any(cell.lower == cell.upper == 918273645 for cell in shown.tables[0].found)
    assert "918273645" not in "".join(statement.sql for statement in hidden.statements)


def test_export(tmp_path: Path) -> None:
    """The mended table hides what the report says, and tau-Argus gets all cells with their status."""
    rows = [("a", "x")] * 2 + [("a", "y")] * 30 + [("b", "x")] * 40 + [("b", "y")] * 50
    found = check(frame("k l", *rows), by=["k", "l"], threshold=5, export=tmp_path / "out")
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".arb", ".csv", ".rda", ".tab"]
    (written,) = (tmp_path / "out").glob("*.csv")
    lines = written.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "k,l,count"
    assert sum(line.endswith(",x") for line in lines) == found.mended.hidden == 4
    assert "Total,Total,122" in lines
    (cells,) = (tmp_path / "out").glob("*.tab")
    assert '"a";"x";2;2;U' in cells.read_text(encoding="utf-8").splitlines()
    # The counts of a published table that hides some are unknown to everybody.
    check(frame("k n", ("a", None), ("b", 7), ("Total", 9)), export=tmp_path / "hidden")
    assert [path.suffix for path in (tmp_path / "hidden").iterdir()] == [".csv"]


def test_assess_names_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of counts gets the next command, which runs as it is printed."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(
        f"{age},{city},{age * len(city) % 37}\n" for age in range(20, 60, 10) for city in ("ab", "c", "def")
    )
    (tmp_path / "counts.csv").write_text("age,city,patients\n" + rows, encoding="utf-8")
    for declared in ((), ("--count", "patients")):
        shown = command("assess", "counts.csv", *declared).out
        (typed,) = re.findall(r"^  duckrisk (tables .*?)(?:   |$)", shown, re.MULTILINE)
        assert shlex.split(typed) == ["tables", "counts.csv", "--count", "patients"]
    result = command(*shlex.split(typed))
    assert result.code == 0, result.err
    assert "unsafe" in result.out
