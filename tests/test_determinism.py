"""The same table gives the same bytes, however it is stored, ordered and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import duckrisk
from tests.command import HISTORY, command, table
from tests.tables import EXAMPLES, thinned

pytestmark = pytest.mark.slow

#: Two groups of records at least where a group has 2048; who knows records is asked about few draws.
ROWS = 5000 if EXAMPLES >= 20 else 2400
DRAWS = 1000 if EXAMPLES >= 20 else 60
LARGER = (
    "SELECT 'u' || hash(i) % 560 AS customer_id, 'item ' || hash(i + 1) % 440 AS item, "
    "hash(i + 2) % 40 AS quantity,"
    " (hash(i + 3) % 1000) / 7.0 AS price, "
    "TIMESTAMP '2024-01-01' + INTERVAL (hash(i + 4) % 9000) MINUTE AS bought,"
    " CASE WHEN i % 11 = 0 THEN NULL ELSE hash(i + 5) % 9 END AS city "
    f"FROM range({ROWS}) t(i)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("determinism")


@pytest.fixture(scope="module")
def larger(folder: Path) -> Path:
    return table(folder / "larger.parquet", LARGER)


@pytest.fixture(scope="module")
def expected(larger: Path) -> str:
    return duckrisk.assess(larger, draws=DRAWS).to_json()


def without_digest(text: str) -> dict[str, Any]:
    found = json.loads(text)
    found["source"]["digest"] = None
    return found


def without_places(text: str) -> dict[str, Any]:
    """Without what says where in the source a record is: its number, and the digest of the file."""
    found = without_digest(text)
    assert found["identifiability"]["scenarios"]
    found["identifiability"]["scenarios"] = None
    return found


@pytest.mark.slow
def test_resources_change_nothing(larger: Path, expected: str) -> None:
    assert duckrisk.assess(larger, threads=1, draws=DRAWS).to_json() == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "size", "resources"),
    thinned(
        [
            ("ORDER BY hash(customer_id || item || bought)", 2048, {"threads": 8, "memory": "200MB"}),
            ("ORDER BY item, hash(bought)", 122_880, {}),
        ]
    ),
)
def test_layout_changes_only_the_digest(
    folder: Path, larger: Path, expected: str, how: str, size: int, resources: dict[str, Any]
) -> None:
    other = folder / str(size)
    other.mkdir(exist_ok=True)
    with duckdb.connect() as made:
        made.execute(
            f"COPY (FROM '{larger}' {how}) TO '{other}/larger.parquet' (FORMAT parquet, "
            f"ROW_GROUP_SIZE {size})"
        )
    found = duckrisk.assess(other / "larger.parquet", draws=DRAWS, **resources).to_json()
    assert without_places(found) == without_places(expected)


@pytest.mark.slow
def test_rows_of_a_frame_in_any_order() -> None:
    with duckdb.connect() as made:
        frame = made.execute(LARGER).df().head(1000 if EXAMPLES >= 20 else 300)
    for user in thinned((None, "")):
        few: dict[str, Any] = {"user": user, "known_records": 0, "samples": 0}
        one = without_places(duckrisk.assess(frame, **few).to_json())
        other = duckrisk.assess(frame.sample(frac=1, random_state=3), **few).to_json()
        assert without_places(other) == one


@pytest.mark.parametrize("method", ["approximate", "sample"])  # exact ones above
def test_runs_repeat(larger: Path, method: str) -> None:
    options: dict[str, Any] = {"method": method, "only": ["attribute_risk"], "draws": DRAWS}
    first, second = (duckrisk.assess(larger, threads=threads, **options).to_json() for threads in (1, 8))
    assert first == second


def test_seeds_matter_where_something_is_drawn(larger: Path) -> None:
    asked: dict[str, Any] = {"only": ["attribute_risk"], "draws": DRAWS, "attributes": ["item", "price"]}
    reports = [duckrisk.assess(larger, seed=seed, **asked).data for seed in (0, 1)]
    sampled = [tuple(e["sampled"]["estimate"] for e in r["attribute_risk"] if e["sampled"]) for r in reports]
    drawn = [tuple(e["risk"] for e in r["known_records"]) for r in reports]
    assert len(set(sampled)) == len(set(drawn)) == 2
    exact = [
        [{k: v for k, v in e.items() if k not in ("sampled",)} for e in r["attribute_risk"]] for r in reports
    ]
    assert exact[0] == exact[1]


def test_order_of_columns_changes_only_order(folder: Path, larger: Path, expected: str) -> None:
    turned = folder / "turned" / "larger.parquet"
    turned.parent.mkdir()
    table(turned, f"SELECT city, price, bought, item, customer_id, quantity FROM '{larger}'")
    found, before = duckrisk.assess(turned, only=["attribute_risk"], draws=DRAWS).data, json.loads(expected)
    assert json.loads(json.dumps(found["attribute_risk"])) == before["attribute_risk"]
    assert found["known_records"] == before["known_records"]
    assert {c["name"]: c["role"] for c in found["source"]["columns"]} == {
        c["name"]: c["role"] for c in before["source"]["columns"]
    }


def test_users_by_other_names_change_no_exact_number(folder: Path, larger: Path, expected: str) -> None:
    renamed = folder / "renamed" / "larger.parquet"
    renamed.parent.mkdir()
    table(renamed, f"SELECT * REPLACE (md5(customer_id) AS customer_id) FROM '{larger}'")
    found, before = duckrisk.assess(renamed, only=["attribute_risk"], draws=DRAWS).data, json.loads(expected)
    assert [
        {k: v for k, v in e.items() if k != "sampled"}
        for e in json.loads(json.dumps(found["attribute_risk"]))
    ] == [{k: v for k, v in e.items() if k != "sampled"} for e in before["attribute_risk"]]
    assert found["coarser_knowledge"] == before["coarser_knowledge"]
    assert found["source"]["users"] == before["source"]["users"]


@pytest.mark.slow
def test_formats_of_a_source_agree(folder: Path) -> None:
    """The same records as Parquet, text, JSON, database, frame and relation."""
    parquet = table(folder / "small.parquet", HISTORY)
    options: dict[str, Any] = {"user": "customer_id", "only": ["attribute_risk"], "draws": DRAWS}
    if EXAMPLES < 20:
        options |= {"attributes": ["item", "bought"]}
    expected = duckrisk.assess(parquet, **options).data
    with duckdb.connect(str(folder / "small.duckdb")) as made:
        made.execute(f"CREATE TABLE t AS FROM '{parquet}'")
        made.execute(f"COPY t TO '{folder}/small.csv' (HEADER)")
        made.execute(f"COPY t TO '{folder}/small.json'")
        relation = duckrisk.assess(made.table("t"), **options).data
        frame: pandas.DataFrame = made.execute("FROM t").df()
    others = [
        relation,
        duckrisk.assess(frame, **options).data,
        *(duckrisk.assess(folder / f"small.{end}", **options).data for end in ("csv", "json", "duckdb")),
    ]
    for other in others:
        for part in ("attribute_risk", "known_records", "coarser_knowledge", "single_values"):
            assert other[part] == expected[part], (other["source"]["kind"], part)


def test_the_command_says_the_same_as_python(tmp_path: Path) -> None:
    history = table(tmp_path / "history.parquet", HISTORY)
    result = command("assess", history, "--format", "json", "--only", "attribute_risk", "--draws", DRAWS)
    assert result.out == duckrisk.assess(history, only=["attribute_risk"], draws=DRAWS).to_json()
