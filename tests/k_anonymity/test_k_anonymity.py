"""Local recoding against brute force: what is promised of every result."""

from __future__ import annotations

import importlib.util
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql, render
from duckrisk.release.k_anonymity import Outcome, QuasiIdentifier, k_anonymize
from tests import hostile
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, TEXTS, make, quoted, thinned

pytestmark = pytest.mark.slow

#: A hierarchy: the labels of each value from itself to the root.
Hierarchy = dict[Any, list[str]]


@dataclass(frozen=True)
class Column:
    """A quasi-identifier of a test: type, whether it is a number, its hierarchy and its name."""

    sql: str
    numeric: bool = False
    hierarchy: Hierarchy | None = None
    name: str = ""

    @property
    def height(self) -> int:
        return 1 if self.hierarchy is None else len(next(iter(self.hierarchy.values()))) - 1


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as made:
        yield made


@dataclass
class Run:
    outcome: Outcome
    cells: list[tuple[Any, ...]]


def anonymize(
    session: Session,
    columns: Sequence[Column],
    rows: Sequence[tuple[Any, ...]],
    k: int,
    numbers: Sequence[int] | None = None,
) -> Run:
    """The quasi-identifiers of the result, in the order of the rows."""
    connection = session._connection
    names = [column.name or f"c{i}" for i, column in enumerate(columns)]
    numbers = list(range(len(rows)) if numbers is None else numbers)
    quasi = []
    for place, column in enumerate(columns):
        table = None
        if column.hierarchy is not None:
            table = f"hierarchy_{place}"
            levels = {f"level{level}": "VARCHAR" for level in range(column.height + 1)}
            make(connection, levels, column.hierarchy.values(), table)
        quasi.append(QuasiIdentifier(names[place], names[place], column.numeric, table, column.height))
    shape = {"record": "BIGINT", **{n: c.sql for n, c in zip(names, columns, strict=True)}, "kept": "INTEGER"}
    make(connection, shape, [(n, *row, 7 * n) for n, row in zip(numbers, rows, strict=True)], "records")
    outcome = k_anonymize(session, Sql("records"), "made", quasi, k)
    described = connection.execute("DESCRIBE made").fetchall()
    assert [row[0] for row in described] == list(shape)
    listed = ", ".join(quoted(name) for name in names)
    read = connection.execute(f"SELECT record, kept, {listed} FROM made ORDER BY record").fetchall()
    assert [row[:2] for row in read] == [(n, 7 * n) for n in sorted(numbers)]
    by_number = {row[0]: row[2:] for row in read}
    left = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'quasi%'"
    ).fetchall()
    assert left == []
    return Run(outcome, [by_number[n] for n in numbers])


# --- the oracle ----------------------------------------------------------------------------------


def text(session: Session, kind: str, value: Any) -> str | None:
    (made,) = session._connection.execute(f"SELECT CAST(CAST(? AS {kind}) AS VARCHAR)", [value]).fetchone()
    return made


def ordered(column: Column, values: Sequence[Any]) -> list[Any]:
    """All leaves in order, a missing one first."""
    present = list({_key(v): v for v in values if v is not None}.values())
    if column.numeric and column.hierarchy is None:
        found = sorted(present, key=_number)
    elif column.hierarchy is None:
        found = sorted(present, key=lambda value: value.encode())
    else:
        paths = column.hierarchy
        rank = sorted(paths, key=lambda v: (_number(v), b"") if column.numeric else (0, v.encode()))
        place = {value: number for number, value in enumerate(rank)}

        def path(value: Any) -> list[int]:
            labels = paths[value]
            return [
                min(place[v] for v, other in paths.items() if other[level:] == labels[level:])
                for level in range(len(labels) - 1, -1, -1)
            ]

        found = sorted(paths, key=path)
    return [None, *found] if any(value is None for value in values) else found


def _key(value: Any) -> Any:
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _number(value: Any) -> float | int:
    """Numbers in the order of the engine: what is none comes last."""
    return math.inf if isinstance(value, float) and math.isnan(value) else value


class Oracle:
    """What cells of one column cover, and what they lose."""

    def __init__(self, session: Session, column: Column, values: Sequence[Any]) -> None:
        self.column = column
        self.leaves = ordered(column, values)
        self.code = {_key(value): number for number, value in enumerate(self.leaves)}
        self.texts = {_key(v): text(session, column.sql, v) for v in self.leaves}
        self.interval = column.numeric and column.hierarchy is None
        finite = [float(v) for v in self.leaves if self.interval and v is not None and math.isfinite(v)]
        self.least, self.most = (min(finite), max(finite)) if finite else (0.0, 0.0)

    def place(self, value: Any) -> float | None:
        """Where a number lies between the least and the greatest, None for what is no number."""
        if value is None or not math.isfinite(value):
            return None
        least, most, number = self.least, self.most, float(value)
        if least == most:
            return 0.0
        if math.isfinite(most - least):
            return (number - least) / (most - least)
        return (number / 2 - least / 2) / (most / 2 - least / 2)

    def width(self, values: Sequence[Any]) -> float:
        """The share of all that the smallest cell over these values covers."""
        if len({_key(v) for v in values}) == 1:
            return 0.0
        if self.interval:
            places = [self.place(v) for v in values]
            return 1.0 if None in places else max(places) - min(places)  # type: ignore[type-var]
        paths = self.column.hierarchy
        if paths is not None and None not in values:
            for level in range(1, self.column.height):
                if len({tuple(paths[v][level:]) for v in values}) == 1:
                    return self.share(values[0], level)
        return 1.0

    @property
    def has_sets(self) -> bool:
        """Whether cells are sets of categories, which can be read in one way alone."""
        texts = [text for text in self.texts.values() if text is not None]
        return (
            not self.interval
            and self.column.hierarchy is None
            and not any(";" in text or ", " in text or text[:1] == "{" or text == "*" for text in texts)
        )

    def share(self, value: Any, level: int) -> float:
        """The share of the leaves under the label of a value on a level, 0 under a single one."""
        if level == self.column.height:
            return 1.0 if len(self.leaves) > 1 else 0.0
        paths = self.column.hierarchy
        if level == 0 or value is None or paths is None:
            return 0.0
        under = sum(path[level:] == paths[value][level:] for path in paths.values())
        return under / len(self.leaves) if under > 1 else 0.0

    def cell(self, values: Sequence[Any]) -> str | None:
        """The smallest cell over these values."""
        if len({_key(v) for v in values}) == 1:
            return self.texts[_key(values[0])]
        if self.interval:
            if any(self.place(v) is None for v in values):
                return "*"
            low, high = min(values), max(values)
            return f"[{self.texts[low]}, {self.texts[high]}]"
        paths = self.column.hierarchy
        if paths is not None and None not in values:
            for level in range(1, self.column.height):
                if len({tuple(paths[v][level:]) for v in values}) == 1:
                    return paths[values[0]][level]
        members = [self.texts[_key(leaf)] for leaf in self.leaves if leaf in values]
        if self.has_sets and None not in values and len(members) <= 16 and len(members) < len(self.leaves):
            return "{" + ", ".join(map(str, members)) + "}"
        return "*"


def check(
    session: Session, columns: Sequence[Column], rows: Sequence[tuple[Any, ...]], k: int, run: Run
) -> None:
    """What holds of every result: classes of k, cells over their values, the figures."""
    oracles = [Oracle(session, c, [row[i] for row in rows]) for i, c in enumerate(columns)]
    classes: dict[Any, list[int]] = defaultdict(list)
    for number, cells in enumerate(run.cells):
        classes[tuple(_key(cell) for cell in cells)].append(number)
    sizes = [len(members) for members in classes.values()]
    outcome = run.outcome
    assert min(sizes) >= k
    assert (outcome.classes, outcome.smallest, outcome.records) == (len(sizes), min(sizes), len(rows))
    assert outcome.discernibility == sum(size * size for size in sizes)
    assert outcome.average_class == pytest.approx(len(rows) / len(sizes) / k, rel=1e-12)
    lost = 0.0
    for place, oracle in enumerate(oracles):
        changed = any(
            not _same(oracle, row[place], cells[place]) for row, cells in zip(rows, run.cells, strict=True)
        )
        for members in classes.values():
            values = [rows[number][place] for number in members]
            cell = run.cells[members[0]][place]
            lost += covered_share(oracle, cell, values, changed) * len(members)
    assert outcome.ncp == pytest.approx(lost, rel=1e-9, abs=1e-9)
    assert outcome.gcp == pytest.approx(lost / len(rows) / len(columns), rel=1e-9, abs=1e-9)


def _same(oracle: Oracle, value: Any, cell: Any) -> bool:
    return _key(cell) == _key(value) or cell == oracle.texts[_key(value)]


def covered_share(oracle: Oracle, cell: Any, values: Sequence[Any], changed: bool) -> float:
    """The share of all leaves that a cell covers; fails where it does not cover one of these values."""
    if all(_same(oracle, value, cell) for value in values):
        return 0.0
    assert changed
    assert isinstance(cell, str)
    if cell == "*":
        different = {_key(value) for value in values}
        wide = len(different) > 16 or len(different) == len(oracle.leaves)
        assert oracle.interval or not oracle.has_sets or None in values or wide
        return 1.0
    if oracle.interval:
        ends = {t: v for v, t in ((v, oracle.texts[_key(v)]) for v in oracle.leaves) if t is not None}
        low, high = (ends[end] for end in cell[1:-1].split(", "))
        assert all(low <= value <= high for value in values)
        return oracle.place(high) - oracle.place(low)  # type: ignore[operator]
    paths = oracle.column.hierarchy
    if paths is None:
        assert oracle.has_sets
        members = cell.removeprefix("{").removesuffix("}").split(", ")
        assert cell == "{" + ", ".join(members) + "}"
        present = [oracle.texts[_key(value)] for value in oracle.leaves if value in values]
        assert members == present
        assert 1 < len(members) <= 16
        return len(members) / len(oracle.leaves)
    under = [value for value, path in paths.items() if cell in path[1:-1]]
    assert all(value in under for value in values)
    return len(under) / len(oracle.leaves)


# --- the examples of the papers ------------------------------------------------------------------

AGE = Column("INTEGER", numeric=True)


def test_four_ages(session: Session) -> None:
    run = anonymize(session, [AGE], [(20,), (50,), (22,), (54,)], 2)
    assert run.cells == [("[20, 22]",), ("[50, 54]",), ("[20, 22]",), ("[50, 54]",)]
    assert run.outcome.ncp == pytest.approx(2 * 2 / 34 + 2 * 4 / 34, rel=1e-12)
    assert round(run.outcome.ncp, 4) == 0.3529
    assert (run.outcome.classes, run.outcome.discernibility, run.outcome.average_class) == (2, 8, 1.0)


def test_penalty_of_an_interval_and_of_a_label(session: Session) -> None:
    tree = {leaf: [leaf, "few" if leaf < "d" else "many", "*"] for leaf in "abcdefgh"}
    columns = [AGE, Column("VARCHAR", hierarchy=tree)]
    rows = [(20, "a"), (35, "b"), (60, "h"), (60, "h")]
    run = anonymize(session, columns, rows, 2)
    assert run.cells[:2] == [("[20, 35]", "few")] * 2
    assert run.cells[2:] == [("60", "h")] * 2
    assert run.outcome.ncp == pytest.approx(2 * (15 / 40 + 3 / 8), rel=1e-12)
    assert run.outcome.gcp == pytest.approx(2 * 0.75 / 8, rel=1e-12)


def test_missing_value_is_one_of_its_own(session: Session) -> None:
    columns = [AGE, Column("VARCHAR", hierarchy={v: [v, "letter", "*"] for v in "ab"})]
    apart = anonymize(session, columns, [(1, "a"), (1, "b"), (None, None), (None, None)], 2)
    assert apart.cells == [("1", "letter")] * 2 + [(None, None)] * 2 or apart.cells[2:] == [(None, None)] * 2
    assert apart.outcome.ncp == pytest.approx(2 * 2 / 3)
    together = anonymize(session, columns, [(1, "a"), (None, None)], 2)
    assert together.cells == [("*", "*")] * 2


# --- whatever the table --------------------------------------------------------------------------

_LABELS = ("A", "Ä", "group; 'one'", 'g"2"', "漢字", "Z z")
_NUMBERS = [0.0, 1.0, 2.5, -3.25, 1e300, -1e308, 1e308, 5e-324, math.nan, math.inf, -math.inf]


@st.composite
def _tree(draw: st.DrawFn, leaves: Sequence[Any], texts: Sequence[str]) -> Hierarchy:
    height = draw(st.integers(1, 3))
    paths: Hierarchy = {}
    parents: dict[tuple[int, str], str] = {}
    for leaf, own in zip(leaves, texts, strict=True):
        path, at = [own], own
        for level in range(1, height):
            at = parents.setdefault((level, at), f"{level} {draw(st.sampled_from(_LABELS))}")
            path.append(at)
        paths[leaf] = [*path, "*"]
    return paths


@st.composite
def _column(draw: st.DrawFn) -> tuple[Column, list[Any]]:
    kind = draw(st.sampled_from(["integer", "double", "text", "tree", "numbers with a tree"]))
    count = draw(st.integers(1, 6))
    if kind == "integer":
        cells = st.integers(-5, 5) | st.sampled_from([-(2**63), 2**63 - 1])
        return Column("BIGINT", True), draw(st.lists(cells, min_size=1, max_size=count))
    if kind == "double":
        return Column("DOUBLE", True), draw(st.lists(st.sampled_from(_NUMBERS), min_size=1, max_size=count))
    if kind == "numbers with a tree":
        pool = draw(st.lists(st.integers(-20, 120), min_size=1, max_size=count, unique=True))
        return Column("INTEGER", True, draw(_tree(pool, [str(v) for v in pool]))), pool
    pool = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=count, unique=True))
    return Column("VARCHAR", False, draw(_tree(pool, pool)) if kind == "tree" else None), pool


@st.composite
def _tables(draw: st.DrawFn) -> tuple[list[Column], list[tuple[Any, ...]], int]:
    made = draw(st.lists(_column(), min_size=1, max_size=4))
    cells = [st.sampled_from([*pool, None] if draw(st.booleans()) else pool) for _, pool in made]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=30))
    return [column for column, _ in made], rows, draw(st.integers(1, min(7, len(rows))))


@given(table=_tables())
@LIGHTER
def test_promises_hold_whatever_the_table(session: Session, table: Any) -> None:
    columns, rows, k = table
    run = anonymize(session, columns, rows, k)
    check(session, columns, rows, k, run)
    if k == 1:
        assert run.outcome.ncp == 0
        assert [tuple(map(_key, cells)) for cells in run.cells] == [tuple(map(_key, row)) for row in rows]


@given(table=_tables(), shuffle=st.randoms(use_true_random=False))
@LIGHTER
def test_order_of_the_records_decides_only_among_equal_ones(
    session: Session, table: Any, shuffle: random.Random
) -> None:
    columns, rows, k = table
    numbers = list(range(len(rows)))
    shuffle.shuffle(numbers)
    first = anonymize(session, columns, rows, k)
    second = anonymize(session, columns, rows, k, numbers=numbers)
    assert first.outcome == second.outcome
    pairs = [Counter(repr(pair) for pair in zip(rows, run.cells, strict=True)) for run in (first, second)]
    assert pairs[0] == pairs[1]


@pytest.mark.slow
def test_hostile_names(session: Session) -> None:
    names = [name for name in hostile.NAMES if name.casefold() not in ("record", "kept")]
    for start in range(0, len(names), 12):
        some = names[start : start + 12]
        columns = [Column("VARCHAR", name=name) for name in some]
        rows = [
            tuple(str((number * (place + 1)) // 7 % 2) for place in range(len(some))) for number in range(8)
        ]
        check(session, columns, rows, 3, anonymize(session, columns, rows, 3))


def test_types_stay_where_nothing_changed(session: Session) -> None:
    columns = [AGE, Column("VARCHAR")]
    rows = [(1, "a"), (1, "b"), (2, "c"), (2, "d")]
    anonymize(session, columns, rows, 2)
    types = {row[0]: row[1] for row in session._connection.execute("DESCRIBE made").fetchall()}
    assert types == {"record": "BIGINT", "c0": "INTEGER", "c1": "VARCHAR", "kept": "INTEGER"}


def test_all_different_values_take_few_levels(session: Session) -> None:
    rows = [(f"a{i}", f"b{i}", 2.0**-i) for i in range(400 if EXAMPLES >= 20 else 120)]
    columns = [Column("VARCHAR"), Column("VARCHAR"), Column("DOUBLE", True)]
    session.log.clear()
    run = anonymize(session, columns, rows, 2)
    assert run.outcome.smallest >= 2
    assert sum(entry.name == "local_parts" for entry in session.log) < 60


@pytest.mark.parametrize("k", thinned([2, 201, 300]))
def test_large_classes(session: Session, k: int) -> None:
    columns = [AGE, Column("VARCHAR")]
    rows = [((i * i) % 97, f"v{i % 5}") for i in range(601)]
    check(session, columns, rows, k, anonymize(session, columns, rows, k))


# --- what cannot be asked ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "quasi", "said"),
    [
        (0, ["c0"], "choose a k of 1 or more"),
        (3, ["c0"], "Classes of 3 need as many records, and the table has 2; choose a smaller k"),
        (2, [], "needs a quasi-identifier"),
        (2, ["c0", "c0"], "named twice"),
        (2, [f"c{i}" for i in range(300)], "300 quasi-identifiers are too many"),
    ],
)
def test_one_sentence_for_what_cannot_be_asked(session: Session, k: int, quasi: list[str], said: str) -> None:
    make(session._connection, {"record": "BIGINT", "c0": "INTEGER"}, [(0, 1), (1, 2)], "records")
    with pytest.raises(UsageError, match=said) as raised:
        k_anonymize(session, Sql("records"), "made", [QuasiIdentifier(b, b, True) for b in quasi], k)
    assert str(raised.value).endswith((".", "?"))


def test_no_records(session: Session) -> None:
    with pytest.raises(UsageError, match="Classes of 1 need as many records, and the table has 0"):
        anonymize(session, [AGE], [], 1)


def test_hierarchy_that_misses_values(session: Session) -> None:
    column = Column("VARCHAR", hierarchy={"a": ["a", "*"]}, name="letter")
    with pytest.raises(UsageError, match='hierarchy of "letter" lacks the values of 2 records'):
        anonymize(session, [column], [("a",), ("b",), ("c",), (None,)], 2)


def test_check_reads_only_the_table(session: Session) -> None:
    connection = session._connection
    make(connection, {"a": "VARCHAR", "b": "VARCHAR"}, [("x", None), ("x", None), ("y", "z")], "target")
    (row,) = session.run("made_class_sizes", target="target", columns=["a", "b"], k=2)
    assert row == {
        "classes": 2, "smallest": 1, "records": 3, "discernibility": 5, "average_class": 0.75,
    }  # fmt: skip
    assert "quasi_" not in render("made_class_sizes", target="target", columns=["a", "b"], k=2)


# --- Adult ---------------------------------------------------------------------------------------

ADULT = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    "income",
)  # fmt: skip


def adult(
    session: Session, left_out: Sequence[str], hierarchies: bool = True, most: int = 48_842
) -> list[QuasiIdentifier]:
    """The first records of Adult, and its quasi-identifiers with the trees of Xu et al. and Incognito."""
    connection = session._connection
    listed = ", ".join(f"{quoted(name)} AS c{i}" for i, name in enumerate(ADULT))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE adult AS SELECT file_row_number AS record, {listed} FROM "
        f"read_parquet('{shared('adult.parquet')}', file_row_number = true) WHERE file_row_number < {most}"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE ages AS SELECT DISTINCT CAST(c0 AS VARCHAR) AS level0, "
        + ", ".join(f"'[' || c0 // {w} * {w} || ', ' || (c0 // {w} + 1) * {w} || '['" for w in (5, 10, 20))
        + ", '*' FROM adult"
    )
    for level in (1, 2, 3, 4):
        name = connection.execute("DESCRIBE ages").fetchall()[level][0]
        connection.execute(f"ALTER TABLE ages RENAME COLUMN {quoted(name)} TO level{level}")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE work AS SELECT DISTINCT c1 AS level0, CASE WHEN c1 LIKE 'Self-emp%' "
        "THEN 'Self-employed' WHEN c1 LIKE '%-gov' THEN 'gov' WHEN c1 IN ('Without-pay', 'Never-worked') "
        "THEN 'not-work' ELSE c1 END AS level1, '*' AS level2 FROM adult"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE marital AS SELECT DISTINCT c3 AS level0, CASE WHEN c3 IN ('Widowed', "
        "'Married-spouse-absent') THEN 'alone' WHEN c3 LIKE 'Married%' THEN 'Married' WHEN c3 IN "
        "('Divorced', 'Separated') THEN 'leave' ELSE c3 END AS level1, '*' AS level2 FROM adult"
    )
    trees = {"age": ("ages", 4), "workclass": ("work", 2), "marital-status": ("marital", 2)}
    return [
        QuasiIdentifier(f"c{i}", name, name == "age", *(trees.get(name, (None, 1)) if hierarchies else ()))
        for i, name in enumerate(ADULT)
        if name not in left_out
    ]


def content(session: Session, table: str = "made") -> Any:
    return session._connection.execute(
        f"SELECT md5(string_agg(CAST(t AS VARCHAR), '|' ORDER BY record)) FROM {table} AS t"
    ).fetchone()


def known_to_pycanon(frame: Any, columns: list[str]) -> int:
    """The k that pyCANON finds in a table. It wants exact versions of numpy and pandas, so it is asked where
    it is there, and no part of the test environment."""
    return int(importlib.import_module("pycanon.anonymity").k_anonymity(frame[columns].astype(str), columns))


def test_k_is_what_pycanon_says(session: Session) -> None:
    pytest.importorskip("pycanon", reason="pyCANON is not installed; classes are counted in Python instead")
    frame = session._connection.execute("SELECT i % 5 AS a, i % 2 AS b FROM range(27) AS r(i)").df()
    assert known_to_pycanon(frame, ["a", "b"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "left_out", thinned([("occupation", "income"), ("income",)]), ids=thinned(["(2)", "(3)"])
)
def test_treatments_of_the_paper(session: Session, left_out: tuple[str, ...]) -> None:
    chosen = adult(session, left_out)
    bindings = [quasi.binding for quasi in chosen]
    kept = [f"c{i}" for i in range(9) if f"c{i}" not in bindings]
    outcome = k_anonymize(session, Sql("adult"), "made", chosen, 3)
    connection = session._connection
    sizes = Counter(connection.execute(f"SELECT {', '.join(bindings)} FROM made").fetchall())
    assert outcome.smallest == min(sizes.values()) >= 3
    assert outcome.classes == len(sizes)
    if importlib.util.find_spec("pycanon") is not None:
        assert known_to_pycanon(connection.execute("SELECT * FROM made").df(), bindings) == outcome.smallest
    assert outcome.records == 48_842
    same = " AND ".join(f"a.{name} = m.{name}" for name in kept)
    counted = f"SELECT count(*) FROM adult AS a JOIN made AS m USING (record) WHERE {same}"
    assert connection.execute(counted).fetchall() == [(48_842,)]
    assert 0 < outcome.gcp < 1


@pytest.mark.slow
def test_same_output_on_any_threads() -> None:
    found = []
    for threads in (1, 2):
        with Session(Resources(threads=threads)) as own:
            chosen = adult(own, ["income"], most=100 if EXAMPLES >= 20 else 50)[:3]
            outcome = k_anonymize(own, Sql("adult"), "made", chosen, 3)
            found.append((outcome, content(own)))
    assert found[0] == found[1]
