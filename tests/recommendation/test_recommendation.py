"""How alike items are and what a release changes of it: against the definition by brute force."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Resources, Session
from duckrisk.release.comparison.results import Comparison
from duckrisk.release.recommendation import (
    BINARY,
    PAPER_RETAIL,
    PAPER_SUPPLY,
    RECORDS,
    RETAIL,
    SUPPLY,
    TOP_ITEMS,
    History,
    SimilarityLoss,
    TopItemsLoss,
    Weighting,
    measure_similarity_loss,
    measure_top_items_loss,
    similarity,
)
from tests.command import command, refused
from tests.fitting import fit
from tests.opening import parquet
from tests.shared_data import shared
from tests.tables import LIGHTER, TEXTS, connect, make, run

Record = tuple[Any, Any, Any]
Vectors = dict[str, dict[str, Fraction]]
#: Names that a careless quote or a word of SQL would take for something else.
USER, ITEM, QUANTITY = 'user"id', "item", "SELECT 1; --"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as made:
        yield made


def history(session: Session, name: str, rows: Sequence[Record], kind: str = "BIGINT") -> History:
    make(
        session._connection,
        {USER: "VARCHAR", QUANTITY: kind, ITEM: "VARCHAR"},
        [(u, q, i) for u, i, q in rows],
        name,
    )
    return History(name, USER, ITEM, QUANTITY)


# --- the definition ------------------------------------------------------------------------------


def vectors(rows: Sequence[Record], weighting: Weighting, items: set[str] | None = None) -> Vectors:
    """V by item and user."""
    found: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for user, item, quantity in rows:
        if user is None or item is None or (items is not None and item not in items):
            continue
        found[item, user] += Fraction(quantity or 0) if weighting.name == "quantity" else 1
    made: Vectors = defaultdict(dict)
    for (item, user), amount in found.items():
        if weighting.name == "binary":
            amount = Fraction(1)
        if weighting.at_most is not None and amount > weighting.at_most:
            continue
        if weighting.bucket is not None:
            amount = Fraction(amount // weighting.bucket)
        if weighting.cap is not None:
            amount = min(amount, Fraction(weighting.cap))
        if amount > 0:
            made[item][user] = amount
    return dict(made)


def cosine(v: dict[str, Fraction], w: dict[str, Fraction]) -> float:
    dot = sum(v[user] * w[user] for user in v.keys() & w.keys())
    if not dot:
        return 0.0
    return float(dot) / (
        math.sqrt(sum(x * x for x in v.values())) * math.sqrt(sum(x * x for x in w.values()))
    )


def within(found: Vectors, items: set[str], most_items: int | None) -> tuple[Vectors, int]:
    """The vectors of these items without users who have too many of them, and how many these are."""
    size = Counter(user for item in found.keys() & items for user in found[item])
    big = {user for user, count in size.items() if most_items is not None and count > most_items}
    return {i: {u: x for u, x in found[i].items() if u not in big} for i in found.keys() & items}, len(big)


def brute_loss(before: Vectors, after: Vectors, diagonal: bool) -> tuple[float, int]:
    far, all_of_it, pairs = [], [], 0
    for i in before:
        for j in before:
            if (i == j and not (diagonal and before[i])) or not before[i].keys() & before[j].keys():
                continue
            pairs += i != j
            was, now = cosine(before[i], before[j]), cosine(after.get(i, {}), after.get(j, {}))
            if i == j:
                was, now = 1.0, 1.0 if after.get(i) else 0.0
            far.append(abs(was - now))
            all_of_it.append(was)
    return min(1.0, math.fsum(far) / math.fsum(all_of_it)) if all_of_it else 0.0, pairs // 2


def brute_top(rows: Sequence[Record], k: int) -> list[str]:
    users = defaultdict(set)
    for user, item, _ in rows:
        if user is not None and item is not None:
            users[item].add(user)
    return sorted(users, key=lambda item: (len(users[item]), item.encode()), reverse=True)[:k]


# --- by hand -------------------------------------------------------------------------------------

T = [
    ("101", "A", 12), ("101", "B", 24), ("102", "A", 36), ("102", "B", 6), ("103", "C", 3), ("103", "A", 4)
]  # fmt: skip
RELEASE = [
    ("p1", "A", 12),
    ("p1", "B", 24),
    ("p2", "A", 24),
    (None, None, None),
    ("p3", "C", 3),
    ("p3", "A", 4),
]


def test_worked_example(session: Session) -> None:
    """Supply: cosines 2/(2 sqrt 10) and 2/(2 sqrt 5). Retail: only one user has two items, then and now."""
    before, after = history(session, "t", T), history(session, "r", RELEASE)
    supply = measure_similarity_loss(session, before, after, SUPPLY)
    assert supply == SimilarityLoss(supply.loss, 1, 2, 0, 0, 0)
    assert supply.loss == pytest.approx(math.sqrt(2) - 1)
    assert measure_similarity_loss(session, before, after, RETAIL).loss == 0
    assert measure_top_items_loss(session, before, after, 2) == TopItemsLoss(0.5, 2, 2, 1)
    top = measure_similarity_loss(session, before, after, BINARY, items=TOP_ITEMS)
    assert (round(top.loss, 6), top.pairs) == (0.292893, 1)


def test_worked_example_as_in_the_paper(session: Session) -> None:
    """Counts, no cap, and the diagonal, of which each item is one: with 2 (w - w') over 2 w and the items."""
    before, after = history(session, "t", T), history(session, "r", RELEASE)
    assert (
        measure_similarity_loss(session, before, after, PAPER_SUPPLY, diagonal=True).loss == 0
    )  # nobody buys 12 times
    ab, ac = 2 / math.sqrt(6), 1 / math.sqrt(3)
    loss = measure_similarity_loss(session, before, after, PAPER_RETAIL, diagonal=True)
    assert loss.loss == pytest.approx(2 * (ab - ac) / (2 * (ab + ac) + 3))
    bucket = measure_similarity_loss(session, before, after, Weighting("quantity", bucket=12), diagonal=True)
    assert bucket.loss == pytest.approx(2 * (1 / math.sqrt(5) - 1 / math.sqrt(10)) / (2 / math.sqrt(10) + 2))


def test_an_item_that_vanished_is_lost_once_beside_its_pairs(session: Session) -> None:
    before = history(session, "t", [("u", "A", 1), ("u", "B", 1), ("v", "C", 1)])
    after = history(session, "r", [("x", "A", 1), ("y", "C", 1), ("y", "new", 1)])
    assert measure_similarity_loss(session, before, after, BINARY).loss == 1
    with_diagonal = measure_similarity_loss(session, before, after, BINARY, diagonal=True)
    assert with_diagonal.loss == pytest.approx((2 + 1) / (2 + 3))
    assert (with_diagonal.items, with_diagonal.vanished, with_diagonal.pairs) == (3, 1, 1)


def test_nothing_to_lose_and_nothing_left(session: Session) -> None:
    some, none = history(session, "t", T), history(session, "r", [])
    assert measure_similarity_loss(session, some, none, BINARY).loss == 1
    assert measure_similarity_loss(session, some, none, BINARY, diagonal=True).loss == 1
    for original in (none, history(session, "one", [("u", "A", 1)])):
        found = measure_similarity_loss(session, original, some, BINARY)
        assert (found.loss, found.pairs) == (0, 0)
    assert measure_top_items_loss(session, none, some).loss == 0
    assert measure_top_items_loss(session, some, none, 3).loss == 1
    assert measure_top_items_loss(session, some, none, 6) == TopItemsLoss(0.5, 6, 3, 3)


def test_what_is_refused(session: Session) -> None:
    one = history(session, "t", T)
    for weighting in (
        Weighting("count"),
        Weighting("quantity", bucket=0),
        Weighting("records", at_most=True),
    ):
        with pytest.raises(UsageError):
            measure_similarity_loss(session, one, one, weighting)
    with pytest.raises(UsageError):
        measure_similarity_loss(session, one, one, BINARY, most_items=0)
    with pytest.raises(UsageError):
        measure_top_items_loss(session, one, one, 0)


# --- by brute force ------------------------------------------------------------------------------

_ITEMS = st.sampled_from([t for t in TEXTS if len(t) < 9])


@st.composite
def records(draw: st.DrawFn, quantities: st.SearchStrategy[Any]) -> tuple[list[Record], list[Record]]:
    """A history, and a release of it: other users, some records changed or gone, some of other items."""
    items = draw(st.lists(_ITEMS, min_size=1, max_size=6, unique=True))
    users = [f"u{n}" for n in range(draw(st.integers(1, 5)))]
    record = st.tuples(st.sampled_from([*users, None]), st.sampled_from([*items, None]), quantities)
    rows = draw(st.lists(record, max_size=24))
    changed = [draw(st.sampled_from([row, row, row, draw(record), (None, None, None)])) for row in rows]
    others = draw(
        st.lists(st.tuples(st.just("p"), st.sampled_from([*items, "of the release"]), quantities), max_size=3)
    )
    return rows, [(user and user[::-1], item, quantity) for user, item, quantity in changed] + others


WHOLE = st.none() | st.integers(-3, 40)
WEIGHTINGS = [
    SUPPLY, RETAIL, BINARY, RECORDS, PAPER_RETAIL, Weighting("quantity"), Weighting("records", bucket=2),
    Weighting("quantity", cap=3),
]  # fmt: skip


@LIGHTER
@given(records(WHOLE), st.data())
def test_losses_are_those_of_the_definition(
    session: Session, tables: tuple[list[Record], list[Record]], data: st.DataObject
) -> None:
    rows, released = tables
    before, after = history(session, "t ' 1", rows), history(session, 'r "', released)
    k = data.draw(st.integers(1, 4))
    found = measure_top_items_loss(session, before, after, k)
    top = brute_top(rows, k)
    assert found.loss == len(set(top) - set(brute_top(released, k))) / k
    for weighting in data.draw(st.lists(st.sampled_from(WEIGHTINGS), min_size=2, max_size=3)):
        diagonal, restricted = data.draw(st.booleans()), data.draw(st.booleans())
        most = data.draw(st.none() | st.integers(1, 4))
        some = set(top) if restricted else None
        v, w = vectors(rows, weighting, some), vectors(released, weighting, some)
        (v, left_out), (w, release_left_out) = (within(x, set(v), most) for x in (v, w))
        loss, pairs = brute_loss(v, w, diagonal)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(similarity, "BLOCK_PRODUCTS", data.draw(st.sampled_from([1, 7, 2_000_000])))
            patch.setattr(similarity, "BLOCK_PAIRS", data.draw(st.sampled_from([1, 5, 8_000_000])))
            result = measure_similarity_loss(
                session, before, after, weighting,
                diagonal=diagonal, items=TOP_ITEMS if restricted else None, most_items=most,
            )  # fmt: skip
        assert result.loss == pytest.approx(loss, rel=1e-12, abs=1e-12)
        assert result.pairs == pairs
        assert (result.omitted_users, result.omitted_release_users) == (left_out, release_left_out)
        assert result.items == sum(bool(x) for x in v.values())
        assert result.vanished == sum(bool(x) and not w.get(i) for i, x in v.items())


@pytest.mark.parametrize(
    ("kind", "largest"), [("BIGINT", 2**62), ("DECIMAL(18, 2)", Decimal("0.01")), ("DOUBLE", 0.5)]
)
def test_quantities_that_doubles_cannot_add(session: Session, kind: str, largest: Any) -> None:
    """Sums of very large or broken quantities are added up in one order."""
    rows = [
        (f"u{i * i % 17}", f"i{i * 7 % 11}", (1 + i * i % 5) * largest if i % 3 else i) for i in range(1, 200)
    ]
    released = [(f"p{i % 23}", item, quantity) for i, (_, item, quantity) in enumerate(rows)]
    if kind == "BIGINT":
        rows, released = ([(u, i, min(q, 2**62)) for u, i, q in table] for table in (rows, released))
    before, after = history(session, "t", rows, kind), history(session, "r", released, kind)
    weighting = Weighting("quantity")
    found = {measure_similarity_loss(session, before, after, weighting).loss for _ in range(3)}
    loss, _ = brute_loss(vectors(rows, weighting), vectors(released, weighting), False)
    assert len(found) == 1
    assert found.pop() == pytest.approx(loss, rel=1e-12)


@LIGHTER
@given(records(WHOLE), st.integers(1, 3), st.sampled_from([RECORDS, Weighting("quantity")]))
def test_pairs_of_the_metric(
    tables: tuple[list[Record], list[Record]], least: int, weighting: Weighting
) -> None:
    rows = tables[0]
    with connect() as connection:
        make(connection, {"u": "VARCHAR", "i": "VARCHAR", "q": "INTEGER"}, rows)
        given = {
            "source": "t",
            "user": "u",
            "item": "i",
            "quantity": "q" if weighting.name == "quantity" else None,
        }
        found = run(connection, "item_similarity", **given, least=least, most=None)
        few = run(connection, "item_similarity", **given, least=least, most=2)
    v = vectors(rows, weighting)
    expected = {
        frozenset((i, j)): (len(v[i].keys() & v[j].keys()), cosine(v[i], v[j]))
        for i in v for j in v if i < j and len(v[i].keys() & v[j].keys()) >= least
    }  # fmt: skip
    assert {frozenset((row["item"], row["other"])): row["users"] for row in found} == {
        pair: users for pair, (users, _) in expected.items()
    }
    for row in found:
        assert row["similarity"] == pytest.approx(
            expected[frozenset((row["item"], row["other"]))][1], rel=1e-12
        )
    assert found == sorted(
        found, key=lambda row: (-row["similarity"], row["item"].encode(), row["other"].encode())
    )
    assert few == found[:2]


# --- the contest ---------------------------------------------------------------------------------


def contest(session: Session, name: str, user: str) -> History:
    """The purchases of the preliminary round; a user is what the expression says."""
    path = shared("pwscup/2017_preliminary/T.csv")
    session._connection.execute(
        f"CREATE OR REPLACE TABLE {name} AS SELECT "
        f"{user} AS id, "
        f"column4 AS item, TRY_CAST(column6 AS BIGINT) AS quantity "
        f"FROM read_csv('{path}', header = false, all_varchar = true, delim = ',', quote = '')"
    )
    return History(name, "id", "item", "quantity")


def test_reference_numbers_of_the_contest(session: Session) -> None:
    """A pseudonym a month: the same to the last bit, however the work is cut and spread."""
    month = "column0 || '-' || split_part(column2, '/', 2)"
    original, release = contest(session, "original", "column0"), contest(session, "released", month)
    retail = measure_similarity_loss(session, original, release, RETAIL).loss
    assert round(retail, 6) == 0.790062
    with pytest.MonkeyPatch.context() as patch, Session(Resources(threads=1)) as own:
        patch.setattr(similarity, "BLOCK_PRODUCTS", 300_000)
        again = measure_similarity_loss(
            own, contest(own, "original", "column0"), contest(own, "released", month), RETAIL
        )
    assert again.loss == retail


# --- beside other figures of releases -------------------------------------------------------------


@pytest.fixture
def bought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A history and releases of it: under a pseudonym a month, and without its items."""
    monkeypatch.chdir(tmp_path)
    parquet(
        Path("shop.parquet"),
        "SELECT 'c' || i * 7 % 20 AS customer, DATE '2011-01-01' + CAST(i * 37 % 60 AS INTEGER) AS day, "
        "'item ' || i * i % 13 AS item FROM range(200) AS t(i)",
    )
    month = "* REPLACE (customer || '-' || month(day) AS customer)"
    parquet(Path("month.parquet"), f"SELECT {month} FROM 'shop.parquet' ORDER BY hash(customer, day, item)")
    parquet(Path("bare.parquet"), "SELECT customer, day FROM 'shop.parquet'")
    return ["compare", "shop.parquet", "month.parquet", "bare.parquet", "--user", "customer"]


def test_recommendations_in_a_comparison(bought: list[str]) -> None:
    told = [*bought, "--item", "ITEM", "--only", "recommendation"]
    done = command(*told, "--format", "json")
    assert done.code == 0, done.err
    fit(done.json, Comparison)
    first, month, bare = done.json["tables"]
    assert first["recommendation"] is bare["recommendation"] is None
    assert done.json["settings"]["item"] == "item"
    before, after = (
        duckdb.sql(f"SELECT customer, item, 1 FROM '{name}.parquet'").fetchall() for name in ("shop", "month")
    )
    loss, pairs = brute_loss(vectors(before, BINARY), vectors(after, BINARY), False)
    items = len({item for _, item, _ in before})
    assert month["recommendation"] == {
        "item": "item",
        "similarity_loss": pytest.approx(loss),
        "pairs": pairs,
        "items": items,
        "vanished_items": 0,
        "top_loss": 0,
        "top": items,
        "missing_top_items": 0,
    }
    for form in ("table", "markdown", "html"):
        text = " ".join(command(*told, "--format", form).out.split())
        assert f"{loss:.4f}" in text
        assert "0 = recommends as the original does" in text


def test_what_recommendations_need(bought: list[str]) -> None:
    refused(2, "--item", arguments=[*bought, "--only", "recommendation"])
    refused(2, "is the user", arguments=[*bought, "--item", "customer"])
    refused(2, '"item"', arguments=[*bought, "--item", "itme"])
    refused(2, "--user", arguments=[*bought[:-1], "", "--item", "item"])


@pytest.mark.parametrize(
    ("weights", "exact"),
    [
        ([2.0, 3.0], True),
        ([1.5, 2.5], False),
        ([2.0, 1.5], False),
        ([2.0**26], True),
        ([2.0**26, 1.0], False),
    ],
)
def test_when_doubles_hold_sums_of_products(weights: list[float], exact: bool) -> None:
    """Whole weights do, unless as many products of the largest as there are users reach 2^53."""
    with connect() as connection:
        rows = [(1, user, weight) for user, weight in enumerate(weights, 1)]
        rows += [(2, 1, 1.0), (2, -1, 1.0), (3, -1, 1.0), (4, -2, 1.0)]
        make(connection, {"item": "INTEGER", "user_number": "INTEGER", "weight": "DOUBLE"}, rows, "v")
        (found,) = run(connection, "vector_sizes", vectors="v", most_items=1)
    assert found == {"exact": exact, "omitted_users": 1, "omitted_release_users": 1}


def test_blocks_of_items_by_hand() -> None:
    """An item has no pairs with those before it: 3, 1, 1 and none; so the second block begins after three."""
    with connect() as connection:
        rows = [(1, 5), (2, 1), (3, 8), (4, 2)]
        make(connection, {"item": "INTEGER", "products": "BIGINT"}, rows, "norms")
        by_pairs = run(connection, "item_blocks", norms="norms", products=100, blocks=1, pairs=3)
        by_products = run(connection, "item_blocks", norms="norms", products=6, blocks=9, pairs=99)
    assert [tuple(one.values()) for one in by_pairs] == [(1, 1), (2, 4)]
    # Six products are a block: before the items are 0, 5, 6 and 14.
    assert [tuple(one.values()) for one in by_products] == [(1, 2), (3, 3), (4, 4)]
