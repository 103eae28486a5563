"""People with a disclosed sensitive value: by hand, against the definition, and through a verdict."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.templates import Part
from tests.disclosure_oracle import written
from tests.oracle import key
from tests.shared_data import shared
from tests.tables import LIGHT, LIGHTER, Drawn, attribute, close, connect, drawn_tables, make, row, thinned

Rows = Sequence[tuple[Any, ...]]
Form = Callable[[Any], Hashable]
#: Shares of a class that disclose a value, and how much larger than among all people.
CLASS_SHARE, TIMES_ALL = Fraction(9, 10), Fraction(3, 2)
#: What is asked of an assessment that looks at people and what is disclosed of them.
ASKED: dict[str, Any] = {"known_records": 0, "samples": 0, "detailed": 0}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def brute_force(rows: Rows, forms: Sequence[Form] = (key,), *, by_user: bool = True) -> tuple[int, ...]:
    """Return people, disclosed people, classes and disclosed classes, by the definition.

    A row is a person, quasi-identifiers and the sensitive value, which each form maps to what is compared.
    """
    classes: defaultdict[tuple[Any, ...], set[Hashable]] = defaultdict(set)
    holders: list[defaultdict[Hashable, set[Hashable]]] = [defaultdict(set) for _ in forms]
    people: set[Hashable] = set()
    for number, (user, *known, value) in enumerate(rows):
        person = key(user) if by_user else number
        if person is None:
            continue
        people.add(person)
        classes[tuple(map(key, known))].add(person)
        for form, of_value in zip(forms, holders, strict=True):
            if value is not None:
                of_value[form(value)].add(person)
    disclosed: set[Hashable] = set()
    disclosed_classes = set()
    for of_value in holders:
        for having in of_value.values():
            for known_values, members in classes.items():
                share = Fraction(len(members & having), len(members))
                if share >= CLASS_SHARE and share >= TIMES_ALL * Fraction(len(having), len(people)):
                    disclosed |= members & having
                    disclosed_classes.add(known_values)
    return len(people), len(disclosed), len(classes), len(disclosed_classes)


def check(found: dict[str, Any], expected: tuple[int, ...]) -> None:
    people, disclosed, classes, disclosed_classes = expected
    assert (found["people"], found["disclosed_people"]) == (people, disclosed)
    assert (found["classes"], found["disclosed_classes"]) == (classes, disclosed_classes)
    assert close(found["share"], Fraction(disclosed, people) if people else None)


def measured(connection: duckdb.DuckDBPyConnection, **asked: Any) -> dict[str, Any]:
    given = {"source": "t", "user": "u", "columns": ["q"], "forms": [attribute("s")], "pairs": None}
    return row(connection, "disclosed_people", **{**given, **asked})


COLUMNS = {"u": "INTEGER", "q": "VARCHAR", "s": "VARCHAR"}


def group(first: int, name: str, *values: tuple[int, str | None]) -> list[tuple[Any, ...]]:
    """Return a class of new people, as many with each value, and numbered from ``first``."""
    cells = [value for times, value in values for _ in range(times)]
    return [(first + place, name, cell) for place, cell in enumerate(cells)]


@pytest.mark.parametrize(
    ("groups", "disclosed"),
    [
        # 9 of 10 have x, of all 9 of 20; 8 of 9 are too few.
        ([((9, "x"), (1, "y")), ((10, "z"),)], 19),
        ([((8, "x"), (1, "y")), ((5, "z"), (5, "w"))], 0),
        # 9 of 10 have x, of all 12 of 20: 0.9 is exactly 1.5 times 0.6. With one more of all it is less.
        ([((9, "x"), (1, "y")), ((3, "x"), (7, "y"))], 9),
        ([((9, "x"), (1, "y")), ((4, "x"), (6, "y"))], 0),
        # All 10 have x, of all 20 of 30: 1 is exactly 1.5 times two thirds. With one more of all it is less.
        ([((10, "x"),), ((10, "x"), (10, "y"))], 10),
        ([((10, "x"),), ((11, "x"), (9, "y"))], 0),
        # A missing value is none: 8 of 10 are too few, whatever the other two have.
        ([((8, "x"), (2, None)), ((10, "y"),)], 10),
        ([((10, None),), ((5, "x"), (5, "y"))], 0),
        # A class of one person discloses the value that nobody else has, or half of all have.
        ([((1, "x"),), ((5, "y"), (5, "z"))], 1),
        ([((1, "x"),), ((4, "x"), (5, "z"))], 1),
        ([((1, "x"),), ((7, "x"), (1, "z"))], 0),
        ([((1, None),)], 0),
    ],
)
def test_ties(
    connection: duckdb.DuckDBPyConnection, groups: list[tuple[tuple[int, str | None], ...]], disclosed: int
) -> None:
    rows = [
        line for number, values in enumerate(groups) for line in group(100 * number, f"g{number}", *values)
    ]
    make(connection, COLUMNS, rows)
    for user in ("u", None):
        found = measured(connection, user=user)
        assert found["disclosed_people"] == disclosed
        check(found, brute_force(rows))


@pytest.mark.parametrize("times", thinned(range(2, 40), 3))
def test_shares_are_compared_without_rounding(connection: duckdb.DuckDBPyConnection, times: int) -> None:
    """9 of 10 and 0.6 of all are exact ties whatever the number of people; one person less is none."""
    rows = [
        *group(0, "a", (9 * times, "x"), (times, "y")),
        *group(1000, "b", (3 * times, "x"), (7 * times, "y")),
    ]
    make(connection, COLUMNS, rows)
    assert measured(connection)["disclosed_people"] == 9 * times
    connection.execute("UPDATE t SET s = 'y' WHERE u = 0")
    assert measured(connection)["disclosed_people"] == 0


def test_several_records(connection: duckdb.DuckDBPyConnection) -> None:
    """A person is in each class of theirs, and has a value that any of their records has.

    Ann's record in class b has no value, but she has x from class a: both of b have x, which 2 of 5 people
    have. Classes a and b disclose x of Ann and Bob. Class c has Cleo (y, z), Dan (y) and Eve (z): no value is
    in 9 of 10. Class d has Cleo alone: of her y and z, which 2 of 5 have each, both are disclosed.
    """
    rows = [
        *[
            (1, "a", "x"),
            (1, "b", None),
            (2, "b", "x"),
            (3, "c", "y"),
            (3, "d", "z"),
            (4, "c", "y"),
            (5, "c", "z"),
        ],
        *[(None, "e", "x"), (1, "a", "x")],
    ]
    make(connection, COLUMNS, rows)
    found = measured(connection)
    assert found == {"people": 5, "disclosed_people": 3, "share": 0.6, "classes": 4, "disclosed_classes": 3}
    check(found, brute_force(rows))


def test_bands(connection: duckdb.DuckDBPyConnection) -> None:
    """Ten incomes from 50 to 59 differ, yet their band of ten is the same; the other ten are everywhere."""
    rows = [(i, "a", 50 + i) for i in range(10)] + [(10 + i, "b", 100 * i) for i in range(10)]
    make(connection, {**COLUMNS, "s": "INTEGER"}, rows)
    exact, band = attribute("s"), attribute(Part("s", "band", 10))
    assert measured(connection, forms=[exact])["disclosed_people"] == 0
    for forms in ([band], [exact, band], [band, exact]):
        found = measured(connection, forms=forms)
        assert (found["disclosed_people"], found["disclosed_classes"]) == (10, 1)
    # Whoever is disclosed by one form and another by the other count both, and whoever is by both once.
    rows += [(20 + i, "c", 7) for i in range(10)] + [(30, "d", 3_000)]
    make(connection, {**COLUMNS, "s": "INTEGER"}, rows)
    found = measured(connection, forms=[exact, band])
    assert (found["people"], found["disclosed_people"], found["disclosed_classes"]) == (31, 21, 3)


def in_band(width: int) -> Form:
    return lambda value: value // width


@st.composite
def disclosing(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Records whose value mostly follows from their class."""
    people = draw(st.integers(1, 24))
    own = draw(st.sampled_from([1, 1, 2]))
    rows: list[tuple[Any, ...]] = []
    for _ in range(draw(st.integers(0, people * own))):
        place = draw(st.sampled_from(["n", "e", "s", None]))
        usual = {"n": 12, "e": 25, "s": None, None: 31}[place]
        value = draw(st.sampled_from([usual, usual, usual, usual, 10, 19, 20, None]))
        person = draw(st.sampled_from([None, *range(people)] if own > 1 else [len(rows)]))
        rows.append((person, place, draw(st.sampled_from([None, True])), value))
    return rows


@LIGHT
@given(disclosing(), st.booleans())
def test_forms_against_the_definition(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], by_user: bool
) -> None:
    make(connection, {"u": "INTEGER", "q": "VARCHAR", "r": "BOOLEAN", "s": "BIGINT"}, rows)
    exact, band = attribute("s"), attribute(Part("s", "band", 10))
    user = "u" if by_user else None
    for forms, maps in (([exact], [key]), ([band], [in_band(10)]), ([exact, band], [key, in_band(10)])):
        found = measured(connection, user=user, columns=["q", "r"], forms=forms)
        check(found, brute_force(rows, maps, by_user=by_user))
        limited = measured(connection, user=user, columns=["q", "r"], forms=forms, pairs=10**9)
        assert limited == found


@LIGHT
@given(drawn_tables(width=3), st.booleans())
def test_any_values_against_the_definition(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, by_user: bool
) -> None:
    """Users, quasi-identifiers and sensitive values of all types, missing anywhere."""
    make(connection, drawn.columns, drawn.rows)
    user = "u" if by_user else None
    found = measured(connection, user=user, columns=["a", "b"], forms=[attribute(drawn.parts[2])])
    check(found, brute_force(drawn.rows, by_user=by_user))


def test_too_many_pairs(connection: duckdb.DuckDBPyConnection) -> None:
    """Above the limit nothing is said of people; at 20 people there are at least 20 pairs."""
    make(connection, COLUMNS, [(i, f"g{i % 4}", f"v{i % 5}") for i in range(20)])
    found = measured(connection, pairs=3)
    assert (found["people"], found["disclosed_people"], found["share"]) == (20, None, None)


def test_pairs_up_to_the_limit(connection: duckdb.DuckDBPyConnection) -> None:
    """As many pairs as the limit are compared. Of classes a and b of 3 people each has one telling value that
    others have: 6 pairs, and 2 more of person 1, who is in both classes and has a second one. What one person
    alone has is no pair, and neither is the class of person 7 alone."""
    rows = [(1, "a", "x"), (2, "a", "x"), (3, "a", "y"), (1, "b", "y"), (4, "b", "y"), (5, "b", "x")]
    rows += [(2, "a", "only 2"), (7, "c", "x"), (8, "d", "z"), (9, "d", "z"), (10, "d", None)]
    make(connection, COLUMNS, rows)
    # Person 1: 2 classes times 2 values; 2, 3, 4, 5, 8 and 9: one each.
    assert measured(connection, pairs=10) == measured(connection)
    found = measured(connection, pairs=9)
    assert (found["people"], found["disclosed_people"], found["share"]) == (9, None, None)
    assert found["classes"] == 4


def test_a_record_stands_for_many_people(connection: duckdb.DuckDBPyConnection) -> None:
    """A record that stands for three people counts like three records."""
    chance, told = random.Random(1), 0
    for _ in range(25):
        rows = [
            (chance.choice("abc"), chance.choice("xxxyz") if chance.random() < 0.9 else None, weight)
            for weight in chance.choices([1, 1, 2, 3, 9, 10], k=chance.randrange(1, 8))
        ]
        make(connection, {"q": "VARCHAR", "s": "VARCHAR", "w": "BIGINT"}, rows)
        counted = measured(connection, user=None, counted="w")
        check(counted, brute_force([(None, q, s) for q, s, w in rows for _ in range(w)], by_user=False))
        told += 0 < counted["disclosed_people"] < counted["people"]
    assert told > 5


@pytest.mark.parametrize("rows", [[], [(None, "a", "x")]])
def test_nobody(connection: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    make(connection, COLUMNS, rows)
    check(measured(connection), (0, 0, 0, 0))


def test_nothing_is_known(connection: duckdb.DuckDBPyConnection) -> None:
    """Without a quasi-identifier all people are one class, in which no value has a larger share."""
    rows = group(0, "a", (9, "x"), (1, "y"))
    make(connection, COLUMNS, rows)
    check(measured(connection, columns=[]), (10, 0, 1, 0))


# --- through an assessment -------------------------------------------------------------------------


def illnesses() -> list[tuple[Any, ...]]:
    """45 people of each sex and age group; every other group has one illness: 180 of 360 people."""
    rows: list[tuple[Any, ...]] = []
    groups = [(sex, age) for sex in "MF" for age in ("20-29", "30-39", "40-49", "50-59")]
    for number, (sex, age) in enumerate(groups):
        for place in range(45):
            illness = "HIV" if number % 2 == 0 else ("flu", "cold", "asthma")[place % 3]
            rows.append((7000 + 13 * (len(rows) + 1), sex, age, illness))
    return rows


PATIENTS = {"patient_id": "INTEGER", "sex": "VARCHAR", "age_group": "VARCHAR", "illness": "VARCHAR"}


def finding(report: Assessment) -> float | None:
    """Return the share that the finding on sensitive values has; None where there is no such finding."""
    found = [one.value for one in report.verdict.findings if one.name == "sensitive_disclosed"]
    return found[0] if found else None


def test_illnesses(tmp_path: Path) -> None:
    table = written(tmp_path, PATIENTS, illnesses())
    report = duckrisk.assess(table, sensitive=["illness"], **ASKED)
    (column,) = report.sensitive
    assert (column.column, column.proposed, column.disclosed_people, column.share) == (
        "illness",
        False,
        180,
        0.5,
    )
    assert (column.classes, column.disclosed_classes) == (8, 4)
    assert finding(report) == 0.5
    assert "sensitive_disclosed" in {one.name for one in report.verdict.exceeded}
    assert report.verdict.outcome == "fail"
    loose = {"name": "internal", "sensitive_disclosed": 0.5}
    assert "sensitive_disclosed" not in {
        one.name
        for one in duckrisk.assess(table, sensitive=["illness"], policy=loose, **ASKED).verdict.exceeded
    }


@pytest.mark.slow
def test_undeclared_and_insensitive(tmp_path: Path) -> None:
    """Without a declared role the outcome is undecided, and the sentence names both commands."""
    columns = {name: kind for name, kind in PATIENTS.items() if name != "patient_id"}
    rows = [cells[1:] for cells in illnesses()]
    table = written(tmp_path, columns, rows)
    # Who knows the illness as well is in a class of 15; without a user each record is a person.
    undeclared = duckrisk.assess(table, user="", **ASKED)
    assert undeclared.verdict.outcome == "undecided"
    assert finding(undeclared) is None
    (column,) = undeclared.sensitive
    assert (column.proposed, column.disclosed_people) == (True, 180)
    (reason,) = [
        why for why in undeclared.verdict.undecided_because if why.key == "policy.unsettled.sensitive"
    ]
    text = undeclared.to_text()
    assert reason is not None
    assert "--sensitive illness or --insensitive illness" in " ".join(text.split())
    assert "4 of 8" in text
    insensitive = duckrisk.assess(table, user="", insensitive=["illness"], **ASKED)
    assert (insensitive.verdict.outcome, insensitive.sensitive) == ("pass_if", ())
    known = duckrisk.assess(table, user="", quasi_identifiers=["illness"], **ASKED)
    assert (known.verdict.outcome, known.sensitive) == ("pass_if", ())
    declared = duckrisk.assess(table, user="", sensitive=["illness"], **ASKED)
    assert (declared.verdict.outcome, finding(declared)) == ("fail", 0.5)


def test_each_column_by_itself(tmp_path: Path) -> None:
    """The largest share counts, and another sensitive column is no quasi-identifier of the first."""
    rows = [
        (*cells, "x" if cells[1] == "M" and cells[2] == "20-29" else "yz"[n % 2])
        for n, cells in enumerate(illnesses())
    ]
    table = written(tmp_path, {**PATIENTS, "status": "VARCHAR"}, rows)
    report = duckrisk.assess(table, sensitive=["status", "illness"], **ASKED)
    assert [(one.column, one.disclosed_people) for one in report.sensitive] == [
        ("illness", 180),
        ("status", 45),
    ]
    for place, column in ((3, report.sensitive[0]), (4, report.sensitive[1])):
        people, disclosed, classes, disclosed_classes = brute_force([(*c[:3], c[place]) for c in rows])
        assert (column.disclosed_people, column.classes) == (disclosed, classes)
        assert (column.disclosed_classes, column.share) == (disclosed_classes, disclosed / people)
    assert finding(report) == 0.5


def test_a_constant_and_nothing_known(tmp_path: Path) -> None:
    """What everybody has is no disclosure, and nothing is where all columns are sensitive."""
    rows = [(*cells[:3], "HIV") for cells in illnesses()]
    table = written(tmp_path, PATIENTS, rows)
    assert finding(duckrisk.assess(table, sensitive=["illness"], **ASKED)) == 0
    table = written(tmp_path, PATIENTS, illnesses(), "all")
    all_three = ["illness", "sex", "age_group"]
    report = duckrisk.assess(table, sensitive=all_three, only=["uniqueness"], **ASKED)
    assert [one.disclosed_people for one in report.sensitive] == [0, 0, 0]
    assert finding(report) == 0


@LIGHTER
@given(disclosing().filter(lambda rows: len({cells[0] for cells in rows} - {None}) > 2), st.booleans())
def test_assessed(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], by_user: bool
) -> None:
    """Texts have no coarser form while there are few: the finding is that of the values as they are."""
    rows = [(*cells[:3], None if cells[3] is None else f"v{cells[3]}") for cells in rows]
    columns = {"u": "INTEGER", "q": "VARCHAR", "r": "BOOLEAN", "s": "VARCHAR"}
    table = written(tmp_path_factory.mktemp("drawn"), columns, rows)
    asked = {**ASKED, "only": ["uniqueness"], "quasi_identifiers": ["q", "r"], "sensitive": ["s"]}
    if by_user:
        report = duckrisk.assess(table, user="u", **asked)
    else:
        report = duckrisk.assess(table, user="", ignore=["u"], **asked)
    people, disclosed, _, _ = brute_force(rows, by_user=by_user)
    (column,) = report.sensitive
    assert (column.disclosed_people, column.share) == (disclosed, pytest.approx(disclosed / people))
    assert finding(report) == column.share


@pytest.mark.slow
def test_adult() -> None:
    """Income is disclosed of some who are alone or nearly so; it takes few seconds of CPU."""
    table = shared("adult.parquet")
    begin = time.process_time()
    report = duckrisk.assess(table, user="", sensitive=["income"], only=["uniqueness"], **ASKED)
    seconds = time.process_time() - begin
    (column,) = report.sensitive
    assert "income" not in report.uniqueness.attributes  # nor is the weight, which nobody knows
    chosen = ", ".join(f'"{name}"' for name in [*report.uniqueness.attributes, "income"])
    with connect() as connection:
        rows = connection.execute(f"SELECT NULL, {chosen} FROM '{table}'").fetchall()
    holders: defaultdict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for _, *cells, income in rows:
        holders[tuple(cells)].append(income)
    of_all = {income: sum(cells[-1] == income for cells in rows) for income in {cells[-1] for cells in rows}}
    disclosed = 0
    for incomes in holders.values():
        for income in set(incomes):
            share = Fraction(incomes.count(income), len(incomes))
            if share >= CLASS_SHARE and share >= TIMES_ALL * Fraction(of_all[income], len(rows)):
                disclosed += incomes.count(income)
    assert (column.disclosed_people, column.classes) == (disclosed, len(holders))
    assert finding(report) == disclosed / len(rows)
    print(f"{disclosed} of {len(rows)} people, {seconds:.1f} CPU seconds")
    assert seconds < 30
