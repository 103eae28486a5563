"""The macros as a database to attach: the rows of the file, and limits as `duckrisk assess` judges them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.options.policy import LIMITS, PRESETS, LimitRule
from duckrisk.decision import shell
from duckrisk.engine import templates
from duckrisk.engine.templates import identifier, literal
from tests.cases import Cases
from tests.command import command
from tests.disclosure.test_direct_identifiers import EXAMPLES as IDENTIFIERS
from tests.disclosure.test_direct_identifiers import OTHERS as NO_IDENTIFIERS
from tests.hostile import NAMES
from tests.tables import EXAMPLES, LIGHT, connect, make, thinned
from tests.test_shell import CALLS, HISTORY, needs_shell, open_library, rows, run_shell

Connection = duckdb.DuckDBPyConnection
ROOT = Path(__file__).resolve().parents[1]
RETAIL = ROOT / "datasets" / "retail.parquet"

#: 40 people: 4 zips of 10, 2 sexes of 20, the illness follows the zip.
CUSTOMERS = """
CREATE TABLE customers AS
SELECT i AS id, 'zip ' || i % 4 AS zip, i // 4 % 2 AS sex, ['flu', 'no', 'no', 'no'][1 + i % 4] AS illness
FROM range(40) AS numbers (i)
"""
BEST = "limits kept, roles not judged"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("macros") / "duckrisk.duckdb"
    shell.write_database(path)
    return path


def attach(database: Path) -> Connection:
    connection = connect(threads=1)
    connection.execute(f"ATTACH {literal(str(database))} (READ_ONLY)")
    return connection


@pytest.fixture
def customers(database: Path) -> Iterator[Connection]:
    with attach(database) as connection:
        connection.execute(CUSTOMERS)
        yield connection


@pytest.fixture(scope="module")
def lasting(database: Path) -> Iterator[Connection]:
    """For tests that make the table of each case anew; it also has the history of the file's tests."""
    with attach(database) as connection:
        connection.execute(HISTORY)
        yield connection


@pytest.fixture(scope="module")
def file() -> Iterator[Connection]:
    """An engine that has read the macros as a script."""
    with open_library() as connection:
        connection.execute(HISTORY)
        yield connection


Limits = dict[str, dict[str, Any]]


def limits(connection: Connection, source: str, **named: Any) -> Limits:
    """The rows of the macro, by limit."""
    arguments = "".join(f", {name} := {literal(value)}" for name, value in named.items() if value is not None)
    cursor = connection.execute(f"FROM duckrisk.limits({literal(source)}{arguments})")
    names = [column[0] for column in cursor.description or ()]
    found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert len({row["outcome"] for row in found}) == 1
    return {row["name"]: row for row in found}


def outcome_of(found: Limits) -> str:
    return str(found["identifying_columns"]["outcome"])


# ------------------------------------------------------------------------------------ attaching


CLASSES = "class_sizes('{}customers', ['zip', 'sex'])"


def test_macros_are_called_by_the_name_of_the_database(customers: Connection) -> None:
    """Qualified, after USE, in another connection to the same engine, and next to a database that is used."""
    wanted = customers.execute("FROM duckrisk." + CLASSES.format("")).fetchall()
    assert wanted == [(5, 8, 40, 0, 0.0)]
    with customers.cursor() as second:
        assert second.execute("FROM duckrisk." + CLASSES.format("")).fetchall() == wanted
    customers.execute("USE duckrisk")
    assert customers.execute("FROM " + CLASSES.format("memory.main.")).fetchall() == wanted
    customers.execute(
        "USE memory; ATTACH ':memory:' AS other; CREATE TABLE other.customers AS FROM customers"
    )
    customers.execute("USE other")
    for prefix in ("", "memory.main.", "other.main."):
        assert customers.execute("FROM duckrisk." + CLASSES.format(prefix)).fetchall() == wanted
    assert outcome_of(limits(customers, "customers", user="id")) == "a limit is exceeded"


def test_the_file_is_one_that_duckdb_1_5_reads(customers: Connection) -> None:
    query = "SELECT tags FROM duckdb_databases() WHERE database_name = 'duckrisk'"
    ((tags,),) = customers.execute(query).fetchall()
    assert tags["storage_version"].startswith(shell.STORAGE_VERSION)
    assert f'"duckdb>={shell.STORAGE_VERSION[1:4]}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


SOME = thinned(CALLS, 3)


@pytest.mark.parametrize("statement", [s for _, s, _ in SOME], ids=[s[5:90] for _, s, _ in SOME])
def test_a_macro_gives_the_rows_of_the_file(lasting: Connection, file: Connection, statement: str) -> None:
    found = rows(lasting, statement.replace("FROM ", "FROM duckrisk.", 1))
    assert found == rows(file, statement)
    assert found[1]


@needs_shell
def test_the_shell_attaches_the_file(database: Path, tmp_path: Path) -> None:
    shutil.copy(database, tmp_path)
    script = ["ATTACH 'duckrisk.duckdb' (READ_ONLY)", CUSTOMERS, "FROM duckrisk." + CLASSES.format("")]
    script += ["SELECT name, kept FROM duckrisk.limits('customers', user := 'id', policy := 'internal')"]
    classes, judged = run_shell(script, tmp_path)
    assert classes[0]["classes"] == 8
    assert {row["name"]: row["kept"] for row in judged}["unique_people"] is True


def test_the_same_text_each_time() -> None:
    assert shell.generate_macros() == shell.generate_macros()
    assert "TEMP MACRO" not in shell.generate_macros()


@pytest.mark.slow
def test_help_lists_every_macro_with_an_example_that_runs(customers: Connection) -> None:
    listed = customers.execute("FROM duckrisk.help()").fetchall()
    there = customers.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() "
        "WHERE database_name = 'duckrisk' AND function_type = 'table_macro'"
    ).fetchall()
    assert sorted(name for name, _, _ in listed) == sorted(name for (name,) in there)
    assert {name for name, _, _ in listed} == {"limits", "identifying_columns", "help", *templates.metrics()}
    retail = f"(FROM {literal(str(RETAIL))} WHERE CustomerID % 40 = 0)"
    customers.execute(f"CREATE TABLE retail AS FROM {retail}")
    with Cases() as case:
        for name, what, example in thinned(listed):
            with case(name):
                assert re.fullmatch(r"[A-Z][^\n]+\.", what)
                assert example.startswith(f"FROM duckrisk.{name}(")
                assert customers.execute(example.replace("'retail.parquet'", "'retail'")).fetchall()


# ---------------------------------------------------------------------------------- all columns

#: What each of these macros takes besides its source and the columns, before and after them.
AROUND = {
    "attribute_disclosure": ("'c'", ""),
    "attribute_disclosure_users": ("'u', 'c'", ""),
    "class_sizes_users": ("'u'", ""),
    "disclosed_people": ("'u'", "'c'"),
    "individual_risk": ("'w'", ""),
    "known_whole_records": ("'u'", ""),
    "population_uniqueness": ("", "0.1"),
    "weighted_sizes": ("'w'", ""),
    "whole_histories": ("'u'", ""),
}


@pytest.mark.slow
def test_without_a_list_all_other_columns_count(customers: Connection) -> None:
    kinds = (
        "INTERVAL '1 day' * (i % 3) AS span, [i % 2] AS listed, CASE WHEN i % 5 > 0 THEN i % 5 END AS empty"
    )
    columns = "i % 7 AS u, 1 + i % 3 AS w, i % 2 AS c"
    customers.execute(f"CREATE TABLE t AS SELECT {columns}, {kinds} FROM range(60) AS r (i)")
    with Cases() as case:
        for name in shell.TAKE_ALL:
            with case(name):
                before, after = AROUND.get(name, ("", ""))
                left = [column for column in ("u", "w", "c") if f"'{column}'" not in before + after]
                known = literal([*left, "span", "listed", "empty"])
                calls = [
                    ", ".join(filter(None, ["'t'", before, given, after]))
                    for given in (known, "NULL", *([""] if not after else []))
                ]
                wanted, *found = [customers.execute(f"FROM duckrisk.{name}({c})").fetchall() for c in calls]
                assert wanted
                for rows in found:
                    # Hashes of records draw them in another order.
                    assert [row[:2] for row in rows] == [row[:2] for row in wanted], name
                    assert name == "known_whole_records" or rows == wanted, name


def test_columns_that_are_compared_in_sets_have_to_be_named(customers: Connection) -> None:
    for call in ("uniqueness('customers', 'id')", "attribute_sets('customers')", "suda('customers')"):
        with pytest.raises(duckdb.Error, match=r"Name the columns, as in \['zip', 'sex'\]"):
            customers.execute(f"FROM duckrisk.{call}").fetchall()


# --------------------------------------------------------------------------------- limits by hand


def test_limits_by_hand(customers: Connection) -> None:
    """Zip and sex make 8 classes of 5 people, so nobody is alone; a zip names a person in 1 of 10 cases, a
    sex in 1 of 20. The zip discloses the flu of 10 in 40: all of the class have it, and a quarter of all."""
    given = {"user": "id", "quasi_identifiers": ["zip", "sex"], "sensitive": ["illness"]}
    shared = limits(customers, "customers", **given, policy="shared")
    assert {
        name: (row["figure"], row["rule"], row["bound"], row["kept"]) for name, row in shared.items()
    } == {
        "identifying_columns": (None, "at most", 0, None),
        "unique_people": (0, "at most", 0.05, True),
        "smallest_class": (5, "at least", 5, True),
        "one_fact": (0.1, "at most", 0.2, True),
        "three_facts": (0, "at most", 0.2, True),
        "sensitive_disclosed": (0.25, "at most", 0.05, False),
    }
    assert outcome_of(shared) == "a limit is exceeded"
    assert shared["identifying_columns"]["why_open"].startswith("SQL does not know")
    without = {name: value for name, value in given.items() if name != "sensitive"}
    assert outcome_of(limits(customers, "customers", **without, policy="shared")) == BEST
    public = limits(customers, "customers", **without)
    assert [name for name, row in public.items() if row["kept"] is False] == ["smallest_class", "one_fact"]


def test_without_a_list_the_user_and_the_sensitive_column_are_no_quasi_identifiers(
    customers: Connection,
) -> None:
    given = {"user": "ID", "sensitive": ["Illness"], "policy": "internal"}
    named = limits(customers, "customers", **given, quasi_identifiers=["sex", "zip"])
    assert limits(customers, "customers", **given) == named
    alone = limits(customers, "customers", policy="internal")
    assert alone["unique_people"]["figure"] == 1


def test_histories_by_hand(customers: Connection) -> None:
    """Three people with the records a, b; two have both, one has a twice: their history is unique, as are any
    records of theirs."""
    rows = [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (3, "a")]
    make(customers, {"person": "BIGINT", "item": "VARCHAR"}, rows, "visits")
    public = limits(customers, "visits", user="person")
    assert (public["unique_histories"]["figure"], public["smallest_history"]["figure"]) == (1 / 3, 1)
    assert public["three_facts"]["figure"] == 0
    assert public["three_facts"]["kept"] is None
    assert "several records" in public["three_facts"]["why_open"]
    shared = limits(customers, "visits", user="person", policy="shared")
    assert shared["three_records"]["figure"] == 1 / 3
    assert limits(customers, "visits").keys() & {"unique_histories", "smallest_history"} == set()


def test_the_limits_are_those_of_the_policies(customers: Connection) -> None:
    customers.execute("CREATE TABLE visits AS SELECT *, id // 2 AS person FROM customers")
    for place, policy in enumerate(PRESETS):
        found = limits(customers, "visits", user="person", sensitive=["illness"], policy=policy)
        published = {name: rule.published[place] for name, rule in LIMITS.items()}
        assert {name: row["bound"] for name, row in found.items()} == {
            name: bound for name, bound in published.items() if bound is not None
        }
        for name, row in found.items():
            assert row["rule"] == ("at least" if LIMITS[name].is_minimum else "at most")  # type: ignore[index]


def test_a_limit_that_sql_does_not_know_is_open(
    customers: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that is added to the policies and not to the statement is never forgotten."""
    added = {**LIMITS, "new": LimitRule((0.0, 0.05, 0.2))}
    monkeypatch.setattr(shell, "LIMITS", added)
    shell.write_database(tmp_path / "more.duckdb")
    customers.execute("DETACH duckrisk")
    customers.execute(f"ATTACH {literal(str(tmp_path / 'more.duckdb'))} AS duckrisk (READ_ONLY)")
    found = limits(customers, "customers", user="id", quasi_identifiers=["zip", "sex"], policy="shared")
    row = found["new"]
    assert (row["kept"], row["why_open"], row["outcome"]) == (
        None,
        "SQL does not judge this limit.",
        "undecided",
    )


# ------------------------------------------------------------------------- one judge: duckrisk assess


def assert_no_limit_is_kept_that_assess_finds_exceeded(
    connection: Connection,
    path: Path,
    columns: Sequence[str],
    user: str | None,
    sensitive: Sequence[str] = (),
    policies: Sequence[str] = PRESETS,
) -> list[tuple[str, float | None, float | None]]:
    """Compare both, and return what differs: the limit, and the figures of the shell and of assess."""
    every = [name for (name, *_) in connection.execute("DESCRIBE t").fetchall()]
    others = [name for name in every if name not in (*columns, *sensitive, user)]
    connection.execute(f"COPY t TO {literal(str(path))} (FORMAT parquet)")
    differing = []
    for policy in policies:
        given = {"quasi_identifiers": list(columns), "sensitive": list(sensitive), "policy": policy}
        verdict = duckrisk.assess(path, user=user or "", quick=True, insensitive=others, **given).verdict
        assert verdict is not None
        findings = {finding.name: finding for finding in verdict.findings}
        mine = limits(connection, "t", user=user, **given)
        assert findings.keys() <= mine.keys()
        for name, finding in findings.items():
            row = mine[name]
            assert row["bound"] == finding.limit
            assert row["kept"] is not True or finding.met is True, (name, row, finding)
            if name != "identifying_columns" and row["figure"] != finding.value:
                differing.append((name, row["figure"], finding.value))
        assert outcome_of(mine) != BEST or not verdict.exceeded
    return differing


WRITTEN = "strftime(TIMESTAMP '2024-01-01' + to_hours({}), '%Y-%m-%d %H:%M')"
#: Columns as SQL of the record number, and whether all figures are those of assess.
TABLES = {
    "numbers and texts": ("i % 3 AS a, 'v' || i % 5 AS b, i % 2 = 0 AS c", True),
    "missing values": ("CASE WHEN i % 4 > 0 THEN i % 3 END AS a, nullif(i % 5, 2) AS b, i % 2 AS c", True),
    "tokens": ("['?', 'a', 'b', 'NULL', NULL][1 + i % 5] AS a, i % 3 AS b", True),
    "a constant": ("'all' AS a, i % 3 AS b, i % 7 AS c, 0 AS d, i % 11 AS e", True),
    "moments": ("TIMESTAMP '2024-01-01 09:30:10' + to_hours(i % 50) AS a, i % 3 AS b, i % 4 AS c", True),
    "zones": ("TIMESTAMPTZ '2024-01-01 09:30:10+00' + to_hours(i % 50) AS a, i % 3 AS b", True),
    "times": ("TIME '09:30:10' + to_seconds(i * 40 % 3000) AS a, i % 3 AS b", True),
    "days": ("DATE '2024-01-01' + CAST(i % 9 AS INTEGER) AS a, i % 3 AS b", True),
    "zeros": ("[0.0, -0.0, 1.5][1 + i % 3] AS a, CAST(i % 4 AS DECIMAL(20, 2)) AS b", True),
    "spans": ("to_days(CAST(30 * (i % 2) AS INTEGER)) AS a, to_months(CAST(i % 3 AS INTEGER)) AS b", True),
    "texts of moments": (f"{WRITTEN.format('i % 50')} AS a, i % 3 AS b", False),
    "one column": ("i % 7 AS a", True),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", thinned(TABLES, 3))
def test_one_judge(lasting: Connection, tmp_path: Path, kind: str) -> None:
    """Each record a person, and with a person of one record; the policies differ in numbers alone."""
    written, is_equal = TABLES[kind]
    disease = "['flu', 'none', 'none'][1 + i % 3] AS ill"
    text = f"SELECT {written}, i * 7 AS person, {disease} FROM range(90) AS r (i)"
    lasting.execute(f"CREATE OR REPLACE TABLE t AS {text}")
    names = re.findall(r" AS ([a-e])\b", written)
    for user, sensitive, policies in (
        (None, (), PRESETS[:1]),
        ("person", ("ill",), PRESETS if EXAMPLES >= 20 else PRESETS[1:2]),
    ):
        differing = assert_no_limit_is_kept_that_assess_finds_exceeded(
            lasting, tmp_path / "t.parquet", names, user, sensitive, policies
        )
        assert not is_equal or differing == [], kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", thinned(TABLES, 6))
def test_one_judge_of_histories(lasting: Connection, tmp_path: Path, kind: str) -> None:
    """Facts of several records are open; moments are drawn in another order, and are texts to the shell."""
    written, is_equal = TABLES[kind]
    lasting.execute(
        f"CREATE OR REPLACE TABLE t AS SELECT {written}, nullif(i // 3, 5) AS person FROM range(120) AS r (i)"
    )
    names = re.findall(r" AS ([a-e])\b", written)
    differing = assert_no_limit_is_kept_that_assess_finds_exceeded(
        lasting, tmp_path / "t.parquet", names, "person", (), PRESETS if EXAMPLES >= 20 else PRESETS[:2]
    )
    draws = (
        {"three_records"} if kind in ("moments", "zones", "times", "tokens", "texts of moments") else set()
    )
    of_texts = set() if is_equal else {"one_fact"}
    assert {name for name, _, _ in differing} <= {"three_facts"} | draws | of_texts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sensitive", "is_open"),
    thinned(
        [
            ("i % 40", True),
            ("'code ' || i % 40", True),
            ("['flu', 'none', 'none', 'none'][1 + i % 4]", False),
            ("DATE '2024-01-01' + CAST(i % 4 AS INTEGER)", True),
            ("TIMESTAMP '2024-01-01' + to_hours(i % 4)", True),
            ("strftime(DATE '2024-01-01' + CAST(i % 4 AS INTEGER), '%Y-%m-%d')", True),
            ("['?', 'flu', NULL, 'none'][1 + i % 4]", False),
            ("i % 4", False),
        ],
        3,
    ),
)
def test_sensitive_values_that_coarser_forms_could_disclose_stay_open(
    lasting: Connection, tmp_path: Path, sensitive: str, is_open: bool
) -> None:
    columns = f"i % 2 AS a, i // 7 % 3 AS b, {sensitive} AS s"
    lasting.execute(f"CREATE OR REPLACE TABLE t AS SELECT {columns} FROM range(240) AS r (i)")
    differing = assert_no_limit_is_kept_that_assess_finds_exceeded(
        lasting, tmp_path / "t.parquet", ["a", "b"], None, ["s"], ["shared"]
    )
    row = limits(lasting, "t", quasi_identifiers=["a", "b"], sensitive=["s"], policy="shared")
    assert (row["sensitive_disclosed"]["kept"] is not True) is is_open
    assert is_open or differing == []


CELLS = {
    "BIGINT": st.one_of(st.none(), st.integers(0, 3)),
    "VARCHAR": st.sampled_from([None, "a", "b", "?", "é", " ", "長い値" * 9, "'"]),
    "DATE": st.one_of(st.none(), st.dates()),
    "DOUBLE": st.sampled_from([None, 0.0, -0.0, 1.5]),
    "TIMESTAMP": st.one_of(st.none(), st.datetimes()),
}


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[dict[str, str], list[tuple[Any, ...]]]:
    """Names that break programs, any number of rows from one on, duplicates and missing cells."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    columns = {name: draw(st.sampled_from(sorted(CELLS))) for name in names}
    row = st.tuples(*(CELLS[kind] for kind in columns.values()), st.integers(0, 9))
    return columns, draw(st.lists(row, min_size=1, max_size=25))


@pytest.mark.slow
@LIGHT
@given(drawn_tables(), st.booleans(), st.sampled_from(PRESETS))
def test_one_judge_of_drawn_tables(
    lasting: Connection,
    tmp_path_factory: pytest.TempPathFactory,
    drawn: tuple[dict[str, str], list[tuple[Any, ...]]],
    is_linked: bool,
    policy: str,
) -> None:
    columns, rows = drawn
    make(lasting, {**columns, "the person": "BIGINT"}, rows)
    path = tmp_path_factory.getbasetemp() / "drawn.parquet"
    try:
        assert_no_limit_is_kept_that_assess_finds_exceeded(
            lasting, path, list(columns), "the person" if is_linked else None, (), [policy]
        )
    except duckrisk.UsageError as error:  # roles that duckrisk assess does not take
        assert "column" in str(error)  # noqa: PT017


# ------------------------------------------------------------------- direct identifiers, as assess finds them


def find_identifiers(connection: Connection, table: str) -> dict[str, list[str]]:
    """The kinds by column, of those that have some."""
    columns = [name for (name, *_) in connection.execute(f"DESCRIBE {table}").fetchall()]
    found = connection.execute(f"FROM duckrisk.identifying_columns('{table}', {literal(columns)})").fetchall()
    assert [row[0] for row in found] == columns
    return {name: kinds for name, kinds, _, _ in found if kinds}


def test_identifying_columns_by_hand(customers: Connection) -> None:
    """Half of the records have an address; a shop's is everybody's, days and chance name nobody."""
    customers.execute("""
        CREATE TABLE kinds AS SELECT
            CASE WHEN i % 2 = 0 THEN 'c' || i || '@example.org' END AS contact,
            'shop@example.org' AS shop,
            DATE '2000-01-01' + CAST(i AS INTEGER) AS day,
            4000000000000000 + i * 7919 AS code,
            CAST(100000000000.25 + i AS DECIMAL(18, 2)) AS price
        FROM range(40) AS r (i)
    """)
    found = customers.execute(
        "FROM duckrisk.identifying_columns('kinds', ['shop', 'contact', 'day', 'code', 'price'])"
    ).fetchall()
    assert found == [
        ("shop", [], 0, 40),
        ("contact", ["e-mail address"], 20, 20),
        ("day", [], 0, 0),
        ("code", [], 0, 40),
        ("price", [], 0, 0),
    ]
    with pytest.raises(duckdb.Error, match='does not have a column named "zap"'):
        customers.execute("FROM duckrisk.identifying_columns('kinds', ['zap'])")
    with pytest.raises(duckdb.Error, match="Name the columns"):
        customers.execute("FROM duckrisk.identifying_columns('kinds', NULL)")


KINDS = [cell for cells in IDENTIFIERS.values() for cell in cells]
#: A cell, by the type of its column.
HOLDERS: dict[str, Callable[[str | None], Any]] = {
    "VARCHAR": lambda cell: cell,
    "VARCHAR[]": lambda cell: [cell, None],
    "STRUCT(a VARCHAR, b VARCHAR[])[]": lambda cell: [{"a": cell, "b": [cell]}],
    "MAP(INTEGER, VARCHAR)": lambda cell: {1: cell, 2: "x"},
}


@LIGHT
@given(
    st.lists(
        st.lists(st.sampled_from([*KINDS, *NO_IDENTIFIERS, None]), min_size=1, max_size=3),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 60),
    st.sampled_from(sorted(HOLDERS)),
)
def test_one_judge_of_direct_identifiers(
    lasting: Connection,
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[list[str | None]],
    many: int,
    holder: str,
) -> None:
    """Columns of few values, which many records may share, under names that say nothing."""
    columns = {f"x{place}": holder for place in range(len(drawn))}
    hold = HOLDERS[holder]
    rows = [tuple(hold(cells[number % len(cells)]) for cells in drawn) for number in range(many)]
    make(lasting, columns, rows)
    path = tmp_path_factory.getbasetemp() / "kinds.parquet"
    lasting.execute(f"COPY t TO {literal(str(path))} (FORMAT parquet)")
    section = duckrisk.assess(path, user="", only=["direct_identifiers"]).direct_identifiers
    assert section is not None
    found = find_identifiers(lasting, "t")
    assert {name: sorted(kinds) for name, kinds in found.items()} == {
        name: sorted(kinds) for name, kinds in section.kinds().items()
    }


# ------------------------------------------------------------------------- names, places and faults


@pytest.mark.slow
def test_hostile_names_of_columns(customers: Connection) -> None:
    """As the user, as a quasi-identifier and as the sensitive column, in a list and without one."""
    wanted = limits(customers, "customers", user="id", sensitive=["illness"], policy="shared")
    classes = customers.execute("FROM duckrisk.class_sizes('customers', ['zip', 'sex'])").fetchall()
    with Cases() as case:
        for place, name in enumerate(thinned(NAMES, 15)):
            with case(repr(name)):
                others = [other for other in NAMES if other.lower() != name.lower()]
                user, zip_, sex, illness = [name, *others[:3]][place % 4 :] + [name, *others[:3]][: place % 4]
                renamed = dict(zip((user, zip_, sex, illness), ("id", "zip", "sex", "illness"), strict=True))
                written = ", ".join(f"{old} AS {identifier(new)}" for new, old in renamed.items())
                customers.execute(f"CREATE OR REPLACE TABLE hostile AS SELECT {written} FROM customers")
                given = {"user": user, "sensitive": [illness], "policy": "shared"}
                assert limits(customers, "hostile", **given, quasi_identifiers=[zip_, sex]) == wanted
                assert limits(customers, "hostile", **given) == wanted
                found = customers.execute(f"FROM duckrisk.class_sizes('hostile', {literal([zip_, sex])})")
                assert found.fetchall() == classes
                every = customers.execute(f"FROM duckrisk.class_sizes_users('hostile', {literal(user)})")
                assert every.fetchall()


def test_tables_views_and_files_of_any_name(customers: Connection, tmp_path: Path) -> None:
    wanted = limits(customers, "customers", user="id", policy="internal")
    customers.execute('CREATE SCHEMA "my ""s"""; CREATE TABLE "my ""s"""."表 t; --" AS FROM customers')
    customers.execute("CREATE VIEW seen AS SELECT * FROM customers")
    file = tmp_path / "the people.parquet"
    customers.execute(f"COPY customers TO {literal(str(file))}")
    for source in ("seen", "memory.main.seen", '"my ""s"""."表 t; --"', str(file)):
        assert limits(customers, source, user="id", policy="internal") == wanted


def test_one_record_and_wide_tables(customers: Connection) -> None:
    customers.execute("CREATE TABLE one AS FROM customers LIMIT 1")
    found = limits(customers, "one", user="id", policy="internal")
    assert (found["unique_people"]["figure"], found["smallest_class"]["figure"]) == (1, 1)
    columns = ", ".join(f"i % {n + 2} AS c{n}" for n in range(shell.MOST_FACTS + 1))
    customers.execute(f"CREATE TABLE wide AS SELECT {columns} FROM range(30) AS r (i)")
    row = limits(customers, "wide")["three_facts"]
    assert (row["figure"], row["kept"], row["why_open"]) == (
        None,
        None,
        "There are too many sets of these columns.",
    )
    assert limits(customers, "wide", quasi_identifiers=["c0", "c1"])["three_facts"]["figure"] is not None


def test_the_order_of_records_and_threads_change_nothing(customers: Connection) -> None:
    customers.execute(
        "CREATE TABLE visits AS "
        "SELECT i // 3 AS person, i * 7 % 5 AS a, i * i % 11 AS b FROM range(3000) AS r (i)"
    )
    wanted = limits(customers, "visits", user="person", policy="shared")
    customers.execute("CREATE TABLE mixed AS FROM visits ORDER BY hash(person, a, b)")
    customers.execute("SET threads = 4")
    assert limits(customers, "mixed", user="person", policy="shared") == wanted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("class_sizes('customers', ['zip', 'zap'])", 'does not have a column named "zap"'),
        ("attribute_risk('customers', 'id', 'zap')", 'does not have a column named "zap"'),
        ("attribute_risk('customers', 'id', 'zip', also := ['zap'])", 'does not have a column named "zap"'),
        ("uniqueness('customers', 'zap', ['zip'])", 'does not have a column named "zap"'),
        ("disclosed_people('customers', 'id', NULL, 'zap')", 'does not have a column named "zap"'),
        ("limits('customers', user := 'zap')", 'does not have a column named "zap"'),
        ("limits('customers', quasi_identifiers := ['zap'])", 'Column "zap" was selected but was not found'),
        ("limits('customers', sensitive := ['zap'])", 'does not have a column named "zap"'),
        ("limits('customers', quasi_identifiers := [])", "Name at least one column; NULL stands for all"),
        ("limits('customers', policy := 'open')", 'There is no policy "open": public, shared or internal'),
        ("limits('customers', policy := NULL)", 'There is no policy "NULL"'),
        ("limits('nothing')", "Table with name nothing does not exist"),
        ("limits(NULL)", "The source is missing"),
        ("limits('none', user := 'id')", "The table has no records"),
        ("limits('none', policy := 'internal')", "The table has no records"),
        ("limits('nobody', user := 'id')", 'No record has a person in the column "user"'),
    ],
)
def test_a_mistake_is_one_clear_error(customers: Connection, call: str, message: str) -> None:
    customers.execute("CREATE TABLE none AS FROM customers LIMIT 0")
    customers.execute("CREATE TABLE nobody AS SELECT * REPLACE (nullif(id, id) AS id) FROM customers")
    with pytest.raises(duckdb.Error) as caught:
        customers.execute(f"FROM duckrisk.{call}").fetchall()
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_policy_is_no_way_into_the_statement(customers: Connection) -> None:
    for payload in ("x'; DROP TABLE customers; --", "public' OR TRUE --", '"public"'):
        for name in ("policy", "user"):
            with pytest.raises(duckdb.Error):
                limits(customers, "customers", **{name: payload})
        for name in ("quasi_identifiers", "sensitive"):
            with pytest.raises(duckdb.Error):
                limits(customers, "customers", **{name: [payload]})
    assert customers.execute("SELECT count(*) FROM customers").fetchone() == (40,)


# ------------------------------------------------------------------------- the command and the page


def test_the_command_writes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("sql", "macros", "-o", "duckrisk.duckdb", "--lang", "en")
    assert (done.code, done.out) == (0, "")
    (attaching,) = re.findall(r"ATTACH .*?;", done.err)
    with connect() as connection:
        connection.execute(attaching)
        assert connection.execute("FROM duckrisk.help()").fetchall()
    again = command("sql", "macros", "-o", "duckrisk.duckdb")
    assert (again.code, "--overwrite" in again.err) == (2, True)
    assert command("sql", "macros", "-o", "duckrisk.duckdb", "--overwrite").code == 0
    other = command("sql", "macros", "-o", "macros.sql")
    assert (other.code, "ends in .duckdb" in other.err) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["duckrisk.duckdb"]


def test_the_queries_of_the_page_run(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten, after the block that attaches; the last of each gives rows."""
    text = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    opening, *queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    assert len(queries) == 10
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == 10
    shutil.copy(database, tmp_path)
    (tmp_path / "datasets").mkdir()
    with connect() as connection:
        some = f"COPY (FROM {literal(str(RETAIL))} WHERE CustomerID % 40 = 0) TO "
        connection.execute(some + literal(str(tmp_path / "datasets" / "retail.parquet")))
        monkeypatch.chdir(tmp_path)
        connection.execute(opening)
        results = [connection.execute(query).fetchall() for query in queries]
    assert all(results)
    assert results[1][0][0] == 50  # 40 classes of 2,000 people
    assert {row[-1] for row in results[7]} == {BEST}
    assert {row[5] for row in results[9] if row[1] == "unique_people"} == {False}


def test_the_page_says_the_errors_that_there_are(database: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    with connect() as connection:
        connection.execute(f"ATTACH {literal(str(database))} AS macros (READ_ONLY)")
        with pytest.raises(duckdb.Error) as caught:
            connection.execute("FROM macros.class_sizes('t', ['a'])")
    assert "duckrisk" in str(caught.value)
    assert re.findall(r"The table has no records|There is no policy \"open\"", text)
