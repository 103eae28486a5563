"""Uniform forms against brute force: the classes that they leave, the best forms of toys, public tables."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql
from duckrisk.engine.types import is_number
from duckrisk.release.k_anonymity import QuasiIdentifier
from duckrisk.release.k_anonymity.uniform import Form, Forms, find_forms
from duckrisk.release.k_anonymity.uniform_forms import find_nice_number, round_outward, shorten_mean
from tests import hostile
from tests.shared_data import shared
from tests.tables import DATASETS, KINDS, LIGHTER, Drawn, attribute, drawn_tables, make, quoted, thinned

Rows = Sequence[tuple[Any, ...]]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as made:
        yield made


def search(
    session: Session, columns: dict[str, str], rows: Rows, k: int, user: str | None = None, **options: Any
) -> Forms:
    """Search the forms of all columns but the user's; whether it fails or not, no table stays."""
    numbered = [(number, *row) for number, row in enumerate(rows)]
    make(session._connection, {"record": "BIGINT", **columns}, numbered, "records")
    quasi = [QuasiIdentifier(n, n, is_number(kind)) for n, kind in columns.items() if n != user]
    names = "SELECT table_name FROM duckdb_tables() WHERE table_name SIMILAR TO '(quasi|uniform).*'"
    try:
        return find_forms(session, Sql("records"), quasi, k, user=user, **options)
    finally:
        assert session._connection.execute(names).fetchall() == []


def recode(form: Form, value: Any, text: str | None) -> Any:
    """Return what a form makes of a value; "outside" if nothing."""
    if form.kind == "left_out":
        return "*"
    if value is None or form.kind == "whole":
        return text
    if form.kind == "bands":
        edges = [type(value)(edge) for edge in form.edges]
        if not edges[0] <= value <= edges[-1]:
            return "outside"
        return sum(edge <= value for edge in edges[1:-1])
    if form.kind == "groups":
        return next((number for number, group in enumerate(form.groups) if text in group), "outside")
    if form.kind == "prefix":
        assert isinstance(text, str)
        assert isinstance(form.option, int)
        return text[: form.option] + ("*" if len(text) > form.option else "")
    year, month, day = value.year, value.month, value.day
    return {
        "10years": year // 10,
        "5years": year // 5,
        "year": year,
        "quarter": (year, (month - 1) // 3),
        "month": (year, month),
        "week": value.isocalendar()[:2],
        "day": (year, month, day),
    }[str(form.option)]


def apply_forms(forms: Forms, rows: Rows, texts: Rows) -> dict[Any, list[int]]:
    """Return the records of each class, without those outside."""
    classes = defaultdict(list)
    for number, (row, written) in enumerate(zip(rows, texts, strict=True)):
        cells = tuple(recode(*each) for each in zip(forms.forms, row, written, strict=True))
        if "outside" not in cells:
            classes[cells].append(number)
    return classes


def written(session: Session, columns: dict[str, str]) -> Rows:
    listed = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in columns)
    return session._connection.execute(f"SELECT {listed} FROM records ORDER BY record").fetchall()


# --- by hand -------------------------------------------------------------------------------------


def test_bands_and_groups_by_hand(session: Session) -> None:
    """Ages 20 to 21 and 60 to 62, three records each; the only person of 99 is deleted."""
    rows = [(20, "a"), (20, "a"), (21, "a"), (60, "b"), (61, "c"), (62, "b")] * 4 + [(99, "a")]
    forms = search(session, {"age": "INTEGER", "kind": "VARCHAR"}, rows, 12, delete_at_most=0.04)
    age, kind = forms.forms
    assert (age.kind, age.edges) == ("bands", (20, 50, 62))
    assert [(band.least, band.most, band.mean) for band in age.bands] == [(20, 21, 20.3333), (60, 62, 61.0)]
    assert (kind.kind, kind.groups) == ("groups", (("a",), ("b", "c")))
    assert (forms.records, forms.deleted, forms.classes, forms.smallest) == (25, 1, 2, 12)
    assert forms.gcp == pytest.approx((12 * 1 / 79 + 12 * 2 / 79 + 12 * 2 / 3 + 2) / 50, rel=1e-12)


def test_no_edge_is_a_number_of_deleted_records_alone(session: Session) -> None:
    """The one record of 36 is deleted; a band that began there would name it, as 36 is rounder than 37."""
    rows = [(age, "a") for age in (30, 32, 35)] * 4 + [(36, "b")] + [(age, "c") for age in (37, 39, 52)] * 4
    forms = search(session, {"age": "INTEGER", "kind": "VARCHAR"}, rows, 12, delete_at_most=0.1)
    assert (forms.forms[0].kind, forms.forms[0].edges) == ("bands", (30, 37, 60))
    assert (forms.deleted, forms.classes) == (1, 2)


def test_a_rounder_cut_is_taken_where_it_costs_little(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 206 ages one each, 103 halves them best; bands of 100 and 106 people lose hardly more."""
    rows = [(age,) for age in range(206) for _ in range(2)]
    forms = search(session, {"age": "INTEGER"}, rows, 200, delete_at_most=0)
    assert forms.forms[0].edges[:2] == (0, 100)
    monkeypatch.setattr("duckrisk.release.k_anonymity.uniform_search.MAX_ROUNDING_LOSS", 0)
    forms = search(session, {"age": "INTEGER"}, rows, 200, delete_at_most=0)
    assert forms.forms[0].edges[:2] == (0, 103)


def test_nothing_is_deleted_without_need(session: Session) -> None:
    forms = search(session, {"a": "INTEGER", "b": "VARCHAR"}, [(1, "x")] * 5 + [(2, "y")] * 5, 5)
    assert [form.kind for form in forms.forms] == ["whole", "whole"]
    assert (forms.deleted, forms.classes, forms.gcp) == (0, 2, 0)


def test_a_column_of_many_values_is_left_out_first(session: Session) -> None:
    rows = [(number * 37 % 101, number % 2) for number in range(100)]
    forms = search(session, {"weight": "INTEGER", "sex": "INTEGER"}, rows, 5)
    assert forms.forms == (Form("weight", "left_out", hopeless=True), Form("sex", "whole"))
    kept = search(session, {"weight": "INTEGER", "sex": "INTEGER"}, rows, 5, keep=["weight"])
    assert kept.forms[0].kind == "bands"


def test_kept_columns_are_cut_first(session: Session) -> None:
    """Only one of two columns can be kept; without a wish it is the one that gains more."""
    rows = [(a, b) for a in range(2) for b in "xyz"] * 2
    columns = {"a": "INTEGER", "b": "VARCHAR"}
    for options in ({}, {"keep": ["b"]}, {"importance": {"b": 3}}):
        kinds = [form.kind for form in search(session, columns, rows, 4, **options).forms]
        assert kinds == (["left_out", "whole"] if options else ["whole", "left_out"])


def test_dates_become_periods(session: Session) -> None:
    """20 records a month, and less than 11 a day."""
    days = [dt.date(2020 + month // 12, month % 12 + 1, day) for month in range(30) for day in range(1, 21)]
    forms = search(session, {"day": "DATE", "moment": "TIMESTAMP"}, [(day, day) for day in days], 11)
    assert [(form.kind, form.option) for form in forms.forms] == [("moment", "month")] * 2
    assert forms.deleted == 0


def test_dates_become_weeks(session: Session) -> None:
    """Ten records a working day are 50 a week, and 11 a day are too many."""
    first = dt.date(2020, 1, 6)
    days = [first + dt.timedelta(7 * week + day) for week in range(50) for day in range(5)]
    rows = [(day, dt.datetime(day.year, day.month, day.day, hour)) for day in days for hour in range(10)]
    forms = search(session, {"day": "DATE", "moment": "TIMESTAMP"}, rows, 11)
    assert [(form.kind, form.option) for form in forms.forms] == [("moment", "week")] * 2
    assert (forms.deleted, forms.classes) == (0, 50)


def test_weeks_are_tried_for_months(session: Session) -> None:
    """Months delete nothing and come first; weeks save more, although each fourth one loses three records."""
    weeks = [(week, [3, 30, 30, 30][week % 4]) for week in range(48)]
    first = dt.date(2020, 1, 6)
    days = [first + dt.timedelta(7 * week + number % 7) for week, size in weeks for number in range(size)]
    forms = search(session, {"day": "DATE"}, [(day,) for day in days], 11)
    assert forms.forms == (Form("day", "moment", option="week"),)
    assert (forms.records, forms.deleted, forms.classes) == (1_116, 36, 36)


def test_codes_become_prefixes(session: Session) -> None:
    codes = [(f"{letter}{digit}{last}",) for letter in "AB" for digit in range(5) for last in range(8)] * 2
    forms = search(session, {"code": "VARCHAR"}, codes, 11)
    assert forms.forms == (Form("code", "prefix", option=2),)


def test_a_missing_value_is_one_of_its_own(session: Session) -> None:
    rows = [(None, None)] * 6 + [(number % 4, "ab"[number % 2]) for number in range(40)]
    forms = search(session, {"n": "INTEGER", "c": "VARCHAR"}, rows, 5)
    assert [form.kind for form in forms.forms] == ["whole", "whole"]
    assert forms.classes == 5


def test_classes_count_people(session: Session) -> None:
    """Ten records of x are of two people alone."""
    rows = [(number % 2, "x") for number in range(10)] + [(number, "y") for number in range(10)]
    forms = search(session, {"u": "INTEGER", "c": "VARCHAR"}, rows, 5, user="u", delete_at_most=0.4)
    assert forms.forms == (Form("c", "left_out"),)
    assert search(session, {"u": "INTEGER", "c": "VARCHAR"}, rows, 5).forms[1].kind == "whole"


def list_disclosing(classes: Sequence[set[int]], owned: dict[int, set[Any]], people: int) -> list[set[int]]:
    """Return the classes of people that disclose a value to nine of ten, by the definition."""
    shares = Counter(value for values in owned.values() for value in values)
    found = []
    for members in classes:
        held = Counter(value for person in members for value in owned.get(person, ()))
        for value, count in held.items():
            if 10 * count >= 9 * len(members) and 2 * count * people >= 3 * shares[value] * len(members):
                found.append(members)
                break
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("user", "kind"), thinned(itertools.product([None, "u"], ["INTEGER", "VARCHAR", "DATE"]))
)
def test_no_class_discloses_a_sensitive_value(session: Session, user: str | None, kind: str) -> None:
    """All of a month are ill or none, but not all of a quarter."""
    ill = [0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0]
    values: list[Any] = [month + 1 for month in range(12)]
    if kind == "VARCHAR":
        values = list("abcdefghijkl")
    elif kind == "DATE":
        values = [dt.date(2020, month + 1, 1) for month in range(12)]
    rows = [
        (value, "ill" if sick else None, 20 * n + i)
        for n, (value, sick) in enumerate(zip(values, ill, strict=True))
        for i in range(20)
    ]
    columns = {"x": kind, "s": "VARCHAR", "u": "INTEGER"}
    make(
        session._connection,
        {"record": "BIGINT", **columns},
        [(n, *row) for n, row in enumerate(rows)],
        "records",
    )
    quasi = [QuasiIdentifier("x", "x", is_number(kind))]
    forms = find_forms(session, Sql("records"), quasi, 5, user=user, sensitive=[attribute("s")])
    texts = session._connection.execute("SELECT CAST(x AS VARCHAR) FROM records ORDER BY record").fetchall()
    classes = [set(records) for records in apply_forms(forms, [row[:1] for row in rows], texts).values()]
    owned = {number: {row[1]} for number, row in enumerate(rows) if row[1] is not None}
    assert list_disclosing(classes, owned, len(rows)) == []
    assert forms.forms[0].kind != "left_out"
    assert forms.deleted == 0
    assert find_forms(session, Sql("records"), quasi, 5, user=user).forms != forms.forms


def test_too_few_records(session: Session) -> None:
    with pytest.raises(UsageError, match="the table has 3"):
        search(session, {"a": "INTEGER", "b": "VARCHAR"}, [(1, "x")] * 3, 4)


@pytest.mark.parametrize(
    ("above", "most", "nice"),
    [
        (37, 41, 40),
        (0, 114, 100),
        (-5, 3, 0),
        (12, 13, 13),
        (Decimal("2.55"), Decimal("2.65"), Decimal("2.6")),
        (0.12, 0.3, 0.2),
        (-23, -18, -20),
        (1999, 2000, 2000),
        (0.1, 0.1 + 2**-56, 0.1 + 2**-56),
    ],
)
def test_nice_numbers(above: Any, most: Any, nice: Any) -> None:
    assert find_nice_number(above, most) == nice


def test_ends_are_rounded_outward() -> None:
    assert round_outward(17, 12) == 10
    assert round_outward(90, 40, up=True) == 90
    assert round_outward(88, 40, up=True) == 90
    assert round_outward(82, 40, 90, up=True) == 82
    assert round_outward(8.25, 4, 9.0, up=True) == 8.3
    assert round_outward(17, 0) == 17
    assert round_outward(Decimal("0.15"), Decimal("0.13")) == Decimal("0.1")


def test_means_have_few_digits_inside_of_their_band() -> None:
    assert shorten_mean(38.5816468, 17, 90) == 38.5816
    assert shorten_mean(12345678.4, 12345678, 12345679) == 12345678.0
    assert shorten_mean(5.0000001, 5, 5) == 5


# --- whatever the table --------------------------------------------------------------------------


def _count(column: list[Any]) -> int:
    return len({"nan" if value != value else value for value in column})


def check(session: Session, columns: dict[str, str], rows: Rows, k: int, forms: Forms, limit: float) -> None:
    """Classes of k, as few deleted records as said, and no value of a deleted record in the forms."""
    texts = written(session, columns)
    classes = apply_forms(forms, rows, texts)
    kept = [number for records in classes.values() if len(records) >= k for number in records]
    assert forms.deleted == len(rows) - len(kept)
    assert forms.deleted <= limit * len(rows)
    assert forms.records == len(rows)
    assert 0 <= forms.gcp <= 1
    for place, form in enumerate(forms.forms):
        values = {texts[number][place] for number in kept}
        for group in form.groups:
            assert group
            assert set(group) <= values
        edges = {type(row[place])(edge) for row in rows[:1] for edge in form.edges if row[place] is not None}
        assert edges & {row[place] for row in rows} <= {rows[number][place] for number in kept}
        for band in form.bands:
            assert float(band.least) <= band.mean <= float(band.most)


@LIGHTER
@given(
    drawn_tables(width=3, values=("text", "integer", "double", "decimal", "date", "boolean")),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_what_holds_of_every_result(session: Session, drawn: Drawn, k: int, limit: float) -> None:
    columns = dict(zip(hostile.NAMES, (KINDS[kind].sql for kind in drawn.values), strict=False))
    rows = [row[1:] for row in drawn.rows]
    if len(rows) < k:
        with pytest.raises(UsageError):
            search(session, columns, rows, k, delete_at_most=limit)
        return
    forms = search(session, columns, rows, k, delete_at_most=limit)
    check(session, columns, rows, k, forms, limit)
    shuffled = random.Random(1).sample(rows, len(rows))
    assert search(session, columns, shuffled, k, delete_at_most=limit) == forms


def test_a_column_whose_only_value_is_deleted_deletes_nothing(session: Session) -> None:
    """The cut of 5 from missing values would delete its record, and leave a column without a value."""
    rows = [(5,), (None,), (None,), (None,)]
    forms = search(session, {"a": "BIGINT"}, rows, 2, delete_at_most=0.5)
    check(session, {"a": "BIGINT"}, rows, 2, forms, 0.5)
    assert (forms.forms[0].kind, forms.deleted, forms.classes, forms.gcp) == ("left_out", 0, 1, 1.0)


@LIGHTER
@given(
    drawn_tables(width=3, users=("integer", "text"), values=("text", "integer", "date")), st.integers(1, 4)
)
def test_people_and_sensitive_values(session: Session, drawn: Drawn, k: int) -> None:
    """The records that are left are those of the definition, counted anew until nobody is left out."""
    columns = {name: drawn.columns[name] for name in ("a", "b", "c", "u")}
    rows = [(*row[1:], row[0]) for row in drawn.rows]
    if len({row[3] for row in rows} - {None}) < k:
        return
    make(
        session._connection, {"record": "BIGINT", **columns}, [(n, *r) for n, r in enumerate(rows)], "records"
    )
    quasi = [QuasiIdentifier(name, name, is_number(columns[name])) for name in "ab"]
    options = {"user": "u", "sensitive": [attribute("c")], "delete_at_most": 0.5}
    forms = find_forms(session, Sql("records"), quasi, k, **options)  # type: ignore[arg-type]
    classes = apply_forms(forms, [row[:2] for row in rows], written(session, {"a": "", "b": ""}))
    people = {
        cells: {rows[n][3] for n in records if rows[n][3] is not None} for cells, records in classes.items()
    }
    left = {cells for cells in classes if len(people[cells]) >= k}
    while True:
        records = [n for cells in left for n in classes[cells]]
        owned = defaultdict(set)
        for n in records:
            if rows[n][2] is not None and rows[n][3] is not None:
                owned[rows[n][3]].add(rows[n][2])
        everybody = {rows[n][3] for n in records} - {None}
        found = list_disclosing([people[cells] for cells in left], owned, len(everybody))
        if not found:
            break
        left = {cells for cells in left if people[cells] not in found}
    assert forms.deleted == len(rows) - len(records)
    assert forms.deleted <= 0.5 * len(rows) or all(form.kind == "left_out" for form in forms.forms)
    assert forms.classes == len(left)


# --- the best forms of toys ----------------------------------------------------------------------


def _bands(values: Sequence[Any]) -> Iterator[dict[Any, int]]:
    for ends in itertools.product((0, 1), repeat=len(values) - 1):
        yield dict(zip(values, itertools.accumulate((0, *ends)), strict=True))


def _groupings(values: Sequence[Any]) -> Iterator[dict[Any, int]]:
    def extend(rest: Sequence[Any], numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not rest:
            yield numbers
            return
        for number in range(max(numbers, default=-1) + 2):
            yield from extend(rest[1:], (*numbers, number))

    for numbers in extend(values, ()):
        yield dict(zip(values, numbers, strict=True))


def _losses(parts: dict[Any, int], is_number: bool) -> dict[Any, float]:
    """The share of the range or of the values that the part of each value covers."""
    losses = {}
    for value, part in parts.items():
        members = [other for other in parts if parts[other] == part]
        width = (
            (max(members) - min(members)) / (max(parts) - min(parts))
            if is_number
            else len(members) / len(parts)
        )
        losses[value] = 0.0 if len(members) == 1 else width
    return losses


def find_best_loss(rows: Rows, k: int, most_deleted: int) -> float:
    """The least NCP of all bands and groupings, where a deleted record loses all."""
    domains = [sorted({row[place] for row in rows}) for place in range(3)]
    options = [
        [(parts, _losses(parts, place < 2)) for parts in (_bands, _groupings)[place == 2](domain)]
        for place, domain in enumerate(domains)
    ]
    best = math.inf
    counted = Counter(rows)
    for chosen in itertools.product(*options):
        sizes: Counter[Any] = Counter()
        lost: Counter[Any] = Counter()
        for row, n in counted.items():
            key = tuple(parts[value] for (parts, _), value in zip(chosen, row, strict=True))
            sizes[key] += n
            lost[key] += n * sum(losses[value] for (_, losses), value in zip(chosen, row, strict=True))  # type: ignore[assignment]
        deleted = sum(size for size in sizes.values() if size < k)
        if deleted <= most_deleted:
            best = min(best, 3 * deleted + sum(lost[key] for key, size in sizes.items() if size >= k))
    return best


@pytest.mark.slow
def test_toys_are_near_the_best_forms(session: Session) -> None:
    """60 records with two numbers and a category, k = 5, at most 10 % deleted."""
    ratios = []
    for seed in thinned(range(10), 3):
        draw = random.Random(100 + seed)
        rows = [
            (min(5, int(draw.expovariate(0.6))), draw.choice([0, 0, 1, 2]), draw.choice("aaaabbc"))
            for _ in range(60)
        ]
        columns = {"x": "INTEGER", "y": "INTEGER", "z": "VARCHAR"}
        forms = search(session, columns, rows, 5, delete_at_most=0.1, exponent=1.0)
        ratios.append(forms.gcp * 3 * 60 / find_best_loss(rows, 5, 6))
    assert min(ratios) > 1 - 1e-9
    assert sum(ratios) / len(ratios) <= 1.05


# --- public tables -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_ladder_goes_back_for_other_columns(session: Session) -> None:
    """Prefixes of three characters gain most at first, and leave nothing for the date."""
    session._connection.execute(
        "CREATE OR REPLACE TABLE records AS SELECT ROW_NUMBER() OVER () AS record, * "
        f"FROM '{DATASETS / 'retail.parquet'}'"
    )
    types = dict(session.describe(Sql("records")))
    names = ("InvoiceDate", "StockCode", "UnitPrice", "Quantity")
    quasi = [QuasiIdentifier(name, name, is_number(types[name])) for name in names]
    forms = find_forms(session, Sql("records"), quasi, 11, user="CustomerID")
    assert [(form.kind, form.option) for form in forms.forms[:2]] == [("moment", "quarter"), ("prefix", 2)]
    assert forms.gcp <= 0.15


NINE = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "income",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "k", "gcp"),
    thinned([(None, 11, 0.35), (NINE, 10, 0.224), (NINE[:-1], 5, 0.187)], 3),
    ids=thinned(["fourteen", "nine", "eight"], 3),
)
def test_adult(columns: Sequence[str] | None, k: int, gcp: float) -> None:
    path = shared("adult.parquet")
    found = []
    for threads, order in ((1, "record"), (2, "HASH(record)")):
        with Session(Resources(threads=threads)) as session:
            connection = session._connection
            connection.execute(
                "CREATE TABLE adult AS SELECT * FROM "
                f"(SELECT ROW_NUMBER() OVER () AS record, * FROM '{path}') ORDER BY {order}"
            )
            types = {name: kind for name, kind in session.describe(Sql("adult")) if name != "record"}
            names = columns or [name for name in types if name != "fnlwgt"]
            quasi = [QuasiIdentifier(name, name, is_number(types[name])) for name in names]
            found.append(find_forms(session, Sql("adult"), quasi, k))
    assert found[0] == found[1]
    assert found[0].gcp <= gcp
    assert found[0].deleted <= 0.05 * 48_842
    assert found[0].smallest is not None
    assert found[0].smallest >= k
