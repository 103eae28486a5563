"""Numbers and days that texts write otherwise: by hand, and against the same table written plainly."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.options.reading import merge_readings
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql
from duckrisk.release.anonymization.recipe import load
from duckrisk.report.words import Words
from duckrisk.source import VIEW, Request, Source, open_source
from duckrisk.source.readings import apply_readings
from tests.cases import Cases
from tests.command import command, refused
from tests.tables import LIGHTER, connect, thinned

WORDS = Words("en")


def write(path: Path, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    """Write a table of texts."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def opened(
    folder: Path, name: str, cells: Sequence[str], *read: str, **more: str
) -> tuple[Source, list[str]]:
    """Open a table with a column of cells, and further columns of one value each."""
    rows = [(number, cell, *more.values()) for number, cell in enumerate(cells)]
    path = write(folder / "t.csv", ["number", name, *more], rows)
    with Session(Resources(read=read)) as session:
        source = open_source(session, Request(path))
        column = source.columns[1].binding
        query = f"SELECT CAST({column} AS VARCHAR) FROM {VIEW} ORDER BY c0"
        found = [row[0] for row in session._connection.execute(query).fetchall()]
    return source, found


def said(source: Source) -> str:
    """Return all that is said of how the table was read."""
    return " ".join(WORDS.format(note) for note in source.notes)


#: How cells are written, the type that they have, and the same as the engine writes them.
NUMBERS: tuple[tuple[list[str], str, list[str | None]], ...] = (
    (["483.507,97", "1,5", "0,75"], "DOUBLE", ["483507.97", "1.5", "0.75"]),
    (["1,234.5", "7"], "DOUBLE", ["1234.5", "7.0"]),
    (["1,23,456", "7"], "BIGINT", ["123456", "7"]),
    (["66'901.48", "1\u2019000.5"], "DOUBLE", ["66901.48", "1000.5"]),
    (["71\u00a0875,16", "12,5"], "DOUBLE", ["71875.16", "12.5"]),
    (["71 875", "12"], "BIGINT", ["71875", "12"]),
    (["12%", "5%"], "BIGINT", ["12", "5"]),
    (["12.5 %", "NA"], "DOUBLE", ["12.5", None]),
    (["$34,814", "-$5"], "BIGINT", ["34814", "-5"]),
    (["¥506,330", "¥1"], "BIGINT", ["506330", "1"]),
    (["858,053円", "12円"], "BIGINT", ["858053", "12"]),
    (["66352,68 €", "1,00 €"], "DOUBLE", ["66352.68", "1.0"]),
    (["45歳", "30歳"], "BIGINT", ["45", "30"]),
    (["450万円", "1,600万円"], "BIGINT", ["450", "1600"]),
    (["216.0cm", "180cm"], "DOUBLE", ["216.0", "180.0"]),
    (["55.95 kg", "60 kg"], "DOUBLE", ["55.95", "60.0"]),
    (["６５", "３０"], "BIGINT", ["65", "30"]),
    (["(1,234)", "5"], "BIGINT", ["-1234", "5"]),
    (["▲1,234", "5"], "BIGINT", ["-1234", "5"]),
    (["NA", "3", "1e5"], "DOUBLE", [None, "3.0", "100000.0"]),
    (["?", "3"], "BIGINT", [None, "3"]),
    # A sign before three digits, always and nowhere else, stands between thousands.
    (["1,234", "5,678"], "BIGINT", ["1234", "5678"]),
    (["1,234", "0,567"], "DOUBLE", ["1.234", "0.567"]),
    (["1.234", "5.678"], "DOUBLE", ["1.234", "5.678"]),
    (["1.234", "5.678.901"], "BIGINT", ["1234", "5678901"]),
    (["1.234 €", "5.678 €"], "BIGINT", ["1234", "5678"]),
)
#: Lists, telephone numbers, codes, addresses, texts, suppressed cells and long numbers stay what they are.
TEXTS = (
    ["1,2", "1,3", "2,3"],
    ["612 345 678", "913 222 111"],
    ["007", "NA"],
    ["A12", "A13"],
    ["192.168.100.200", "192.168.100.201"],
    ["12.345.678", "23.456.789"],
    ["12", "*"],
    ["12%", "many"],
    ["12 kg", "12 cm"],
    ["1234567890123456789", "NA"],
    ["NA", "NA"],
    ["35.2747,139.5150", "35.1,139.2"],
    ["20-29", "30-39"],
    ["4.12.31", "4.2.10"],
    ["S1-02-03", "S2-04-05"],
    ["+81 312 345 678", "+1 312 345 678"],
)
DAYS: tuple[tuple[str, list[str], str, list[str | None]], ...] = (
    ("born", ["01JAN1940", "12FEB1951"], "DATE", ["1940-01-01", "1951-02-12"]),
    ("born", ["17-Mar-1981", "01-APR-1990"], "DATE", ["1981-03-17", "1990-04-01"]),
    ("born", ["01-JAN-1910", "NA"], "DATE", ["1910-01-01", None]),
    ("seen", ["Mar 5, 2021", "April 12th, 2020"], "DATE", ["2021-03-05", "2020-04-12"]),
    ("visit_date", ["20210315", "20200229"], "DATE", ["2021-03-15", "2020-02-29"]),
    (
        "seen",
        ["03/15/2021 02:30 PM", "12/01/2020 12:10 AM"],
        "TIMESTAMP",
        ["2021-03-15 14:30:00", "2020-12-01 00:10:00"],
    ),
    (
        "seen",
        ["12/1/2010 8:26", "12/13/2010 10:26"],
        "TIMESTAMP",
        ["2010-12-01 08:26:00", "2010-12-13 10:26:00"],
    ),
    ("né", ["5 août 1990", "12 févr. 1991"], "DATE", ["1990-08-05", "1991-02-12"]),
    ("tag", ["5. März 1990", "12. Dezember 1991"], "DATE", ["1990-03-05", "1991-12-12"]),
    ("dia", ["5 de agosto de 1990", "1 de enero de 1991"], "DATE", ["1990-08-05", "1991-01-01"]),
    ("生年月日", ["昭和60年4月1日", "平成元年12月3日"], "DATE", ["1985-04-01", "1989-12-03"]),
    ("生年月日", ["S60.4.1", "Ｈ3.12.3"], "DATE", ["1985-04-01", "1991-12-03"]),
    ("生年月日", ["R3/4/1", "T5/1/2"], "DATE", ["2021-04-01", "1916-01-02"]),
    ("年度", ["令和3年", "令和元年"], "DATE", ["2021-01-01", "2019-01-01"]),
    ("日付", ["2021年3月5日", "2020年12月1日"], "DATE", ["2021-03-05", "2020-12-01"]),
    ("入院日", ["2021年03月05日", "2020年12月01日"], "DATE", ["2021-03-05", "2020-12-01"]),
    ("日付", ["2021年3月", "2020年12月1日"], "DATE", ["2021-03-01", "2020-12-01"]),
    ("날짜", ["2021년 3월 5일", "2020년 12월 01일"], "DATE", ["2021-03-05", "2020-12-01"]),
    ("AESTDTC", ["2012-08", "2012-09-15", "2013"], "DATE", ["2012-08-01", "2012-09-15", "2013-01-01"]),
    ("seen", ["[10/Oct/2000:13:55:36 -0700]"], "TIMESTAMP WITH TIME ZONE", ["2000-10-10 20:55:36+00"]),
    ("seen", ["2020/3/5", "2012/10/11"], "DATE", ["2020-03-05", "2012-10-11"]),
    ("seen", ["2020-03-05", "NA"], "DATE", ["2020-03-05", None]),
    ("seen", ["13/01/2020", "01/02/2020"], "DATE", ["2020-01-13", "2020-02-01"]),
    ("seen", ["01/13/2020", "01/02/2020"], "DATE", ["2020-01-13", "2020-01-02"]),
)


@pytest.mark.slow
def test_forms(tmp_path: Path) -> None:
    with Cases() as case:
        for cells, kind, expected in thinned(NUMBERS, 3):
            with case(cells):
                source, found = opened(tmp_path, "x", cells)
                assert (source.columns[1].type, found) == (kind, expected)
        for cells in thinned(TEXTS, 3):
            with case(cells):
                source, found = opened(tmp_path, "x", cells)
                assert (source.columns[1].type, found) == ("VARCHAR", cells)
        for name, cells, kind, expected in thinned(DAYS, 3):
            with case(cells):
                source, found = opened(tmp_path, name, cells)
                assert (source.columns[1].type, found) == (kind, expected)
                assert name in said(source)


def test_centuries(tmp_path: Path) -> None:
    """Births lie before the latest year of four digits; other days need to be told."""
    cells = ["02/19/91", "08/25/48", "01/02/21", "10/30/22"]
    expected = ["1991-02-19", "1948-08-25", "2021-01-02", "1922-10-30"]
    with Cases() as case:
        for name in ("birth_date", "DOB", "生年月日", "Geburtsdatum", "fecha_nacimiento", "BRTHDTC"):
            with case(name):
                source, found = opened(tmp_path, name, cells, seen="2021-05-06")
                assert (source.columns[1].type, found, source.undated) == ("DATE", expected, ())
                assert "years of two digits as 1922-2021" in said(source)
        for name, more in (("birth_date", {}), ("visit", {"seen": "2021-05-06"})):
            with case(f"{name} is open"):
                source, found = opened(tmp_path, name, cells, **more)
                assert (source.columns[1].type, found, source.undated) == ("VARCHAR", cells, (name,))
                assert f"--read {name}=YEAR" in said(source)
        with case("told"):
            source, found = opened(tmp_path, "visit", cells, "VISIT=2022")
            assert found == ["1991-02-19", "1948-08-25", "2021-01-02", "2022-10-30"]


def test_what_is_no_day_has_no_century(tmp_path: Path) -> None:
    """Texts between days with years of two digits are no days of a century without a year."""
    cells = [f"{1 + n % 12:02}/{13 + n % 15}/{40 + n % 59}" for n in range(100)]
    for text in ("unknown", "1", "-"):
        every = [*cells[:70], text, *cells[70:]]
        source, found = opened(tmp_path, "birth_date", every, "birth_date=2020")
        assert (source.columns[1].type, found) == ("VARCHAR", every)


def test_many_columns_of_days_are_read_together(tmp_path: Path) -> None:
    """No step of reading is a join of the texts for missing cells, whose cost rises with the square."""
    names = [f"day{n}" for n in range(70)]
    days = [f"{1 + n % 28:02}/{1 + n % 12:02}/19{10 + n % 89}" for n in range(60)]
    path = write(tmp_path / "t.csv", names, [[day] * len(names) for day in days])
    with Session(Resources()) as session:
        source = open_source(session, Request(path))
        assert {column.type for column in source.columns} == {"DATE"}
        columns = ", ".join(f"c{n}" for n in range(70))
        first = session._connection.execute(f"SELECT {columns} FROM {VIEW} LIMIT 1").fetchall()
        assert set(first[0]) == {date(1910, 1, 1)}
        read = apply_readings(
            Sql("(SELECT * FROM range(9) AS t(r))"), ["r"], [replace(source.readings[0], position=0)]
        )
        plan = session._connection.execute(f"EXPLAIN SELECT * FROM {read}").fetchall()
        assert "JOIN" not in str(plan)


def test_orders(tmp_path: Path) -> None:
    """Where no day is above 12, other columns decide, else the day stands first; that is said."""
    cells = ["12/1/2010", "11/3/2010"]
    source, found = opened(tmp_path, "a", cells)
    assert found == ["2010-01-12", "2010-03-11"]
    assert "--read a=month/day/year" in said(source)
    source, found = opened(tmp_path, "a", cells, other="12/25/2010")
    assert found == ["2010-12-01", "2010-11-03"]
    source, found = opened(tmp_path, "a", cells, "a=month/day/year")
    assert found == ["2010-12-01", "2010-11-03"]
    assert "above 12" not in said(source)
    assert opened(tmp_path, "a", cells, "a=text")[1] == cells


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    with Cases() as case:
        for name, cells in (
            ("visit_date", ["12/30/2010", "unknown", "11/3/1999"]),
            ("visit_date", ["20210315", "20210316", "99999999"]),
            ("AESTDTC", ["2012-08", "2012-08-01", "2013"]),  # one would be the other
        ):
            with case(cells):
                source, found = opened(tmp_path, name, cells)
                assert found == cells
                assert "looks like days" in said(source)
        with case("a spreadsheet's"):
            source, found = opened(tmp_path, "visit_date", ["44197", "44300"])
            assert source.columns[1].type == "BIGINT"
            assert "--read visit_date=spreadsheet" in said(source)
            source, found = opened(tmp_path, "visit_date", ["44197", "44300"], "visit_date=spreadsheet")
            assert found == ["2021-01-01", "2021-04-14"]


def spellings(number: float, day: date) -> dict[str, str]:
    """Write a number and a day in several ways, the plain one first."""
    grouped = f"{number:,.1f}"
    german = grouped.translate(str.maketrans(",.", ".,"))
    era, first = ("平成", 1988) if day < date(2019, 5, 1) else ("令和", 2018)
    return {
        "plain": f"{number:.1f}|{day}",
        "thousands": f"{grouped}|{day:%d/%m/%Y}",
        "money": f"${grouped}|{day:%d%b%Y}",
        "comma": f"{german}|{day:%d.%m.%Y}",
        "unit": f"{grouped} kg|{day:%b %d, %Y}",
        "wide": f"{number:.1f}|{era}{day.year - first}年{day.month}月{day.day}日".translate(
            str.maketrans("0123456789.", "０１２３４５６７８９．")
        ),
    }


@LIGHTER
@given(st.lists(st.tuples(st.integers(-99_999_999, 99_999_999), st.dates(date(1990, 1, 1))), min_size=3))
def test_drawn_cells(tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, date]]) -> None:
    """Drawn numbers and days are those that they were, however they are written, and "NA" is none."""
    folder = tmp_path_factory.mktemp("drawn")
    # The order of days is that of the last one, and the decimal sign that of the first number.
    cells = [(4321.5, date(2010, 1, 31)), *((tenths / 10, day) for tenths, day in drawn if day.year < 2100)]
    with Cases() as case:
        for form in thinned(spellings(1.0, date(2010, 1, 1))):
            written = [("NA", "NA"), *(tuple(spellings(*cell)[form].split("|")) for cell in cells)]
            path = write(folder / f"{form}.csv", ["number", "day"], written)
            with case(form), Session() as session:
                open_source(session, Request(path))
                found = session._connection.execute(f"SELECT c0, c1 FROM {VIEW}").fetchall()
                assert Counter(found) == Counter([(None, None), *cells])


def test_typed_sources(tmp_path: Path) -> None:
    """Texts of Parquet files are read as well; plain digits are texts there."""
    path, query = tmp_path / "t.parquet", "SELECT '1' AS code, '45歳' AS age, '05/13/2020' AS day"
    with connect() as connection:
        connection.execute(f"COPY ({query} UNION ALL SELECT '2', '30歳', NULL) TO '{path}'")
    with Session() as session:
        source = open_source(session, Request(path, where="age > 40"))
        assert [column.type for column in source.columns] == ["VARCHAR", "BIGINT", "DATE"]
        assert session.fetch_row("count_records", source=VIEW)["records"] == 1


@pytest.mark.parametrize(
    ("texts", "kind"),
    [(["１", "2"], "BIGINT"), (["１", "1.0"], "VARCHAR"), (["１", "1"], "VARCHAR"), (["45", "NA"], "BIGINT")],
)
def test_two_writings_of_plain_digits_stay_two_values(tmp_path: Path, texts: list[str], kind: str) -> None:
    path = tmp_path / "t.parquet"
    pandas.DataFrame({"code": texts * 3}).to_parquet(path)
    with Session() as session:
        assert [column.type for column in open_source(session, Request(path)).columns] == [kind]


def test_only_the_texts_that_are_given_mean_a_missing_cell(tmp_path: Path) -> None:
    """An empty text beside an empty cell is a value of its own where a person says which texts mean none."""
    path = tmp_path / "t.parquet"
    pandas.DataFrame({"code": ["１", "", None]}).to_parquet(path)
    for tokens, kind in (
        ({}, "BIGINT"),
        ({"missing_tokens": ("NULL",)}, "VARCHAR"),
        ({"missing_tokens": ()}, "VARCHAR"),
        ({"missing_tokens": ("NULL", "")}, "BIGINT"),
    ):
        report = duckrisk.assess(path, only=("uniqueness",), **tokens)
        assert [column.type for column in report.source.columns] == [kind], tokens
    pandas.DataFrame({"code": ["１", None], "day": ["5 March 2020", None]}).to_parquet(path)
    report = duckrisk.assess(path, only=("uniqueness",), missing_tokens=())
    assert [column.type for column in report.source.columns] == ["BIGINT", "DATE"]


def figures(path: Path) -> Any:
    """Measure a table: all figures but the name, the digest and the sentences of the source."""
    report = duckrisk.assess(path, user="who", only=("attribute_risk", "uniqueness"), sensitive=("amount",))
    columns = [(column.name, column.type, column.role, column.missing) for column in report.source.columns]
    return columns, report.attribute_risk, report.uniqueness, report.sensitive, report.verdict.outcome


@pytest.mark.slow
def test_the_same_table_gives_the_same(tmp_path: Path) -> None:
    """Figures, roles and releases are those of the table with plain numbers, ISO days and empty cells."""
    draw = random.Random(5)
    rows = [
        (
            draw.randint(1, 40),
            draw.randint(3, 60) * 250.5,
            date(2010, 1, 1) + timedelta(draw.randint(0, 4000)),
        )
        for _ in range(120)
    ]
    steps = [
        {"method": "generalize", "column": "amount", "width": 1000},
        {"method": "generalize", "column": "seen", "moment": "quarter"},
    ]
    found: dict[str, Any] = {}
    for form in thinned(spellings(1.0, date(2010, 1, 1))):
        missing = "" if form == "plain" else "NA"
        cells = [(who, spellings(number, day)[form].split("|")) for who, number, day in rows]
        written = [
            (who, missing if place % 9 == 0 else amount, seen)
            for place, (who, (amount, seen)) in enumerate(cells)
        ]
        path = write(tmp_path / f"{form}.csv", ["who", "amount", "seen"], written)
        duckrisk.anonymize(path, tmp_path / f"{form}.out.csv", steps=steps)
        found[form] = figures(path), (tmp_path / f"{form}.out.csv").read_bytes()
    with Cases() as case:
        for form, one in found.items():
            with case(form):
                assert one == found["plain"]


def test_a_table_of_ages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells "NA" among ages are missing: they can be cut, and the release is that of empty cells."""
    monkeypatch.chdir(tmp_path)
    rows = [(n, "NA" if n % 20 == 0 else 18 + n % 70, "MF"[n % 2]) for n in range(200)]
    write(Path("na.csv"), ["person_id", "age", "sex"], rows)
    empty = [(number, "" if age == "NA" else age, sex) for number, age, sex in rows]
    write(Path("empty.csv"), ["person_id", "age", "sex"], empty)
    for name in ("na", "empty"):
        words = ("anonymize", f"{name}.csv", "-o", f"{name}.out.csv", "--generalize", "age=10")
        assert command(*words).code == 0
    assert Path("na.out.csv").read_bytes() == Path("empty.out.csv").read_bytes()


def test_recipes_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe holds order, pivot and texts of missing cells, and makes the same release again."""
    monkeypatch.chdir(tmp_path)
    write(Path("t.csv"), ["member_id", "birth_date", "n"], [(1, "02/19/91", "-"), (2, "08/25/48", 5)])
    year = ("--generalize", "birth_date=year")
    refused(2, "--read birth_date=YEAR", arguments=["anonymize", "t.csv", "-o", "no.csv", *year])
    given = ("--read", "birth_date=2026", "--missing-token=-")
    assert command("anonymize", "t.csv", "-o", "a.csv", *year, *given).code == 0
    assert Path("a.csv").read_text(encoding="utf-8").splitlines()[1:] == ["1,1991,", "2,1948,5"]
    recipe = load(Path("a.csv.recipe.toml"))
    assert recipe.read == ("birth_date=2026", "birth_date=month/day/year")
    assert recipe.missing_tokens == ("-",)
    assert command("anonymize", "t.csv", "-o", "b.csv", "--recipe", "a.csv.recipe.toml").code == 0
    assert Path("b.csv").read_bytes() == Path("a.csv").read_bytes()
    # Days that no other order could read keep theirs where they could be read by another one.
    write(Path("u.csv"), ["member_id", "birth_date", "n"], [(1, "02/03/91", "-"), (2, "04/05/48", 5)])
    duckrisk.anonymize("u.csv", "c.parquet", recipe="a.csv.recipe.toml")
    assert "month/day/year" in Path("c.parquet.recipe.toml").read_text(encoding="utf-8")


def test_the_century_is_asked_for(tmp_path: Path) -> None:
    """Nothing passes while it is open, and saying it settles that."""
    rows = [(n, f"02/{13 + n % 2}/9{n // 2 % 2}") for n in range(400)]
    path = write(tmp_path / "t.csv", ["member_id", "birth_date"], rows)
    asked = {"policy": "internal", "only": ("class_sizes", "uniqueness", "direct_identifiers")}
    report = duckrisk.assess(path, **asked)
    assert report.source.undated == ("birth_date",)
    assert "source.read.century" in {sentence.key for sentence in report.verdict.undecided_because}
    assert report.verdict.outcome == "undecided"
    told = duckrisk.assess(path, read=["birth_date=2026"], **asked)
    assert told.source.undated is None
    assert "source.read.century" not in {s.key for s in told.verdict.undecided_because}


def test_releases_are_read_as_their_original(tmp_path: Path) -> None:
    """A release that keeps the way to write, with a cell left out, tells the same as one that does not."""
    rows = [(n, f"${1000 + n % 7:,}", f"0{1 + n % 7}/0{1 + n % 3}/2020") for n in range(60)]
    original = write(tmp_path / "o.csv", ["who", "pay", "seen"], [*rows, (60, "$1,000", "25/12/2020")])
    kept = write(tmp_path / "kept.csv", ["who", "pay", "seen"], [*rows, (60, "*", "25/12/2020")])
    plain = write(
        tmp_path / "plain.csv",
        ["who", "pay", "seen"],
        [
            (who, "*" if who == 60 else int(pay[1:].replace(",", "")), "-".join(reversed(seen.split("/"))))
            for who, pay, seen in [*rows, (60, "$1,000", "25/12/2020")]
        ],
    )
    report = duckrisk.compare(original, kept, plain, user="who", only=("information",))
    first, second = report.releases
    assert first.information == second.information


def test_readings_merge() -> None:
    first, others = ("A=2026",), ("a=2000", "a=day/month/year", "b=text")
    assert merge_readings(first, others) == ("A=2026", "a=day/month/year", "b=text")


def test_what_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "t.csv", ["a", "b"], [(1, "x"), (2, "y")])
    with Cases() as case:
        for given, text in (
            ("a", "COLUMN=FORM"),
            ("a=tuesday", "COLUMN=FORM"),
            ("c=text", 'the column "c"'),
        ):
            with case(given):
                refused(2, text, arguments=["assess", path, "--read", given])
        with case("twice"):
            refused(2, "two forms", arguments=["assess", path, "--read", "a=2020", "--read", "A=2021"])


def test_days_of_many_columns_are_parsed_once_a_form(tmp_path: Path) -> None:
    """Columns of one form are counted together over their different texts, and each part is named once."""
    rows = [[f"{n % 28 + 1:02}.{n % 12 + 1:02}.{1990 + n % 9}" for _ in range(70)] for n in range(60)]
    path = write(tmp_path / "t.csv", [f"day {n}" for n in range(70)], rows)
    with Session() as session:
        source = open_source(session, Request(path))
        counts = [one.sql for one in session.log if one.name == "day_counts"]
        (copy,) = (one.sql for one in session.log if one.name == "copy_records")
    assert [column.type for column in source.columns] == ["DATE"] * 70
    assert [sql.count("REGEXP_EXTRACT") for sql in counts] == [1]
    assert copy.count(").y") == copy.count(").m") == copy.count(").d") == 70
