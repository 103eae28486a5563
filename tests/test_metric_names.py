"""Every metric of an attribute with hostile names of tables and columns, and names of its own parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql, catalogue
from tests.hostile import NAMES
from tests.tables import METRICS, attribute, connect, engine, make, run, thinned

pytestmark = pytest.mark.slow

ROWS = [
    (1, "x", 0),
    (1, "y", 1),
    (2, "x", 2),
    (2, "x", 3),
    (3, "z", 4),
    (None, "x", 5),
    (3, None, 6),
    (4, "z", 7),
]
PLAIN = {"u": "INTEGER", "a": "VARCHAR", "extra": "INTEGER"}
Outcome = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        make(made, PLAIN, ROWS, "plain")
        yield made


def outcome(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    user: str,
    known: str,
    templates: Sequence[str] = tuple(METRICS),
) -> Outcome:
    """What metrics say of a table."""
    made = attribute(known)
    return {
        template: run(connection, template, source=source, user=user, attribute=made, **METRICS[template])
        for template in templates
    }


@pytest.fixture(scope="module")
def plain(connection: duckdb.DuckDBPyConnection) -> Outcome:
    return outcome(connection, "plain", "u", "a")


def renamed(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], templates: Sequence[str] = tuple(METRICS)
) -> Outcome:
    """What metrics say when the table, its user and its attribute have these three names."""
    source, user, known = names
    make(connection, {user: "INTEGER", known: "VARCHAR"}, [cells[:2] for cells in ROWS], source)
    try:
        return outcome(connection, source, user, known, templates)
    finally:
        quoted = source.replace('"', '""')
        connection.execute(f'DROP TABLE "{quoted}"')


@pytest.mark.parametrize("place", thinned(range(len(NAMES)), 3), ids=lambda place: ascii(NAMES[place])[:30])
def test_hostile_names(connection, plain, place):
    """Each name is once the table, once the user and once the attribute, each time of half of the metrics."""
    half = tuple(METRICS)[place % 2 :: 2]
    found = renamed(connection, [NAMES[place - shift] for shift in range(3)], half)
    assert found == {template: plain[template] for template in half}


def words(template: str) -> list[str]:
    """The names that a template itself uses, without words of its comments, its texts and of SQL."""
    body = re.sub(r"--.*|'[^']*'", "", catalogue()[template].body)
    found = {word.casefold() for word in re.findall(r"[A-Za-z_]\w*", body)}
    keywords = engine().execute(
        "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    )
    return sorted(found - {word for (word,) in keywords.fetchall()} - {"plain"})


@pytest.mark.parametrize("template", METRICS)
def test_names_that_the_template_uses_itself(connection, plain, template):
    """A table, a user or an attribute named like a part of the query does not get into its way."""
    own = words(template)
    for place in thinned(range(len(own)), 3):
        names = [own[place - shift] for shift in range(3)]
        assert renamed(connection, names, [template])[template] == plain[template], names


@pytest.mark.parametrize("template", METRICS)
def test_further_columns_with_names_of_the_template(connection, plain, template):
    extra = [word for word in words(template) if word not in PLAIN]
    cells = ", ".join(f'extra % {3 + place % 5} AS "{word}"' for place, word in enumerate(extra))
    connection.execute(f"CREATE OR REPLACE TABLE wide AS SELECT u, a, {cells} FROM plain")
    assert outcome(connection, "wide", "u", "a", [template])[template] == plain[template]


def test_any_relation(connection, plain):
    """A source may be a query."""
    assert outcome(connection, Sql("(SELECT u, a FROM plain)"), "u", "a") == plain
