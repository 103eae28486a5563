"""Releases of 2018, whose cells may be deleted or generalized: by hand, and against the rules."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests import pwscup
from duckrisk.engine.templates import identifier
from tests.command import command
from tests.shared_data import shared
from tests.tables import LIGHT, close, connect, row, thinned

Line = tuple[str, str, str, str, str]

#: Quantities with the mean 6 and the deviation 2, prices with the deviation of 5 pence.
ORIGINAL = ["7,2010/12/1,A,1.00,4", "8,2010/12/31,B,1.10,8"]


def put(name: str, lines: Sequence[str] | Sequence[Line], end: str = "\n") -> Path:
    rows = [line if isinstance(line, str) else ",".join(line) for line in lines]
    path = Path(name)
    path.write_text("".join(line + end for line in rows), "utf-8", newline="")
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("T.csv", ORIGINAL, "\r\n")


def test_by_hand() -> None:
    """[3;6] around 4 loses (1 + 4 + 3) / (2 * 4 * 2) = 0.5, [1;1.03] around 1 is (0 + 9 + 3) / (2 * 4 * 5) =
    0.3, a set of two 1/2, a deleted cell 1; each is one of two cells."""
    put("A.csv", ["1,2010/12/1,{B;A},[1;1.03],[3;6]", "2,2010/12/31,*,1.1,8"])
    score = pwscup.score_2018("T.csv", "A.csv")
    assert [(column.attribute, column.loss) for column in score.columns] == [
        ("date", 0),
        ("item", 0.75),
        ("price", 0.15),
        ("quantity", 0.25),
    ]
    assert score.loss == pytest.approx(0.2875, abs=1e-15)
    assert [(column.deleted, column.sets, column.intervals) for column in score.columns] == [
        (0, 0, 0),
        (1, 1, 0),
        (0, 0, 1),
        (0, 0, 1),
    ]
    assert (score.records, score.users, score.surviving, score.pseudonyms) == (2, 2, 2, 2)
    assert score.unsafe is None
    assert "Nothing says whether it is safe" in score.to_text()


def test_a_deleted_record_loses_all_and_one_row_has_no_deviation() -> None:
    put("A.csv", ["*,*,*,*,*", "2,2010/12/31,B,1.10,8"])
    score = pwscup.score_2018("T.csv", "A.csv")
    assert (score.loss, score.surviving, score.pseudonyms) == (0.5, 1, 1)
    put("one.csv", ORIGINAL[:1])
    assert pwscup.score_2018("one.csv", put("B.csv", ["1,*,*,*,[4;4]"])).loss == 0.75
    wide = pwscup.score_2018("one.csv", put("B.csv", ["1,*,*,*,[4;5]"]))
    assert (wide.loss, wide.columns[-1].loss) == (None, None)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1,2010/12/1,A,1.00,[3;1]", "quantities that are neither"),
        ("1,2010/12/1,A,1.00,[5;6]", "quantities that are neither"),
        ("1,2010/12/1,A,1.00,[3;]", "quantities that are neither"),
        ("1,2010/12/1,A,1.00,{4;5}", "quantities that are neither"),
        ("1,2010/12/1,A,1.00,4.0", "quantities that are neither"),
        ("1,2010/12/1,A,1.00,", "quantities that are neither"),
        ("1,2010/12/1,A,[0;2],4", "prices that are neither"),
        ("1,2010/12/1,A,1.001,4", "prices that are neither"),
        ("1,[2010/11/31;2011/1/1],A,1.00,4", "dates that are neither"),
        ("1,2010/12/2,A,1.00,4", "dates that are neither"),
        ("1,2010/12/1,{},1.00,4", "items that are neither"),
        ("1,2010/12/1,{A;A},1.00,4", "items that are neither"),
        ("1,2010/12/1,{A;C},1.00,4", "items that are neither"),
        ("1,2010/12/1,{B},1.00,4", "items that are neither"),
        ("1,2010/12/1,[A;B],1.00,4", "items that are neither"),
        ("1,2010/12/1,,1.00,4", "items that are neither"),
        ("*,2010/12/1,A,1.00,4", "pseudonyms that are no whole numbers"),
        ("仮,2010/12/1,A,1.00,4", "pseudonyms that are no whole numbers"),
        ("2,2010/12/1,A,1.00,4", "gives several customers one pseudonym"),
        ("1,2010/12/1,A,1.00", "another number of fields than 5"),
        ('1,2010/12/1,"A",1.00,4', "has quoted fields"),
        ("1,a,b,c,d", "a line of column names"),
    ],
)
def test_a_cell_that_breaks_the_rules_is_refused_in_one_sentence(line: str, sentence: str) -> None:
    put("A.csv", [line, "2,2010/12/31,B,1.10,8"])
    with pytest.raises(SourceError, match=re.escape(sentence)) as refused:
        pwscup.score_2018("T.csv", "A.csv")
    told = str(refused.value)
    assert told.startswith('"A.csv" ')
    assert told.count(". ") == 0
    if sentence.endswith("fields than 5"):
        done = command("pwscup", "score-2018", "T.csv", "A.csv")
        assert (done.code, done.out, done.err) == (3, "", f"duckrisk: {told}\n")


def test_files_that_do_not_go_together_are_refused() -> None:
    put("short.csv", ["1,2010/12/1,A,1.00,4"])
    with pytest.raises(SourceError, match=r'"short\.csv" has 1 records and its original 2;'):
        pwscup.score_2018("T.csv", "short.csv")
    with pytest.raises(SourceError, match=r'"T\.csv" has 2 records and its original 1;'):
        pwscup.score_2018("short.csv", "T.csv")
    put("several.csv", [*ORIGINAL, "7,2010/12/1,A,1.00,4"])
    put("A.csv", ["1,*,*,*,*", "2,*,*,*,*", "3,*,*,*,*"])
    with pytest.raises(SourceError, match=r"gives a customer several pseudonyms \(row 3\)"):
        pwscup.score_2018("several.csv", "A.csv")
    put("late.csv", ["7,2012/1/1,A,1.00,4"])
    with pytest.raises(SourceError, match=r'"late\.csv" has dates that are none of 2010 or 2011'):
        pwscup.score_2018("late.csv", "short.csv")
    Path("empty.csv").write_bytes(b"")
    with pytest.raises(SourceError, match=r'"empty\.csv" is an empty file'):
        pwscup.score_2018("T.csv", "empty.csv")
    with pytest.raises(UsageError, match="the files of 2018 are CSV files"):
        pwscup.score_2018(duckdb.sql("SELECT 1 AS a"), "T.csv")
    with pytest.raises(SourceError, match="files of 2018 go to `duckrisk pwscup score-2018`"):
        pwscup.check("T.csv", "T.csv")


# --- the rules once more -------------------------------------------------------------------------


def day(text: str) -> int | None:
    if re.fullmatch(r"201[01](/[0-9]{1,2}){2}", text) is None:
        return None
    try:
        return dt.date(*map(int, text.split("/"))).toordinal()
    except ValueError:
        return None


def whole(text: str, most: int) -> bool:
    """Whether a text is a whole number of so many digits, none of them needless."""
    return text.isascii() and text.isdigit() and len(text) <= most and str(int(text)) == text


def pence(text: str) -> int | None:
    pounds, point, rest = text.partition(".")
    if not whole(pounds, 5) or (point and not (rest.isascii() and rest.isdigit() and len(rest) <= 2)):
        return None
    return 100 * int(pounds) + int(rest.ljust(2, "0")) or None


def pieces(text: str) -> int | None:
    return int(text) or None if whole(text, 6) else None


class Refused(Exception):
    """A cell that the rules do not allow."""


def item_loss(cell: str, true: str, items: set[str]) -> Fraction:
    if cell == "*":
        return Fraction(1)
    inside = cell[1:-1]
    is_set = cell == f"{{{inside}}}" and inside != "" and "}" not in inside
    members = inside.split(";") if is_set else [cell]
    if true not in members or len(set(members)) < len(members) or not items.issuperset(members):
        raise Refused
    return 1 - Fraction(1, len(members))


def distance(cell: str, true: int, read: object) -> tuple[Fraction, Fraction]:
    """What a cell loses by itself, and its mean distance from the truth, in steps."""
    assert callable(read)
    if cell == "*":
        return Fraction(1), Fraction(0)
    first, _, last = cell[1:-1].partition(";")
    lower, upper = (read(first), read(last)) if cell == f"[{first};{last}]" else (read(cell), read(cell))
    if lower is None or upper is None or not lower <= true <= upper:
        raise Refused
    return Fraction(0), Fraction(sum(abs(true - y) for y in range(lower, upper + 1)), upper - lower + 1)


def losses(original: list[Line], release: list[Line]) -> list[float | None]:
    """The losses of the four columns; raises Refused."""
    pairs = [(a[0], b[0]) for a, b in zip(original, release, strict=True) if b != ("*", "*", "*", "*", "*")]
    if not all(whole(pseudonym, 9) and int(pseudonym) for _, pseudonym in pairs):
        raise Refused
    if len(set(pairs)) > min(len({customer for customer, _ in pairs}), len({name for _, name in pairs})):
        raise Refused
    items = {line[2] for line in original}
    by_column: list[float | None] = []
    for place, read in ((1, day), (3, pence), (4, pieces)):
        true = [read(line[place]) for line in original]
        values = [value for value in true if value is not None]
        assert len(values) == len(true)
        mean = Fraction(sum(values), len(values))
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        parts = [distance(line[place], value, read) for line, value in zip(release, values, strict=True)]
        steps = sum(part[1] for part in parts)
        alone = sum(part[0] for part in parts)
        if steps and not deviation:
            by_column.append(None)
        else:
            by_column.append((float(alone) + (float(steps) / deviation if steps else 0)) / len(parts))
    of_items = [item_loss(b[2], a[2], items) for a, b in zip(original, release, strict=True)]
    by_column.insert(1, float(sum(of_items) / len(of_items)))
    return by_column


CUSTOMERS, DAYS = ["7", "8", "日本", "NULL", ""], ["2010/12/1", "2010/12/01", "2011/2/28", "2011/11/30"]
ITEMS, PRICES, PIECES = (
    ["A", "B", "東京", "", "}", "*", "null"],
    ["1", "1.1", "1.10", "0.01"],
    ["1", "4", "12"],
)
ODD = [
    "",
    "*",
    "[3;1]",
    "{}",
    "{;}",
    "[;]",
    "[1;2;3]",
    "NULL",
    "é",
    "-1",
    "[*;*]",
    "{A;B}",
    "[4]",
    "0",
    "0.00",
    "1.",
    "01",
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Line], list[Line]]:
    """An original and what was made of it, mostly by the rules."""
    ways = [st.sampled_from(values) for values in (CUSTOMERS, DAYS, ITEMS, PRICES, PIECES)]
    original: list[Line] = draw(st.lists(st.tuples(*ways), min_size=1, max_size=6))
    names = {line[0]: str(100 + place) for place, line in enumerate(original)}
    reads = {1: day, 3: pence, 4: pieces}

    def cell(place: int, true: str) -> str:
        way = draw(st.sampled_from("==*[[[" + "?" * draw(st.integers(0, 1))))
        if way in "=*":
            return true if way == "=" else "*"
        if way == "?":
            return draw(st.sampled_from([*ODD, *DAYS, *PRICES]))
        if place == 2:
            others = draw(st.lists(st.sampled_from(original), max_size=3))
            return "{" + ";".join(dict.fromkeys([true, *(line[2] for line in others)])) + "}"
        others = [true, *draw(st.lists(st.sampled_from({1: DAYS, 3: PRICES, 4: PIECES}[place]), max_size=2))]
        others.sort(key=lambda text: reads[place](text) or 0)
        return f"[{others[0]};{others[-1]}]"

    release: list[Line] = []
    for line in original:
        if draw(st.integers(0, 5)) == 0:
            release.append(("*", "*", "*", "*", "*"))
            continue
        pseudonym = names[line[0]] if draw(st.integers(0, 30)) else draw(st.sampled_from(["100", "*", "x"]))
        release.append((pseudonym, *(cell(place, line[place]) for place in range(1, 5))))  # type: ignore[arg-type]
    return original, release


@LIGHT
@given(tables())
def test_oracle(drawn: tuple[list[Line], list[Line]]) -> None:
    original, release = drawn
    put("O.csv", original)
    put("R.csv", release)
    try:
        expected = losses(original, release)
    except Refused:
        with pytest.raises(SourceError, match=r'^"R\.csv" '):
            pwscup.score_2018("O.csv", "R.csv")
        return
    score = pwscup.score_2018("O.csv", "R.csv")
    for column, loss in zip(score.columns, expected, strict=True):
        assert close(column.loss, loss), column
    known = [loss for loss in expected if loss is not None]
    assert close(score.loss, math.fsum(known) / 4 if len(known) == 4 else None)


# --- guesses -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


def judged(connection: duckdb.DuckDBPyConnection, guesses: int, right: int) -> dict[str, int | bool]:
    connection.execute(f"CREATE OR REPLACE TABLE truth AS SELECT i AS c, i AS p FROM range({guesses}) t(i)")
    connection.execute(
        f"CREATE OR REPLACE TABLE guess AS SELECT i + CAST(i >= {right} AS INT) * 9999 AS c, i AS p "
        f"FROM range({guesses}) t(i)"
    )
    tables = {"truth": identifier("truth"), "guess": identifier("guess")}
    return row(connection, "declared_unsafe", **tables, person="c", pseudonym="p")


def needed(guesses: int) -> int:
    """r(n) in whole numbers: the tail of C(n, j) 3^(n - j) stays below 3^n / 2000."""
    tail, least = 0, guesses + 1
    while least > 1:
        tail += math.comb(guesses, least - 1) * 3 ** (guesses - least + 1)
        if 2000 * tail >= 3**guesses:
            break
        least -= 1
    return least


@pytest.mark.parametrize(("guesses", "least"), [(4, 5), (10, 10), (50, 34), (100, 65), (1000, 612)])
def test_so_many_right_guesses_are_needed(
    connection: duckdb.DuckDBPyConnection, guesses: int, least: int
) -> None:
    """As the rules give them."""
    for right in {min(least, guesses), least - 1}:
        assert judged(connection, guesses, right) == {
            "guesses": guesses,
            "right_guesses": right,
            "needed_guesses": least,
            "unsafe": right >= least,
        }
    assert needed(guesses) == least


def test_needed_guesses_as_defined(connection: duckdb.DuckDBPyConnection) -> None:
    for guesses in (*range(40), 333, 2500):
        assert judged(connection, guesses, 0)["needed_guesses"] == needed(guesses)


def test_the_published_thresholds() -> None:
    lines = shared("pwscup/2018/R.csv").read_text(encoding="utf-8").split()
    assert len(lines) == 1001
    for guesses, line in thinned(enumerate(lines), 5):
        assert int(line.split(",")[1]) == needed(guesses)


def test_a_guess_declares_a_release_unsafe() -> None:
    """Of seven guesses all have to be right."""
    put("O.csv", [f"{i},2010/12/1,A,1.00,4" for i in range(1, 8)])
    put("A.csv", [f"{10 + i},2010/12/1,A,1.00,4" for i in range(1, 8)])
    put("right.csv", [f"{10 + i},{i}" for i in range(1, 8)])
    put("wrong.csv", [f"{10 + i},{max(i, 2)}" for i in range(1, 8)])
    put("few.csv", [f"{10 + i},{i}" for i in range(1, 7)], "\r\n")
    score = pwscup.score_2018("O.csv", "A.csv", guesses=["few.csv", "wrong.csv", "right.csv"])
    assert [(one.guesses, one.right_guesses, one.needed_guesses, one.unsafe) for one in score.guesses] == [
        (6, 6, 7, False),
        (7, 6, 7, False),
        (7, 7, 7, True),
    ]
    assert score.unsafe is True
    assert "A.csv is unsafe: of 7 guesses in right.csv, 7 are right" in " ".join(score.to_text().split())
    done = command("pwscup", "score-2018", "O.csv", "A.csv", "--guess", "wrong.csv", "--format", "json")
    assert (done.code, done.json["unsafe_guesses"]) == (0, 0)
    assert done.json == pwscup.score_2018("O.csv", "A.csv", guesses=["wrong.csv"]).to_dict()
    gate = ("--fail-on", "unsafe_guesses > 0")
    for guess, code in (("wrong.csv", 0), ("right.csv", 1)):
        assert command("pwscup", "score-2018", "O.csv", "A.csv", "--guess", guess, *gate).code == code


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("3,7", "names pseudonyms that the release has not (row 2)"),
        ("2,9", "names customers that the original has not (row 2)"),
        ("1,8", "names a pseudonym more than once (row 2)"),
        ("2,8,1", "has lines of another number of fields than 2 (row 2)"),
    ],
)
def test_a_guess_that_breaks_the_rules_is_refused(line: str, sentence: str) -> None:
    put("A.csv", ["1,2010/12/1,A,1.00,4", "2,2010/12/31,B,1.10,8"])
    put("G.csv", ["1,7", line])
    with pytest.raises(SourceError, match=re.escape(f'"G.csv" {sentence}')):
        pwscup.score_2018("T.csv", "A.csv", guesses=["G.csv"])


def test_the_table_of_2018() -> None:
    """As the original itself it loses nothing, and one right guess says nothing."""
    original = shared("pwscup/2018/T.csv")
    score = pwscup.score_2018(original, original, guesses=[shared("pwscup/2018/F.csv")])
    assert (score.records, score.users, score.loss, score.unsafe) == (81_776, 1000, 0, False)
    assert score.columns[2].deviation == pytest.approx(1046.7072884608049, rel=1e-14)
