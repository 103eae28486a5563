"""What six measurements and other ways to the same answers cost; the answers are compared.

    python tests/benchmarks/peers.py ADULT.parquet ONLINE_RETAIL.parquet [--runs 3] [--jobs keys ...]

Bare DuckDB and pandas are always there; polars, pyCANON, scikit-learn and scipy take part where they are
installed (`pip install polars scikit-learn scipy`; pyCANON in an environment of its own). Anonymeter answers
none of these questions: membership_risks.py compares with it. Every measurement is a process of its own,
and the ways take turns. Printed are versions, the least CPU seconds of whole processes, how much
duckrisk takes for each second of the other, and whether the answers agree. The script fails if any does not.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import item_similarity
import nearest_records

Answer = dict[str, Any]
SEVEN = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex"]
SIX, SENSITIVE = SEVEN[:6], "income"
ATTRIBUTES = ["StockCode", "Quantity", "UnitPrice"]
#: What is imported, by the name under which it is installed.
DISTRIBUTIONS = {
    "duckrisk": "duckrisk",
    "duckdb": "duckdb",
    "pandas": "pandas",
    "polars": "polars",
    "pycanon": "pycanon",
    "sklearn": "scikit-learn",
    "scipy": "scipy",
}
#: How far numbers may differ, as a share: doubles are added up in another order.
NEAR = 1e-9


def names(columns: list[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def assess(source: Path, *only: str, **options: Any) -> Answer:
    import duckrisk

    made: Answer = duckrisk.assess(source, only=only, threads=1, **options).to_dict()
    return made


def ask(query: str) -> Any:
    """The rows that bare DuckDB returns."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        return connection.execute(query).fetchall()


def subsets(columns: list[str]) -> list[tuple[str, ...]]:
    """All sets of columns, the small ones first."""
    return [chosen for size in range(1, len(columns) + 1) for chosen in itertools.combinations(columns, size)]


# --- k and l of seven quasi-identifiers ------------------------------------------------------------


def classes_duckrisk(folder: Path) -> Answer:
    made = assess(
        folder / "adult.parquet", "class_sizes", "attribute_disclosure",
        user="", quasi_identifiers=SEVEN, sensitive=[SENSITIVE],
    )  # fmt: skip
    sizes = made["class_sizes"]["rules"][0]
    k, count, alone = sizes["smallest_class"], sizes["classes"], sizes["alone"]
    return {
        "k": k,
        "l": made["attribute_disclosure"]["attributes"][0]["distinct_l"],
        "classes": count,
        "alone": alone,
    }


def classes_duckdb(folder: Path) -> Answer:
    ((k, different, count, alone),) = ask(
        f"SELECT min(n), min(l), count(*), sum(n) FILTER (n = 1) FROM (SELECT count(*) AS n, "
        f"count(DISTINCT {SENSITIVE}) AS l FROM '{folder}/adult.parquet' GROUP BY {names(SEVEN)})"
    )
    return {"k": k, "l": different, "classes": count, "alone": int(alone or 0)}


def classes_pandas(folder: Path) -> Answer:
    import pandas

    table = pandas.read_parquet(folder / "adult.parquet", columns=[*SEVEN, SENSITIVE])
    found = table.groupby(SEVEN, dropna=False, observed=True)[SENSITIVE].agg(["size", "nunique"])
    alone = int((found["size"] == 1).sum())
    return {
        "k": int(found["size"].min()),
        "l": int(found["nunique"].min()),
        "classes": len(found),
        "alone": alone,
    }


def classes_polars(folder: Path) -> Answer:
    import polars

    table = polars.scan_parquet(folder / "adult.parquet")
    found = (
        table.group_by(SEVEN)
        .agg(polars.len().alias("n"), polars.col(SENSITIVE).n_unique().alias("l"))
        .collect()
    )
    alone = found.filter(polars.col("n") == 1).height
    return {"k": found["n"].min(), "l": found["l"].min(), "classes": found.height, "alone": alone}


def classes_pycanon(folder: Path) -> Answer:
    import pandas
    from pycanon import anonymity

    table = pandas.read_parquet(folder / "adult.parquet", columns=[*SEVEN, SENSITIVE])
    return {
        "k": int(anonymity.k_anonymity(table, SEVEN)),
        "l": int(anonymity.l_diversity(table, SEVEN, [SENSITIVE])),
    }


# --- SUDA: the sets of attributes on which a record is unique, and on no part of them ---------------


def suda_duckrisk(folder: Path) -> Answer:
    made = assess(folder / "adult.parquet", "suda", user="", quasi_identifiers=SIX)["suda"]
    sizes = {
        str(entry["size"]): entry["minimal_uniques"] for entry in made["sizes"] if entry["minimal_uniques"]
    }
    return {"records": made["scored"], "sizes": sizes}


def _count_minimal(unique: dict[tuple[str, ...], Any]) -> Answer:
    """Count the minimal sets of each record, from arrays of who is unique on each set."""
    sizes: dict[str, int] = {}
    scored: Any = False
    for chosen, alone in unique.items():
        minimal = alone.copy()
        for part in itertools.combinations(chosen, len(chosen) - 1):
            if part:
                minimal &= ~unique[part]
        scored = minimal | scored
        if count := int(minimal.sum()):
            sizes[str(len(chosen))] = sizes.get(str(len(chosen)), 0) + count
    return {"records": int(scored.sum()), "sizes": sizes}


def suda_pandas(folder: Path) -> Answer:
    import pandas

    table = pandas.read_parquet(folder / "adult.parquet", columns=SIX)
    return _count_minimal(
        {chosen: ~table.duplicated(list(chosen), keep=False).to_numpy() for chosen in subsets(SIX)}
    )


def suda_duckdb(folder: Path) -> Answer:
    import duckdb

    sets = subsets(SIX)
    cells = ", ".join(
        f"count(*) OVER (PARTITION BY {names(list(one))}) = 1 AS s{i}" for i, one in enumerate(sets)
    )
    with duckdb.connect(config={"threads": 1}) as connection:
        found = connection.execute(f"SELECT {cells} FROM '{folder}/adult.parquet'").fetchnumpy()
    return _count_minimal({chosen: found[f"s{i}"] for i, chosen in enumerate(sets)})


# --- minimal keys ----------------------------------------------------------------------------------


def keys_duckrisk(folder: Path) -> Answer:
    made = assess(folder / "different.parquet", "minimal_keys", user="", quasi_identifiers=SEVEN)
    return {"keys": sorted(map(sorted, made["minimal_keys"]["keys"]))}


def _find_keys(is_key: Callable[[tuple[str, ...]], bool]) -> Answer:
    """Find the minimal keys level by level."""
    found: list[tuple[str, ...]] = []
    for chosen in subsets(SEVEN):
        if not any(set(key) <= set(chosen) for key in found) and is_key(chosen):
            found.append(chosen)
    return {"keys": sorted(sorted(key) for key in found)}


def keys_duckdb(folder: Path) -> Answer:
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{folder}/different.parquet'")

        def is_key(chosen: tuple[str, ...]) -> bool:
            grouped = f"FROM t GROUP BY {names(list(chosen))} HAVING count(*) > 1"
            return not connection.execute(f"SELECT 1 {grouped} LIMIT 1").fetchall()

        return _find_keys(is_key)


def keys_pandas(folder: Path) -> Answer:
    import pandas

    table = pandas.read_parquet(folder / "different.parquet")
    return _find_keys(lambda chosen: not table.duplicated(list(chosen)).any())


# --- attribute risk: the mean over records of 1 / users with the value ------------------------------


def risk_duckrisk(folder: Path) -> Answer:
    made = assess(
        folder / "retail.parquet", "attribute_risk",
        user="CustomerID", attributes=ATTRIBUTES, samples=0, known_records=0,
    )  # fmt: skip
    return {entry["attribute"]: entry["mean_risk"] for entry in made["attribute_risk"]}


def risk_duckdb(folder: Path) -> Answer:
    risks = ", ".join(
        f"(SELECT sum(r / p) / sum(r) FROM (SELECT count(*) AS r, count(DISTINCT CustomerID) AS p FROM t "
        f"WHERE {column} IS NOT NULL AND CustomerID IS NOT NULL GROUP BY {column}))"
        for column in ATTRIBUTES
    )
    ((*found,),) = ask(f"WITH t AS (FROM '{folder}/retail.parquet') SELECT {risks}")
    return dict(zip(ATTRIBUTES, found, strict=True))


def risk_pandas(folder: Path) -> Answer:
    import pandas

    table = pandas.read_parquet(folder / "retail.parquet", columns=["CustomerID", *ATTRIBUTES]).dropna(
        subset=["CustomerID"]
    )
    found = {}
    for column in ATTRIBUTES:
        users = table.groupby(column)["CustomerID"].agg(["size", "nunique"])
        found[column] = float((users["size"] / users["nunique"]).sum() / users["size"].sum())
    return found


def risk_polars(folder: Path) -> Answer:
    import polars

    table = polars.read_parquet(folder / "retail.parquet", columns=["CustomerID", *ATTRIBUTES])
    table = table.drop_nulls("CustomerID")
    found = {}
    for column in ATTRIBUTES:
        users = (
            table.drop_nulls(column)
            .group_by(column)
            .agg(polars.len().alias("r"), polars.col("CustomerID").n_unique().alias("p"))
        )
        found[column] = users.select((polars.col("r") / polars.col("p")).sum() / polars.col("r").sum()).item()
    return found


# --- the nearest record of a population for each record of a release --------------------------------


def nearest_duckrisk(folder: Path) -> Answer:
    return {"sum": nearest_records.ours(folder, "blocks")["sum"]}


def nearest_duckdb(folder: Path) -> Answer:
    import duckdb

    def read(name: str) -> str:
        return f"read_csv('{folder}/{name}.csv', header = false)"

    with duckdb.connect(config={"threads": 1}) as connection:
        terms = [
            f"2 * CAST(d.{column} <> b.{column} AS INTEGER)"
            if kind == "VARCHAR"
            else f"(d.{column} - b.{column}) ** 2"
            for column, kind, *_ in connection.execute(f"DESCRIBE FROM {read('b')}").fetchall()
        ]
        query = (
            f"SELECT sum(m) FROM (SELECT min({' + '.join(terms)}) AS m FROM "
            f"(SELECT row_number() OVER () AS r, * FROM {read('rr0.5')}) AS d, {read('b')} AS b GROUP BY d.r)"
        )
        return {"sum": connection.execute(query).fetchall()[0][0]}


def nearest_sklearn(folder: Path) -> Answer:
    return {"sum": nearest_records.theirs(folder, "brute")["sum"]}


# --- cosines of items, of a table and of a release with pseudonyms that change by the month ----------

COSINES = """
WITH t AS (
    SELECT false AS released, u, item, count(*) AS c FROM ({records}) GROUP BY ALL
    UNION ALL
    SELECT true, u, item, count(*) FROM ({release}) GROUP BY ALL
),
norms AS (SELECT released, item, sqrt(sum(c * c)) AS norm FROM t GROUP BY ALL),
products AS (
    SELECT released, a.item AS i, b.item AS j, sum(a.c * b.c) AS product
    FROM t AS a JOIN t AS b USING (released, u) WHERE a.item < b.item GROUP BY ALL
),
cosines AS (
    SELECT released, i, j, product / (x.norm * y.norm) AS w FROM products
    JOIN norms AS x USING (released) JOIN norms AS y USING (released) WHERE x.item = i AND y.item = j
)
SELECT count(*), least(1, sum(abs(o.w - coalesce(r.w, 0))) / sum(o.w))
FROM (FROM cosines WHERE NOT released) AS o LEFT JOIN (FROM cosines WHERE released) AS r USING (i, j)
"""


def cosines_duckrisk(folder: Path) -> Answer:
    found = item_similarity.ours(str(folder / "retail.parquet"), "2GB", True)
    return {"pairs": found["pairs"], "loss": found["loss"]}


def cosines_duckdb(folder: Path) -> Answer:
    source = folder / "retail.parquet"
    records, release = (
        text.format(source=source) for text in (item_similarity.RECORDS, item_similarity.RELEASE)
    )
    ((pairs, loss),) = ask(COSINES.format(records=records, release=release))
    return {"pairs": pairs, "loss": loss}


def cosines_scipy(folder: Path) -> Answer:
    found = item_similarity.scipys(str(folder / "retail.parquet"), "", True)
    return {"pairs": found["pairs"], "loss": found["loss"]}


# --- running them ----------------------------------------------------------------------------------

#: The ways to each answer, by what has to be installed; the first is ours.
JOBS: dict[str, dict[str, Callable[[Path], Answer]]] = {
    "classes": {
        "duckrisk": classes_duckrisk,
        "duckdb": classes_duckdb,
        "pandas": classes_pandas,
        "polars": classes_polars,
        "pycanon": classes_pycanon,
    },
    "suda": {"duckrisk": suda_duckrisk, "duckdb": suda_duckdb, "pandas": suda_pandas},
    "keys": {"duckrisk": keys_duckrisk, "duckdb": keys_duckdb, "pandas": keys_pandas},
    "risk": {"duckrisk": risk_duckrisk, "duckdb": risk_duckdb, "pandas": risk_pandas, "polars": risk_polars},
    "nearest": {"duckrisk": nearest_duckrisk, "duckdb": nearest_duckdb, "sklearn": nearest_sklearn},
    "cosines": {"duckrisk": cosines_duckrisk, "duckdb": cosines_duckdb, "scipy": cosines_scipy},
}


def prepare(adult: str, retail: str, folder: Path, population: int, jobs: list[str]) -> None:
    """Write the tables of the jobs; keys are looked for in different records, else there are none."""
    ask(f"COPY (SELECT {names([*SEVEN, SENSITIVE])} FROM '{adult}') TO '{folder}/adult.parquet'")
    ask(f"COPY (SELECT DISTINCT {names(SEVEN)} FROM '{adult}') TO '{folder}/different.parquet'")
    ask(f"COPY (FROM '{retail}') TO '{folder}/retail.parquet'")
    if "nearest" in jobs:
        nearest_records.prepare(adult, folder, 1, population)


def measure(job: str, way: str, folder: Path) -> tuple[float, Answer | None]:
    """The CPU seconds of a process that finds an answer, and the answer; None if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, __file__, str(folder), "--measure", job, way],
        env={**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f"{job:8} {way:8} not measured: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
        return 0.0, None
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads(done.stdout.splitlines()[-1])


def agree(ours: Any, theirs: Any) -> bool:
    """Whether two answers are the same; of what the other one does not answer nothing is asked."""
    if isinstance(theirs, dict):
        return set(theirs) <= set(ours) and all(agree(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, float) or isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=NEAR)
    return bool(ours == theirs)


def compare(job: str, ways: list[str], folder: Path, runs: int) -> bool:
    """Print what the ways to an answer cost; return whether all agree."""
    least = dict.fromkeys(ways, math.inf)
    answers: dict[str, Answer | None] = {}
    for _ in range(runs):  # in turn, so that all meet the same machine
        for way in ways:
            spent, answers[way] = measure(job, way, folder)
            least[way] = min(least[way], spent)
    ours = answers["duckrisk"]
    same = ours is not None
    for way in ways:
        is_same = ours is not None and answers[way] is not None and agree(ours, answers[way])
        same = same and is_same
        remark = "" if way == "duckrisk" else f"  ratio {least['duckrisk'] / (least[way] or math.inf):5.2f}"
        remark += "" if way == "duckrisk" else "  the same answer" if is_same else "  ANOTHER ANSWER"
        print(f"{job:8} {way:8} {least[way]:7.2f} CPU s{remark}", flush=True)
        if not is_same or way == "duckrisk":
            print(f"{'':17} {json.dumps(answers[way])[:200]}", flush=True)
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sources", nargs="+", help="Adult and Online Retail, with their own names of columns")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--population", type=int, default=20_000)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--measure", nargs=2, metavar=("JOB", "WAY"))
    given = parser.parse_args()
    if given.measure:
        job, way = given.measure
        print(json.dumps(JOBS[job][way](Path(given.sources[0]))))
        return
    there = {way for way in DISTRIBUTIONS if importlib.util.find_spec(way) is not None}
    print(
        ", ".join(
            f"{DISTRIBUTIONS[way]} {metadata.version(DISTRIBUTIONS[way])}"
            for way in DISTRIBUTIONS
            if way in there
        )
    )
    for way in DISTRIBUTIONS:
        if way not in there:
            print(f"left out: {DISTRIBUTIONS[way]} is not installed")
    with tempfile.TemporaryDirectory() as name:
        prepare(given.sources[0], given.sources[1], Path(name), given.population, given.jobs)
        same = [
            compare(job, [way for way in JOBS[job] if way in there], Path(name), given.runs)
            for job in given.jobs
        ]
    print("all answers are the same" if all(same) else "some answers differ")
    if not all(same):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
