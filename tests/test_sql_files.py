"""The files under sql/: what they say of their statements, and that each of these is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import duckrisk
from duckrisk.engine import templates
from duckrisk.engine.templates import Algorithm
from tests.cases import Cases
from tests.sql_tables import Tables, tables_of

PACKAGE = Path(duckrisk.__file__).parent
FILES = templates.algorithms()
PIECES = sorted((templates.SQL_FOLDER / templates.PIECES).glob("*.sql"))
#: Lines of SQL that two places may have in common before they become a piece.
COMMON_LINES = 16
#: Lines longer than this count; topics that are not named have none, and no number may rise.
LINE = 120
#: That of expressions is a pattern of types: as a concatenation it takes 7 % more time to plan.
LONG_LINES = {"expressions": 1, "spark": 2}
#: Files that one engine for attribute sets replaces.
REPLACED = {"attribute_sets", "minimal_keys", "suda"}
#: Tables that stand in a database already.
THERE = {"sqlite_master"}


def quoted() -> Iterator[str]:
    """Every text that stands in the package's Python, a text with a placeholder as a pattern."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.escape(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                fixed = "".join(str(part) for part in parts if part is not None)
                if re.fullmatch(r"[a-z_]*_[a-z_]*", fixed) and len(fixed) > 3:
                    yield "".join("[a-z_]+" if part is None else str(part) for part in parts)


@cache
def all_quoted() -> set[str]:
    return set(quoted())


def is_quoted(name: str) -> bool:
    every = all_quoted()
    return name in every or any(re.fullmatch(text, name) for text in every if "[a-z_]+" in text)


def wrong_tables(algorithm: Algorithm, bodies: list[str]) -> list[str]:
    """What the header of a file does not say of the tables of its statements, or says wrongly."""
    reads, makes = set(algorithm.tables("reads")), set(algorithm.tables("makes"))
    tables = [tables_of(body) for body in bodies]
    made = set().union(*(table.makes for table in tables))
    wrong = [f"makes {name} unsaid" for name in made - makes]
    wrong += [f"does not make {name}" for name in makes - made if not is_quoted(name)]
    there = makes - made | THERE  # Python names these, or somebody else's engine has them
    used: set[str] = set()
    for table in tables:
        used |= (table.reads | table.fills) - there - table.makes
        there |= table.makes
    return wrong + [f"reads {n} unsaid" for n in used - reads] + [f"does not read {n}" for n in reads - used]


@pytest.mark.slow
def test_files_say_which_tables_they_read_and_make() -> None:
    """In the order of the statements: what one of them makes another one below may read."""
    with Cases() as case:
        for name, algorithm in FILES.items():
            with case(name):
                assert wrong_tables(algorithm, [template.body for template in algorithm.statements]) == []
                made_elsewhere = {
                    table
                    for other in FILES.values()
                    if other is not algorithm
                    for table in other.tables("makes")
                }
                assert set(algorithm.tables("reads")) <= made_elsewhere


def test_tables_that_a_header_lacks_are_found() -> None:
    header = (
        "-- a\n-- Something.\n--\n-- runs: finish\n-- reads: b\n-- makes: c\n\n-- name: d\n-- It.\nSELECT 1\n"
    )
    algorithm = Algorithm("topic", "a", header)
    make, read = "CREATE TEMP TABLE c AS SELECT * FROM b", "SELECT * FROM c JOIN b USING (x)"
    assert wrong_tables(algorithm, [make, read]) == []
    assert wrong_tables(algorithm, [read, make]) == ["reads c unsaid"]
    assert wrong_tables(algorithm, [make, "SELECT * FROM c, e"]) == ["reads e unsaid"]
    assert wrong_tables(algorithm, [make, "INSERT INTO f SELECT 1"]) == ["reads f unsaid"]
    assert wrong_tables(algorithm, [make, "CREATE TEMP TABLE g AS SELECT 1"]) == ["makes g unsaid"]
    assert wrong_tables(algorithm, ["CREATE TEMP TABLE c AS SELECT 1"]) == ["does not read b"]


@pytest.mark.parametrize(
    ("body", "reads", "makes", "fills"),
    [
        ("SELECT * FROM a AS x, b AS y (p, q), UNNEST(y.l) JOIN c USING (d)", "abc", "", ""),
        ("WITH a AS (SELECT 1), b (x) AS MATERIALIZED (SELECT * FROM a) SELECT * FROM b, c", "c", "", ""),
        ("WITH a{{ i }} AS (SELECT 1) SELECT * FROM a{{ i }}, a0, b, {{ c | relation }}, d", "bd", "", ""),
        (
            "SELECT EXTRACT(DAY FROM a), a IS DISTINCT FROM b, 'from c' FROM RANGE(LEN(a)) AS r, e",
            "e",
            "",
            "",
        ),
        ("SELECT 1 -- FROM a\nFROM b", "b", "", ""),
        (
            "CREATE OR REPLACE TEMP {% if t %}TABLE{% else %}VIEW{% endif %} a AS SELECT * FROM b",
            "b",
            "a",
            "",
        ),
        ("{% if x %}CREATE TEMP TABLE a AS{% else %}INSERT INTO a{% endif %} FROM b", "b", "a", "a"),
        ("SELECT * FROM (SELECT 1 FROM a) AS b, c LEFT JOIN d AS e ON TRUE", "acd", "", ""),
        ("DELETE FROM a WHERE b IN (SELECT c FROM d)", "ad", "", "a"),
        ("INSERT INTO {{ a | identifier }} SELECT * FROM b.c", "", "", ""),
    ],
)
def test_tables_of_a_body(body: str, reads: str, makes: str, fills: str) -> None:
    assert tables_of(body) == Tables(frozenset(reads), frozenset(makes), frozenset(fills))


def test_something_runs_every_statement() -> None:
    """A metric has a macro; any other statement is named by Python, a variant by what it is of."""
    dead = [
        name
        for name, template in templates.catalogue().items()
        if not template.is_metric
        and not is_quoted(name)
        and name.partition("__")[2] not in templates.catalogue()
    ]
    assert dead == []


def test_a_metric_is_told_under_its_own_name() -> None:
    """One metric a file, and first in it."""
    with Cases() as case:
        for name in templates.metrics():
            with case(name):
                algorithm = templates.algorithm_of(name)
                assert algorithm is not None
                assert (algorithm.name, next(iter(algorithm.names))) == (name, name)


def test_files_say_what_their_statements_do_together() -> None:
    with Cases() as case:
        for algorithm in FILES.values():
            with case(algorithm.name):
                header, steps = algorithm.header, algorithm.statements
                assert header.summary.endswith(".")
                if len(algorithm.names) > 1:
                    assert header.facts["source"]
                    for parameter in header.parameters:  # what one statement alone takes stands with it
                        takers = [any(own is parameter for own in step.parameters) for step in steps]
                        assert sum(takers) > 1, parameter.name
                else:
                    assert list(algorithm.names) == [algorithm.name]


def test_a_statement_takes_parameters_of_the_header_of_its_file() -> None:
    head = "-- a\n-- Something.\n--\n-- runs: finish\n--\n-- parameter n: integer or none, how many\n"
    step = (
        "\n-- name: b\n-- It.\n-- takes: n\n-- parameter m: text, which\nSELECT {{ n }}, {{ m | literal }}\n"
    )
    template = Algorithm("topic", "a", head + step).template("b")
    assert [(p.name, p.type, p.optional) for p in template.parameters] == [
        ("n", "integer", True),
        ("m", "text", False),
    ]
    assert (template.facts["runs"], template.body) == ("finish", "SELECT {{ n }}, {{ m | literal }}")
    with pytest.raises(ValueError, match="lacks"):
        Algorithm("topic", "a", head + step.replace("takes: n", "takes: o")).template("b")
    with pytest.raises(ValueError, match="two statements"):
        Algorithm("topic", "a", head + step + step)
    with pytest.raises(ValueError, match="neither"):
        Algorithm("topic", "a", head + step.replace("takes: n", "makes: n")).template("b")
    with pytest.raises(ValueError, match="calls itself"):
        _ = Algorithm("topic", "c", head + step).header


def test_pieces_are_included_more_than_once() -> None:
    included = Counter(
        name
        for path in templates.SQL_FOLDER.glob("*/*.sql")
        for name in re.findall(r"^-- include: (\w+)", path.read_text("utf-8"), re.MULTILINE)
    )
    assert sorted(included) == [path.stem for path in PIECES]
    assert min(included.values()) > 1, included
    for path in PIECES:
        name, sentence, nothing, *_ = path.read_text("utf-8").split("\n")
        assert (name, nothing) == (f"-- {path.stem}", "")
        assert re.fullmatch(r"-- [A-Z].*[.]", sentence)
    left = [name for name, template in templates.catalogue().items() if "include:" in template.text]
    assert left == []


def test_a_piece_is_written_into_a_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "part.sql").write_text("-- part\n-- It.\n\n<side> AS (SELECT 1)\n", "utf-8")
    monkeypatch.setattr(templates, "SQL_FOLDER", tmp_path)
    text = "-- a\n-- It.\n--\n-- runs: finish\nWITH\n-- include: part, side: mine\nFROM mine\n"
    template = Algorithm("topic", "a", text).template("a")
    assert template.body == "WITH\nmine AS (SELECT 1)\nFROM mine"


def test_no_two_places_have_the_same_lines() -> None:
    places: dict[tuple[str, ...], list[str]] = {}
    for path in templates.SQL_FOLDER.glob("*/*.sql"):
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        for start in range(len(lines) - COMMON_LINES + 1):
            place = f"{path.stem}:{start + 1}"
            places.setdefault(tuple(lines[start : start + COMMON_LINES]), []).append(place)
    copies = [
        found for found in places.values() if len({place.split(":")[0] for place in found} - REPLACED) > 0
    ]
    assert [found for found in copies if len(found) > 1] == []


def test_lines_keep_a_length_that_a_reader_can_hold() -> None:
    counts: Counter[str] = Counter()
    for path in templates.SQL_FOLDER.glob("*/*.sql"):
        counts[path.parent.name] += sum(len(line) > LINE for line in path.read_text("utf-8").splitlines())
    assert {topic: count for topic, count in counts.items() if count > LONG_LINES.get(topic, 0)} == {}
