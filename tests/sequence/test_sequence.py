"""Releases one after another: by hand, against brute force, and the figures of two pairs of months."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from tests import sequence_oracle as oracle
from tests.sequence_oracle import Record, Release
from tests.shared_data import shared
from tests.tables import LIGHT, close

ROLES: dict[str, Any] = {"user": "u", "quasi_identifiers": ["a", "b"], "sensitive": ["s"]}


def frame(rows: Sequence[Sequence[Any]], columns: str = "u a b s") -> pandas.DataFrame:
    return pandas.DataFrame(list(rows), columns=columns.split(), dtype=object)


def clean(cell: Any) -> Any:
    """A cell without the text and the number for none."""
    return None if cell == "?" or (isinstance(cell, float) and math.isnan(cell)) else cell


def as_release(table: pandas.DataFrame, names: str = "ab") -> Release:
    records: list[Record] = [
        (clean(row["u"]), {name: clean(row[name]) for name in names if name in table}, clean(row["s"]))
        for row in table.to_dict("records")
    ]
    return Release(tuple(name for name in names if name in table), records)


def check(found: Any, expected: dict[str, Any]) -> None:
    figures = {name: getattr(found, name) for name in expected}
    assert all(close(figures[name], value) for name, value in expected.items() if name != "change"), (
        figures,
        expected,
    )


def check_against_oracle(report: Any, releases: Sequence[Release]) -> None:
    """Every figure, from the definition."""
    check(report.together, oracle.count_together(releases))
    for found, expected in zip(report.releases, oracle.count_people(releases), strict=True):
        check(found, expected)
    changes = oracle.count_changed(releases)
    assert [entry.change for entry in report.changes] == [entry["change"] for entry in changes]
    for entry, expected in zip(report.changes, changes, strict=True):
        check(entry, expected)
    shared_names = [name for name in "ab" if all(name in release.names for release in releases)]
    assert report.stable == oracle.find_stable(releases, shared_names)
    links = oracle.count_links(releases, report.stable) if report.stable else []
    for entry, expected in zip(report.links, links, strict=True):
        check(entry, expected)
    for values in report.values:
        check(values, oracle.intersect(releases))


# --- by hand -------------------------------------------------------------------------------------

#: Five people in three releases. In the first 1 and 2 look alike, and 3, 4 and 5; in the second 1, 3 and 5,
#: and 2 and 4; in the third 1, 2 and 3, and 4 and 5.
FIRST = [
    (1, "x", "o", "flu"),
    (2, "x", "o", "hiv"),
    (3, "y", "o", "flu"),
    (4, "y", "o", "cold"),
    (5, "y", "o", "hiv"),
]
SECOND = [
    (1, "p", "o", "flu"),
    (2, "q", "o", "hiv"),
    (3, "p", "o", "cold"),
    (4, "q", "o", "cold"),
    (5, "p", "o", "hiv"),
]
THIRD = [
    (1, "m", "o", "flu"),
    (2, "m", "o", "hiv"),
    (3, "m", "o", "flu"),
    (4, "n", "o", "cold"),
    (5, "n", "o", "hiv"),
]


def test_by_hand() -> None:
    """Of the first two releases: 1 (x, p), 2 (x, q) and 4 (y, q) are alone in the pair, 3 and 5 share (y, p).
    With the third all five are: 3 is (y, p, m) and 5 (y, p, n)."""
    pair = duckrisk.sequence(frame(FIRST), frame(SECOND), **ROLES)
    assert (pair.together.people, pair.together.hidden, pair.together.alone) == (5, 5, 3)
    assert pair.together.share == 0.6
    three = duckrisk.sequence(frame(FIRST), frame(SECOND), frame(THIRD), **ROLES)
    assert (three.together.hidden, three.together.alone, three.together.exposed) == (5, 5, 5)
    assert [release.alone for release in three.releases] == [0, 0, 0]
    assert "3 of 5 people hidden in each release (60.0%) are alone in all together" in pair.to_text(200)


def test_values_that_are_left_by_hand() -> None:
    """2 is among flu and hiv in the first release, among hiv and cold in the second: hiv is left, and right.
    1 has flu, hiv against flu, cold, hiv: two are left. So are of 3, 4 and 5 (flu, cold, hiv at first)."""
    (values,) = duckrisk.sequence(frame(FIRST), frame(SECOND), **ROLES).values
    assert (values.people, values.several, values.disclosed, values.correct, values.emptied) == (
        5,
        5,
        1,
        1,
        0,
    )


def test_who_joined_and_left_by_hand() -> None:
    """6 and 7 join: 6 looks like 1, 3 and 5 in the second release, but like nobody who joined. 2 leaves."""
    second = [row for row in SECOND if row[0] != 2] + [(6, "p", "o", "flu"), (7, "q", "o", "flu")]
    report = duckrisk.sequence(frame(FIRST), frame(second), **ROLES)
    joined, left = report.changes
    assert (joined.change, joined.people, joined.alone, joined.hidden) == ("joined", 2, 2, 2)
    assert (left.change, left.people, left.alone, left.hidden) == ("left", 1, 1, 1)
    # 1, 3 and 5 are three of (x, p), (y, p), (y, p); 4 is (y, q) alone; 6 and 7 are alone among the new.
    assert (report.together.people, report.together.alone, report.together.exposed) == (4, 2, 4)


def test_links_by_hand() -> None:
    """Column b never changes. c is of 1 and 2; 3 is d in both. 9 is e, and in the second release 8 is."""
    first = [(1, "x", "c", "flu"), (2, "y", "c", "hiv"), (3, "x", "d", "flu"), (9, "y", "e", "flu")]
    second = [(1, "y", "c", "flu"), (2, "x", "c", "hiv"), (3, "y", "d", "hiv"), (8, "y", "e", "hiv")]
    report = duckrisk.sequence(frame(first), frame(second), **ROLES)
    (link,) = report.links
    assert report.stable == ("b",)
    assert (link.people, link.linked, link.linked_right, link.linked_wrong, link.chance) == (4, 2, 1, 1, 0.25)
    named = duckrisk.sequence(frame(first), frame(second), stable=["a", "b"], **ROLES)
    assert named.stable == ("a", "b")
    assert named.links[0].linked_right == 0


# --- brute force ---------------------------------------------------------------------------------

_TEXTS = st.sampled_from(["x", "y", "Y", " y ", "é", "e\u0301", "a, b", "'", '"', "{{ z }}", None, "?"])
_PEOPLE = st.sampled_from(["p1", "p2", "p3", "p4", "p5", None])
_ROWS = st.lists(st.tuples(_PEOPLE, _TEXTS, st.sampled_from([1, 2, None]), _TEXTS), min_size=1, max_size=9)


@LIGHT
@given(tables=st.lists(_ROWS, min_size=2, max_size=3), seed=st.randoms(use_true_random=False))
def test_oracle(tables: list[list[Any]], seed: Any) -> None:
    """Five people in two or three releases, with several records, missing values, and any order."""
    frames = [frame([("p1", "x", 1, "v"), *rows]) for rows in tables]
    report = duckrisk.sequence(*frames, **ROLES)
    releases = [as_release(table) for table in frames]
    check_against_oracle(report, releases)
    shuffled = []
    for table in frames:
        columns, rows = list(table.columns), list(range(len(table)))
        seed.shuffle(columns)
        seed.shuffle(rows)
        shuffled.append(table.iloc[rows][columns])
    again = duckrisk.sequence(*shuffled, threads=1, **ROLES)
    assert {*again.stable} == {*report.stable}
    for name in ("together", "changes", "links", "values"):
        assert getattr(again, name) == getattr(report, name), name


def test_every_pair_of_small_releases() -> None:
    """Three people, each with one of two values or absent, in two releases."""
    choices = list(itertools.product([None, "x", "y"], repeat=3))
    pairs = [(one, two) for one in choices for two in choices if any(one) and any(two)]
    for one, two in pairs[::97]:
        frames = [
            frame([(f"p{n}", value, "o", value) for n, value in enumerate(side) if value])
            for side in (one, two)
        ]
        check_against_oracle(duckrisk.sequence(*frames, **ROLES), [as_release(table) for table in frames])


# --- what tables can be like ----------------------------------------------------------------------


def test_a_column_that_one_release_lacks() -> None:
    """Profiles are of the columns that a release has; none of the others is compared."""
    first, second = frame(FIRST), frame(SECOND).drop(columns="a").assign(b=["p", "q", "p", "q", "p"])
    report = duckrisk.sequence(first, second, **ROLES)
    assert report.releases[1].lacks == ("a",)
    check_against_oracle(report, [as_release(first), as_release(second)])
    assert report.together.alone == 3
    turned = duckrisk.sequence(second, first, **ROLES)
    assert turned.releases[0].lacks == ("a",)
    unknown = duckrisk.sequence(first, second, user="u", sensitive=["s"])
    assert unknown.releases[0].unused == ("a",)


def test_one_record_and_no_record() -> None:
    one, none = frame(FIRST[:1]), frame(FIRST[:0])
    report = duckrisk.sequence(one, frame(SECOND), **ROLES)
    assert (report.together.people, report.together.hidden, report.together.share) == (1, 0, None)
    empty = duckrisk.sequence(none.astype({"u": "int64"}), frame(SECOND), **ROLES)
    assert (empty.releases[0].people, empty.together.people) == (0, 0)
    assert "Nobody is in all releases with" in empty.to_text(200)
    with pytest.raises(SourceError):
        duckrisk.sequence(frame(SECOND), none, **ROLES)


def test_values_of_other_types_and_hostile_names(tmp_path: Path) -> None:
    """Years are numbers in one release and bands in the other; people are numbers and texts."""
    names = {"u": 'u"; DROP', "a": "{{ a }}", "b": "b'", "s": "s\n%"}
    first = frame(FIRST).assign(a=[1980, 1980, 1981, 1981, 1981]).rename(columns=names)
    second = frame(SECOND).assign(a=["198*", "199*", "198*", "199*", "198*"], u=list("12345"))
    path = tmp_path / "é 'x'.parquet"
    second.to_parquet(path)
    given = {
        "user": names["u"],
        "quasi_identifiers": [names["a"], names["b"]],
        "sensitive": [names["s"]],
    }
    renamed = pandas.read_parquet(path).rename(columns=names)
    report = duckrisk.sequence(first, renamed, **given)
    assert (report.together.people, report.together.alone) == (5, 3)
    assert report.values[0].disclosed == 1


def test_histories_are_compared_as_wholes() -> None:
    """1 and 2 have the same two records in another order; 3 has one of them twice, 4 once."""
    rows = [
        (1, "x", "o", "v"),
        (1, "y", "o", "v"),
        (2, "y", "o", "v"),
        (2, "x", "o", "v"),
        (3, "x", "o", "v"),
    ]
    rows += [(3, "x", "o", "v"), (4, "x", "o", "v")]
    report = duckrisk.sequence(frame(rows), frame(rows), **ROLES)
    assert (report.releases[0].alone, report.releases[0].smallest_class) == (2, 1)
    assert (report.together.people, report.together.hidden, report.together.alone) == (4, 2, 0)


def test_sums_that_take_too_much_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duckrisk.measures.sequence.MAX_PAIRS", 3)
    (values,) = duckrisk.sequence(frame(FIRST), frame(SECOND), **ROLES).values
    assert (values.several, values.disclosed, values.share, values.emptied) == (5, None, None, None)


# --- key tables ------------------------------------------------------------------------------------


@pytest.fixture
def keyed(tmp_path: Path) -> list[str]:
    """Both releases with pseudonyms of their own, and who got which."""
    paths = []
    for number, rows in enumerate((FIRST, SECOND)):
        table = frame(rows).astype({"u": "int64"})
        path, keys = str(tmp_path / f"r{number}.csv"), str(tmp_path / f"k{number}.csv")
        duckrisk.anonymize(
            table, path, steps=[{"method": "pseudonymize", "column": "u", "keys": keys}], seed=number
        )
        paths += [path, keys]
    return paths


def test_pseudonyms_that_change_are_never_compared(keyed: list[str]) -> None:
    first, first_keys, second, second_keys = keyed
    with pytest.raises(UsageError, match=r'The pseudonyms of "u" in "r0\.csv" are new'):
        duckrisk.sequence(first, second, **ROLES)
    report = duckrisk.sequence(first, second, key_tables=[first_keys, second_keys], **ROLES)
    assert (report.together.people, report.together.alone, report.together.keyed) == (5, 3, True)
    assert report.values[0].disclosed == 1
    assert "needs a person's values in each release, and a link" in " ".join(report.to_text(200).split())
    # Only the first has new pseudonyms; the other has the people's own numbers.
    mixed = duckrisk.sequence(first, frame(SECOND), key_tables=[first_keys, ""], **ROLES)
    assert (mixed.together.people, mixed.together.alone) == (5, 3)


def test_key_tables_that_do_not_fit(keyed: list[str], tmp_path: Path) -> None:
    first, first_keys, second, second_keys = keyed
    few, twice = tmp_path / "few.csv", tmp_path / "twice.csv"
    lines = Path(first_keys).read_text(encoding="utf-8").splitlines()
    few.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    same = ",".join([lines[1].split(",")[0], lines[-1].split(",")[1]])
    twice.write_text("\n".join([*lines[:-1], same]) + "\n", encoding="utf-8")
    for keys, said in (
        ([first_keys], "1 key table"),
        ([str(few), second_keys], '3 of 5 pseudonyms of "r0.csv" are not in its key table'),
        ([str(twice), second_keys], "are not one to one"),
        ([first, second_keys], "lacks the column"),
    ):
        with pytest.raises(UsageError, match=said):
            duckrisk.sequence(first, second, key_tables=keys, **ROLES)


def test_what_is_refused() -> None:
    first, second = frame(FIRST), frame(SECOND)
    with pytest.raises(UsageError, match="two releases"):
        duckrisk.sequence(first, user="u")
    with pytest.raises(UsageError, match="says whose each record is"):
        duckrisk.sequence(first, second, user="")
    with pytest.raises(UsageError, match='has no column "u"'):
        duckrisk.sequence(first.drop(columns="u"), second, **ROLES)
    with pytest.raises(UsageError, match="none of the quasi-identifiers"):
        duckrisk.sequence(first[["u", "s"]], second, **ROLES)
    with pytest.raises(UsageError, match="is no quasi-identifier"):
        duckrisk.sequence(first, second, stable=["s"], **ROLES)


# --- a public history ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("months", "people", "hidden", "alone"), [((10, 11), 621, 550, 291), ((3, 4), 304, 258, 158)]
)
def test_months_of_a_public_history(months: tuple[int, int], people: int, hidden: int, alone: int) -> None:
    """Online Retail, one record a customer and month: invoices, and the powers of two of lines and of pounds.

    The figures are those of a count in NumPy, written from the definition.
    """
    path = shared("online_retail_clean.parquet")
    releases = [
        duckdb.sql(
            "SELECT CustomerID AS customer, count(DISTINCT InvoiceNo) AS invoices, "
            "floor(log2(count(*)))::INT AS lines, "
            "floor(log2(greatest(sum(Quantity * UnitPrice), 1)))::INT AS spent "
            f"FROM '{path}' WHERE year(InvoiceDate) = 2011 AND month(InvoiceDate) = {month} GROUP BY ALL"
        ).df()
        for month in months
    ]
    given = ["invoices", "lines", "spent"]
    together = duckrisk.sequence(*releases, user="customer", quasi_identifiers=given).together
    assert (together.people, together.hidden, together.alone) == (people, hidden, alone)
