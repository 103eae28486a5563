"""Purchase histories of the contest: reading, the constraints, and the tables around a release."""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests import pwscup
from duckrisk.contests.common import count_rows
from duckrisk.contests.pwscup import tables
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Options
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.source import Request
from tests.command import command, refused
from tests.shared_data import shared
from tests.tables import LIGHTER, connect, make, run, thinned

PRELIMINARY = "pwscup/2017_preliminary/"
#: The worked example of the contest, with dates of two months.
T = """\
101,0,2011/1/5,10:00,A,2.00,12
101,0,2011/1/5,10:00,B,1.00,24
102,0,2011/1/9,11:00,A,2.00,36
102,0,2011/2/3,11:00,B,1.00,6
103,0,2011/2/7,9:05,C,5.00,3
103,0,2011/2/7,9:05,A,2.00,4
"""
RELEASE = """\
p1,0,2011/1/5,10:00,A,1.50,12
p1,0,2011/1/5,10:00,B,1.00,24
p2,0,2011/1/14,11:00,A,2.00,24
DEL,,,,,,
p3,0,2011/2/7,9:05,C,5.00,3
p3,0,2011/2/7,9:05,A,2.00,4
"""
NOBODY = ",DEL" * 10
F = f"101,DEL,p1{NOBODY}\n102,DEL,p2{NOBODY}\n103,DEL,DEL,p3{NOBODY[4:]}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def violated(report: Any, place: int = 0) -> dict[str, tuple[int, list[int]]]:
    entry = report.data["tables"][place]
    return {c["constraint"]: (c["violations"], c["rows"]) for c in entry["constraints"] if c["violations"]}


# --- the real files ------------------------------------------------------------------------------


def test_facts_of_the_real_files() -> None:
    names = ("T.csv", "M.csv", "AT_sample.csv", "F_sample.csv", "T25.csv", "T100.csv")
    files = {name: Request(str(shared(PRELIMINARY + name))) for name in names}
    with Session(Resources(threads=2)) as session:

        def rows(sql: str) -> list[Any]:
            found: list[Any] = session.run_in_worker(
                lambda: session._connection.execute(sql).fetchall(), "test"
            )
            return found

        opened = Files(
            session,
            Options(),
            files["T.csv"],
            files["M.csv"],
            [files["AT_sample.csv"]],
            {25: files["T25.csv"], 100: files["T100.csv"]},
            [files["F_sample.csv"]],
        )
        original = tables.load_history(session, opened)
        assert (original.records, original.users, original.periods) == (44_917, 500, 12)
        assert original.incomplete_records == 0
        months = rows("SELECT period, COUNT(*) FROM pws_original GROUP BY period ORDER BY period")
        expected = [3049, 2357, 2026, 3282, 2606, 3196, 3326, 2980, 2740, 5301, 5985, 8069]
        assert months == list(enumerate(expected))
        assert rows("SELECT COUNT(DISTINCT (user_id, period)) FROM pws_original") == [(1_348,)]
        # Positions are those of the file.
        lines = shared(PRELIMINARY + "T.csv").read_text().split()
        places = (0, 12_345, 44_916)
        for place in places:
            ((*cells, day),) = rows(
                "SELECT user_id, invoice, clock, item, price, quantity, day FROM pws_original "
                f"WHERE record = {place + 1}"
            )
            user, invoice, date, clock, item, price, quantity = lines[place].split(",")
            assert cells == [user, invoice, clock, item, price, int(quantity)]
            assert f"{day.year}/{day.month}/{day.day}" == date
        assert tables.load_release(session, opened, 0, original, "a_t") == 22_458
        assert count_rows(session, "a_t") == 44_917
        tables.make_released(session, "a_t", "s")
        assert rows("SELECT COUNT(*) FROM s") == [(22_458,)]
        # The committee's table has the pseudonyms of all cells, also those with no record left.
        tables.make_truth(session, original, "a_t", "f")
        tables.load_guess(session, opened, 0, original, "shipped")
        assert rows("FROM f EXCEPT FROM shipped") == []
        assert rows("SELECT COUNT(*) FROM shipped") == [(1_348,)]
        gone = "SELECT user_id, period FROM shipped EXCEPT SELECT user_id, period FROM f"
        left = "SELECT user_id, o.period FROM pws_original o JOIN a_t USING (record) WHERE pseudonym <> ''"
        assert len(rows(gone)) == 26
        assert rows(f"({gone}) INTERSECT ({left})") == []
        for alpha, count in ((25, 11_229), (100, 44_917)):
            tables.load_partial(session, opened, alpha, original, f"k{alpha}")
            assert count_rows(session, f"k{alpha}") == count
        for alpha, count in ((25, 11_229), (50, 22_459), (75, 33_688), (100, 44_917)):
            tables.draw_partial(session, original, alpha, 0, 2, "k")
            assert count_rows(session, "k") == count
        assert rows("FROM k EXCEPT FROM k100") == []


@pytest.mark.slow
def test_commands_on_the_real_files() -> None:
    original, release = shared(PRELIMINARY + "T.csv"), shared(PRELIMINARY + "AT_sample.csv")
    result = command("pwscup", "check", "--original", original, release, "--format", "json", "-q")
    assert result.code == 0, result.err
    (entry,) = result.json["tables"]
    assert entry["passed"]
    assert [c["number"] for c in entry["constraints"] if c["number"]] == list(range(1, 13))
    for name, threads in (("a.csv", 1), ("b.csv", 2)):
        made = command("pwscup", "release", release, "-o", name, "--seed", 7, "--threads", threads)
        assert made.code == 0, made.err
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    survivors = [line for line in release.read_text().split() if not line.startswith("DEL,")]
    shuffled = Path("a.csv").read_text().split()
    assert shuffled != survivors
    assert Counter(shuffled) == Counter(survivors)
    made = command("pwscup", "partial-knowledge", original, "--alpha", 100, "-o", "t100.csv")
    assert made.out == "Wrote t100.csv: 44,917 of 44,917 records.\n"
    assert Path("t100.csv").read_bytes() == shared(PRELIMINARY + "T100.csv").read_bytes()


# --- the worked example ---------------------------------------------------------------------------


def test_the_tables_of_the_worked_example() -> None:
    put("T.csv", T), put("AT.csv", RELEASE)
    made = pwscup.pseudonyms("T.csv", "AT.csv", "F.csv")
    assert (made.records, made.filled) == (3, 3)
    assert Path("F.csv").read_text() == F
    assert oct(Path("F.csv").stat().st_mode)[-3:] == "600"
    assert pwscup.check("T.csv", "AT.csv", guesses=["F.csv"]).passed
    pwscup.release("AT.csv", "S.csv", seed=3)
    assert sorted(Path("S.csv").read_text().split()) == sorted(set(RELEASE.split()) - {"DEL,,,,,,"}, key=str)
    put("long.csv", "".join(f"p{n},0,2011/1/5,9:05,A,1,1\n" for n in range(40)))
    for name in ("one.csv", "other.csv"):
        pwscup.release("long.csv", name)  # without a seed nobody can find the order that was
    assert Path("one.csv").read_bytes() != Path("other.csv").read_bytes()
    with pytest.raises(UsageError, match="exists already; add --overwrite"):
        pwscup.release("AT.csv", "S.csv")
    with pytest.raises(UsageError, match="part of the source"):
        pwscup.release("AT.csv", "AT.csv", overwrite=True)
    with pytest.raises(UsageError, match=r"in \.csv"):
        pwscup.release("AT.csv", "S.parquet")
    pwscup.partial_knowledge("T.csv", "half.csv", alpha=50, item_prefix=0)
    lines = Path("half.csv").read_text().split("\n")[:-1]
    assert len(lines) == 6
    assert all(line in ("DEL,,,,,,", line_of_t) for line, line_of_t in zip(lines, T.split(), strict=True))


def test_windows_lines_and_a_last_line_without_end() -> None:
    put("T.csv", T.replace("\n", "\r\n")), put("AT.csv", RELEASE[:-1])
    assert pwscup.check("T.csv", "AT.csv").passed


# --- constraints ----------------------------------------------------------------------------------


def lines_with(changes: dict[int, str], content: str = RELEASE) -> str:
    lines = content.split("\n")
    for row, line in changes.items():
        lines[row - 1] = line
    return "\n".join(lines)


HOSTILE: dict[str, tuple[str | bytes, dict[str, tuple[int, list[int]]]]] = {
    "byte order mark": (b"\xef\xbb\xbf" + RELEASE.encode(), {"byte_order_mark": (1, [])}),
    "UTF-16": (RELEASE.encode("utf-16"), {"encoding": (1, [])}),
    "header": ("pid,invoice,date,time,item,price,n\n" + RELEASE, {"header": (1, [])}),
    "one Windows line": (RELEASE.replace("24\n", "24\r\n", 1), {"line_ends": (1, [2])}),
    "Windows lines": (RELEASE.replace("\n", "\r\n"), {"line_ends": (6, [1, 2, 3, 4, 5])}),
    "old Mac lines": (RELEASE.replace("\n", "\r"), {"line_ends": (6, [1, 2, 3, 4, 5])}),
    "quotes": (RELEASE.replace("p1", '"p1"'), {"quotes": (2, [1, 2])}),
    "fields": (lines_with({2: "p1,0"}), {"fields": (1, [2]), "period": (1, [2]), "item": (1, [2])}),
    "cells of deleted": (lines_with({4: "DEL,0,,,,,"}), {"deleted": (1, [4])}),
    "survivors": (lines_with(dict.fromkeys((1, 2, 3, 4), "DEL,,,,,,")), {"survivors": (1, [])}),
    "pseudonyms": (RELEASE.replace("p3", "p 3"), {"pseudonym_characters": (2, [5, 6])}),
    "invoices": (RELEASE.replace("p2,0", "p2,ä"), {"invoice_characters": (1, [3])}),
    "no date": (RELEASE.replace("2011/1/14", "2011/2/30"), {"date": (1, [3])}),
    "padded date": (RELEASE.replace("2011/2/7", "2011/02/07"), {"date": (2, [5, 6])}),
    "another month": (RELEASE.replace("2011/1/14", "2011/2/14"), {"period": (1, [3])}),
    "another year": (RELEASE.replace("2011/2/7", "2010/2/7"), {"period": (2, [5, 6])}),
    "times": (RELEASE.replace("11:00", "25:00"), {"time": (1, [3])}),
    "items": (RELEASE.replace(",C,", ",X,"), {"item": (1, [5])}),
    "prices": (RELEASE.replace("1.50", "1.505"), {"price": (1, [1])}),
    "quantities": (RELEASE.replace(",4\n", ",-4\n"), {"quantity": (1, [6])}),
    "customers": (RELEASE.replace("p1", "103"), {"customer": (2, [1, 2])}),
    "two pseudonyms": (RELEASE.replace("p1,0", "p9,0", 1), {"one_pseudonym": (1, [2])}),
    "a row less": (RELEASE[: RELEASE.rindex("p3")], {"records": (1, [6])}),
    "a row more": (RELEASE + "p3,0,2011/2/7,9:05,A,2.00,4\n", {"records": (1, [7])}),
}


@pytest.mark.parametrize("what", thinned(HOSTILE, 3))
def test_every_violation_is_counted(what: str) -> None:
    content, expected = HOSTILE[what]
    put("T.csv", T), put("AT.csv", content)
    report = pwscup.check("T.csv", "AT.csv")
    assert violated(report) == expected
    assert not report.passed
    with Session(Resources(threads=2)) as session:
        opened = Files(session, Options(), Request("T.csv"), releases=[Request("AT.csv")])
        original = tables.load_history(session, opened)
        if what == "survivors":
            tables.load_release(session, opened, 0, original, "a_t")
            return
        with pytest.raises(SourceError, match=r'^"AT.csv" .*\.$') as raised:
            tables.load_release(session, opened, 0, original, "a_t")
        assert raised.value.exit_code == 3


GUESSES = {
    "header": ("user" + ",x" * 12 + "\n" + F, {"header": (1, [])}),
    "columns": (F.replace("101,DEL", "101", 1), {"fields": (1, [1])}),
    "missing": (F[: F.index("103")], {"missing": (1, [])}),
    "unknown": (F + f"999,DEL,p1{NOBODY}\n", {"unknown": (1, [4])}),
    "twice": (F + f"103,DEL,p1{NOBODY}\n", {"repeated": (1, [4])}),
    "unsorted": (
        "".join(sorted(F.splitlines(keepends=True), reverse=True)),
        {"sorted": (2, [2, 3])},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", GUESSES)
def test_guesses(what: str) -> None:
    content, expected = GUESSES[what]
    put("T.csv", T), put("F.csv", content)
    assert violated(pwscup.check("T.csv", guesses=["F.csv"])) == expected


def test_check_on_the_command_line() -> None:
    put("T.csv", T), put("AT.csv", RELEASE.replace("p3", "101").replace("1.50", "x"))
    result = command("pwscup", "check", "--original", "T.csv", "AT.csv")
    assert result.code == 1
    assert "2 of 19 constraints are violated" in " ".join(result.out.split())
    assert max(map(len, result.out.splitlines())) <= 80
    assert "101" not in result.out  # no value of a record
    shown = command("pwscup", "check", "--original", "T.csv", "AT.csv", "--show-values")
    assert "101, 101" in shown.out
    text = command("pwscup", "check", "--original", "T.csv", "AT.csv", "--format", "markdown").out
    assert "| 10 | no pseudonym is a customer | 2 | 5, 6 |" in text
    refused(2, "html", arguments=["pwscup", "check", "--original", "T.csv", "AT.csv", "--format", "html"])
    refused(2, "Nothing is given to check", arguments=["pwscup", "check", "--original", "T.csv"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (T + "DEL,,,,,,\n", "deleted records"),
        ("u,i,d,t,s,p,q\n" + T, "column names"),
        ("a,b\nc,d\n", "number of fields"),
        (T.replace("2011/2/3", "2012/2/3"), "more than one year"),
        (T.replace("6\n", "many\n"), "quantities"),
        (b"PAR1xxxx", "parquet"),
        (b"", "empty file"),
    ],
)
def test_originals_that_are_none(content: str | bytes, words: str) -> None:
    put("T.csv", content), put("AT.csv", RELEASE)
    with pytest.raises(SourceError, match=words):
        pwscup.check("T.csv", "AT.csv")


# --- any history ----------------------------------------------------------------------------------

COLUMNS = {"user": "who", "date": "when", "item": "what", "price": "paid"}


def test_any_history_in_quarters() -> None:
    put(
        "o.csv",
        'who,when,what,paid\nann,2023-11-03 10:00,tea,1.50\nbob,2024-02-09 11:30,"milk, cold",2\n'
        ",2024-02-09 11:30,egg,2\nbob,2024-08-01 09:00,tea,0.25\n",
    )
    put(
        "r.csv",
        "who,when,what,paid\nP1,2023-12-24 10:00,tea,1.50\nP2,2024-01-01 11:30,tea,2\n"
        ",2024-02-09 11:30,egg,2\n,,,\n",
    )
    report = pwscup.check("o.csv", "r.csv", period="quarter", **COLUMNS)
    assert report.passed
    assert report.data["original"]["periods"] == 4
    assert report.data["original"]["incomplete_records"] == 1
    entry = report.data["tables"][0]
    assert {c["constraint"]: c["skipped"] for c in entry["constraints"] if c["skipped"]} == {
        "pseudonym_characters": "form",
        "invoice_characters": "form",
        "time": "no_column",
        "quantity": "no_column",
    }
    assert violated(pwscup.check("o.csv", "r.csv", **COLUMNS)) == {"period": (2, [1, 2])}
    pwscup.pseudonyms("o.csv", "r.csv", "f.csv", period="quarter", **COLUMNS)
    assert Path("f.csv").read_text().splitlines() == [
        "who,2023-Q4,2024-Q1,2024-Q2,2024-Q3",
        "ann,P1,DEL,DEL,DEL",
        "bob,DEL,P2,DEL,DEL",
    ]
    assert pwscup.check("o.csv", guesses=["f.csv"], period="quarter", **COLUMNS).passed
    Path("duckrisk.toml").write_text(
        '[history]\nuser = "who"\ndate = "when"\nitem = "what"\nperiod = "quarter"\n'
    )
    assert command("pwscup", "check", "--original", "o.csv", "r.csv").code == 0
    assert command("pwscup", "release", "r.csv", "-o", "s.parquet").out == "Wrote s.parquet: 2 records.\n"
    made = command("pwscup", "partial-knowledge", "o.csv", "--alpha", 34, "-o", "k.csv", "--item-prefix", 1)
    assert made.out == "Wrote k.csv: 1 of 4 records.\n"
    with pytest.raises(UsageError, match="column of the date is not named"):
        pwscup.check("o.csv", "r.csv", user="who")


# --- against Python -------------------------------------------------------------------------------

HISTORY = {
    "record": "BIGINT", "user_id": "VARCHAR", "period": "INTEGER", "day": "DATE", "clock": "VARCHAR",
    "invoice": "VARCHAR", "item": "VARCHAR", "price": "VARCHAR", "quantity": "BIGINT",
}  # fmt: skip


@pytest.mark.slow
@LIGHTER
@given(
    numbers=st.sets(st.integers(1, 300), max_size=40),
    alpha=st.sampled_from([0, 1, 12.5, 25, 33.3, 50, 99.9, 100]),
    seed=st.integers(0, 2**63 - 1),
    prefix=st.sampled_from([None, 1, 3]),
)
def test_partial_knowledge_is_the_first_in_the_order_of_md5(
    numbers: set[int], alpha: float, seed: int, prefix: int | None
) -> None:
    connection = connect()
    rows = [(n, f"u{n % 7}", n % 12, None, None, None, f"が{n}", None, 1) for n in sorted(numbers)]
    source = make(connection, HISTORY, rows)
    text = tables.format_percent(alpha)
    run(connection, "partial_records", name="k", original=source, alpha=text, seed=seed, prefix=prefix)
    found = connection.execute("SELECT record, item FROM k ORDER BY record").fetchall()
    ranked = sorted(
        numbers, key=lambda n: (hashlib.md5(f"partial {seed} {text} {n}".encode()).hexdigest(), n)
    )
    kept = sorted(ranked[: (round(alpha * 10) * len(numbers) + 500) // 1000])
    assert found == [(n, f"が{n}"[:prefix]) for n in kept]


@LIGHTER
@given(
    cells=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", 'x"y', "が"]),
            st.integers(0, 3),
            st.sampled_from([None, "p", "q", "DEL2"]),
        ),
        max_size=20,
    )
)
def test_truth_is_the_last_surviving_pseudonym(cells: list[tuple[str, int, str | None]]) -> None:
    connection = connect()
    original = [
        (n, user, period, None, None, None, "i", None, 1) for n, (user, period, _) in enumerate(cells, 1)
    ]
    released = [
        (n, pid, period, None, None, None, "i", None, 1) for n, (_, period, pid) in enumerate(cells, 1)
    ]
    make(connection, HISTORY, original, "o")
    columns = {("pseudonym" if name == "user_id" else name): kind for name, kind in HISTORY.items()}
    make(connection, columns, released, "r")
    run(connection, "true_pseudonyms", name="f", original="o", release="r")
    expected = {(user, period): pid for user, period, pid in cells if pid is not None}
    found = connection.execute("SELECT user_id, period, pseudonym FROM f").fetchall()
    assert {(user, period): pid for user, period, pid in found} == expected
    assert len(found) == len(expected)
    run(connection, "make_users", name="u", source="o")
    run(
        connection,
        "pseudonym_table",
        name="wide",
        source=identifier("f"),
        users=identifier("u"),
        periods=4,
        order=Sql("user_id"),
    )
    run(
        connection,
        "guessed_pseudonyms",
        name="g",
        source=Sql(
            "(SELECT user_id, " + ", ".join(f"NULLIF(p{k}, 'DEL') AS p{k}" for k in range(4)) + " FROM wide)"
        ),
        periods=4,
    )
    back = connection.execute("SELECT user_id, period, pseudonym FROM g").fetchall()
    assert {(user, period): pid for user, period, pid in back} == expected


# --- anonymize ------------------------------------------------------------------------------------


def months(date: str) -> int:
    year, month, _ = map(int, date.split("/"))
    return 12 * year + month - 1


@pytest.mark.slow
@pytest.mark.parametrize("life", [1, 5, None])
def test_a_release_is_what_python_says(life: int | None) -> None:
    chance = random.Random(4)
    history = [
        [
            str(100 + chance.randrange(9)),
            "0",
            f"2011/{chance.randint(1, 7)}/{chance.randint(1, 28)}",
            f"{n % 24}:05",
            f"I{int(chance.expovariate(0.08))}",
            "900" if n == 77 else f"{chance.randint(1, 5)}.5",
            str(n % 3 + 1),
        ]
        for n in range(400)
    ]
    history[77][4] = history[78][4] = "I0"
    put("T.csv", "".join(",".join(row) + "\r\n" for row in history))
    buyers: dict[str, set[str]] = {}
    for row in history:
        buyers.setdefault(row[4], set()).add(row[0])
    bought = Counter(row[4] for row in history)
    rare = {item for item in bought if bought[item] == 1 or len(buyers[item]) < 3}
    kept = [row for row in history if row[4] not in rare]
    prices = [float(row[5]) for row in kept]
    mean = sum(prices) / len(prices)
    spread = (sum((price - mean) ** 2 for price in prices) / len(prices)) ** 0.5
    deleted = {n for n, row in enumerate(history) if row[4] in rare or abs(float(row[5]) - mean) > 4 * spread}
    assert len(rare) > 0
    assert 77 in deleted
    made = pwscup.anonymize(
        "T.csv", "AT.csv", life=life, delete_rare_items=3, delete_outliers=4,
        perturb_dates=0.5, perturb_items=0.5, seed=5,
    )  # fmt: skip
    assert (made.records, made.left) == (400, 400 - len(deleted))
    assert pwscup.check("T.csv", "AT.csv").passed
    released = [line.split(",") for line in Path("AT.csv").read_text().splitlines()]
    assert {n for n, row in enumerate(released) if row == ["DEL", "", "", "", "", "", ""]} == deleted
    pairs = [(own, new) for own, new in zip(history, released, strict=True) if new[0] != "DEL"]
    for own, new in pairs:
        assert (months(own[2]), own[1], own[3], *own[5:]) == (months(new[2]), new[1], new[3], *new[5:])
    for place in (2, 4):  # dates and items change places, within a month each
        assert any(own[place] != new[place] for own, new in pairs)
        assert Counter((months(own[2]), own[place]) for own, _ in pairs) == Counter(
            (months(new[2]), new[place]) for _, new in pairs
        )
    first = min(months(own[2]) for own, _ in pairs)
    lives = {((months(own[2]) - first) // (life or 999), own[0]): new[0] for own, new in pairs}
    assert len(set(lives.values())) == len(lives) == made.steps[-1].pseudonyms
    assert all(lives[(months(own[2]) - first) // (life or 999), own[0]] == new[0] for own, new in pairs)


def test_incomplete_records_are_deleted() -> None:
    """What is none of the history goes out empty, and the recipe says how the rest was made."""
    put(
        "o.csv",
        "who,when,what,note\nann,2024-01-01,tea,a\n,2024-01-02,SECRET1,SECRET2\nbob,2024-01-03,,SECRET3\n"
        "bob,,tea,SECRET4\nDEL,2024-01-02,tea,SECRET5\nbob,2024-01-03,tea,b\n",
    )
    made = pwscup.anonymize("o.csv", "r.csv", user="who", date="when", item="what", perturb_items=1, seed=3)
    assert (made.records, made.left, made.incomplete) == (6, 2, 4)
    lines = Path("r.csv").read_text().splitlines()
    assert lines[2:6] == [",,,"] * 4
    assert [line.rpartition(",")[2] for line in (lines[1], lines[6])] == ["a", "b"]
    recipe = made.recipe_path.read_text()
    assert tomllib.loads(recipe)["step"][-1]["method"] == "pseudonymize"
    assert "SECRET" not in recipe
    Path("r.csv").unlink()
    with pytest.raises(UsageError, match=r"recipe .* exists already"):
        pwscup.anonymize("o.csv", "r.csv", user="who", date="when", item="what")


def test_a_price_that_a_deleted_record_keeps_is_told() -> None:
    put("o.csv", "who,when,what,paid\nann,2024-01-01,tea,1\nbob,2024-01-02,tea,7\n")
    put("r.csv", "who,when,what,paid\nP1,2024-01-01,tea,1\n,,,7\n")
    assert violated(pwscup.check("o.csv", "r.csv", **COLUMNS)) == {"deleted": (1, [2])}


def test_anonymize_on_the_command_line() -> None:
    put(
        "o.csv", "who,when,what,paid\n" + "".join(f"u{n % 3},2024-01-{n + 1:02},tea,{n}\n" for n in range(20))
    )
    columns = ["--user", "who", "--date", "when", "--item", "what", "--price", "paid", "--period", "week"]
    arguments = ["pwscup", "anonymize", "o.csv", *columns, "--life", 2, "--delete-outliers", 1, "--seed", 1]
    result = command(*arguments, "-o", "r.csv")
    assert result.code == 0, result.err
    assert "20 records, 12 of them not deleted" in result.out
    assert re.search("delete-outliers +paid +8 records left out, 12 kept", result.out)
    assert command("pwscup", "check", "--original", "o.csv", "r.csv", *columns).code == 0
    again = command(*arguments, "-o", "again.csv", "--threads", 1, "--format", "json", "-q")
    assert [step["method"] for step in again.json["steps"]] == ["delete-outliers", "pseudonymize"]
    assert "外れ値のレコード削除" in command(*arguments, "-o", "again.csv", "--overwrite", "--lang", "ja").out
    refused(2, "not as csv", arguments=[*arguments, "-o", "x.csv", "--format", "csv"])
    assert Path("again.csv").read_bytes() == Path("r.csv").read_bytes()
    refused(2, "--life", arguments=[*arguments[:-6], "--life", "x", "-o", "x.csv"])
    refused(2, "life", arguments=[*arguments[:-6], "--life", "0", "-o", "x.csv"])
    refused(2, "exists already", arguments=[*arguments, "-o", "r.csv"])


@pytest.mark.parametrize(
    ("numbers", "out"),
    [
        ([0.1] * 7, set()),
        ([150_000.0, 3e9, *[12.5] * 40], {3e9}),
        ([*[1e-9 * i for i in range(50)], 1e-6], {1e-6}),
        ([0.0, None, float("inf")], {float("inf")}),
        ([None], set()),
    ],
    ids=str,
)
def test_outliers_of_numbers_of_any_size(numbers: list[float | None], out: set[float]) -> None:
    with connect() as connection:
        make(connection, {"x": "DOUBLE"}, [[number] for number in numbers])
        (limits,) = run(connection, "outlier_limits", source="t", column="x", deviations=4.0)
        within = render("is_within", column="x", **limits)
        found = connection.execute(f"SELECT x FROM t WHERE NOT {within}").fetchall()
    assert {number for (number,) in found} == out


def test_the_first_rows_of_what_is_wrong_by_hand() -> None:
    rows = [("a", 3, "x"), ("a", 1, "y"), ("a", 2, None), ("a", None, "z"), ("b", None, None)]
    with connect() as connection:
        make(connection, {"violated": "VARCHAR", "record": "BIGINT", "value": "VARCHAR"}, rows, "v")
        two, four = (run(connection, "count_violations", source="v", max_rows=most) for most in (2, 4))
    assert [tuple(one.values()) for one in two] == [("a", 4, [1, 2], ["y"]), ("b", 1, [], [])]
    assert [tuple(one.values()) for one in four] == [("a", 4, [1, 2, 3], ["y", "x", "z"]), ("b", 1, [], [])]


def test_what_of_a_partial_table_is_wrong_by_hand() -> None:
    """The first has another day, the second another user, the third is gone, and one more is nobody's."""
    original = [(1, "a", 1), (2, "b", 1), (3, "c", 1), (4, "a", 1)]
    partial = [(1, False, "a", 2), (2, False, "c", 1), (4, True, None, None), (5, False, "z", 1)]
    with connect() as connection:
        make(connection, {"record": "BIGINT", "user_id": "VARCHAR", "day": "INTEGER"}, original, "o")
        kinds = {"record": "BIGINT", "deleted": "BOOLEAN", "person": "VARCHAR", "day": "INTEGER"}
        make(connection, kinds, partial, "p")
        make(connection, {"user_id": "VARCHAR"}, [("a",), ("b",), ("c",)], "users")
        run(connection, "begin_violations", name="v")
        given = {"original": "o", "users": "users", "records": 4, "name": "v", "source": "p"}
        run(connection, "partial_violations", **given, aligned=True)
        found = connection.execute("SELECT * FROM v ORDER BY ALL").fetchall()
        run(connection, "begin_violations", name="v")
        run(connection, "partial_violations", **given, aligned=False)
        assert connection.execute("FROM v").fetchall() == [("unknown", 5, "z")]
    wrong = [("place", 1, "a"), ("place", 2, "c"), ("records", 3, None), ("records", 5, None)]
    assert found == [*wrong, ("unknown", 5, "z")]


@pytest.mark.parametrize("plain", [False, True])
def test_what_of_a_format_is_wrong_by_hand(plain: bool) -> None:
    """Of five lines behind a header three end with LF; where they may all end with CR LF, most count."""
    ends = [(1, "lf", False, 2), (2, "lf", False, 2), (3, "crlf", False, 2)]
    lines = [*ends, (4, "cr", True, 2), (5, "lf", False, 3)]
    with connect() as connection:
        kinds = {"record": "BIGINT", "ending": "VARCHAR", "quoted": "BOOLEAN", "fields": "INTEGER"}
        make(connection, kinds, lines, "lines")
        run(connection, "begin_violations", name="v")
        given = {
            "name": "v",
            "source": "lines",
            "fields": 2,
            "has_bom": True,
            "not_utf8": False,
            "header_lines": 1,
        }
        run(connection, "format_violations", **given, lf_only=plain)
        found = connection.execute("SELECT * FROM v ORDER BY ALL").fetchall()
        connection.execute("UPDATE lines SET ending = 'crlf' WHERE ending = 'lf' AND record <> 2")
        run(connection, "begin_violations", name="v")
        run(connection, "format_violations", **given, lf_only=plain)
        others = connection.execute(
            "SELECT record FROM v WHERE violated = 'line_ends' ORDER BY ALL"
        ).fetchall()
    wrong = [("byte_order_mark", None, None), ("fields", 4, "3"), ("header", None, None)]
    wrong += [("line_ends", record, None) for record in (2, 3)]
    assert found == [*wrong, ("quotes", 3, None)]
    assert others == ([(0,), (2,), (3,), (4,)] if plain else [(1,), (3,)])
