"""Item-based recommendation on a long history: CPU seconds beside scipy's sparse V^T V, and flat memory.

    python tests/benchmarks/item_similarity.py ONLINE_RETAIL_CLEAN.parquet [--runs 3] [--times 10]

scipy is left out where it is not installed. Both read the same records and compute the cosines of all pairs
of items that some user shares: of the table alone, and of the table and a release of it where users have a
pseudonym a month, with the distance of the two. "Cosines" is that alone (scipy's V^T V and norms; the blocks
of the template, which add the cosines up as well), "all" is from the file to the result. Then the same with
--times as many users. The memory limit is 1 GB. Every measurement is a process of its own; printed are the
smallest CPU seconds of the runs, the ratios, and the largest peak of memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDS = "SELECT CustomerID || '' AS u, StockCode AS item FROM '{source}'"
RELEASE = "SELECT CustomerID || '-' || month(InvoiceDate) AS u, StockCode AS item FROM '{source}'"
#: Users of their own, each with a twentieth of the records drawn anew so that no two copies are the same.
REPEATED = """
COPY (
    SELECT
        CustomerID + 100000 * CAST(copy AS INTEGER) AS CustomerID, InvoiceDate,
        CASE WHEN hash(InvoiceNo, StockCode, copy) % 20 = 0
            THEN list_extract(codes, 1 + CAST(hash(CustomerID, StockCode, copy) % len(codes) AS BIGINT))
            ELSE StockCode END AS StockCode
    FROM '{source}', range({times}) AS copies(copy),
        (SELECT list(DISTINCT StockCode ORDER BY StockCode) AS codes FROM '{source}')
) TO '{target}' (FORMAT parquet)
"""
VECTORS = """
WITH v AS (SELECT u, item, count(*) AS c FROM ({query}) GROUP BY ALL),
i AS (
    SELECT item, row_number() OVER (ORDER BY item) - 1 AS i
    FROM (SELECT DISTINCT StockCode AS item FROM '{source}')
),
u AS (SELECT u, row_number() OVER () - 1 AS n FROM (SELECT DISTINCT u FROM v))
SELECT n, i, c, (SELECT count(*) FROM u) AS users, (SELECT count(*) FROM i) AS items
FROM v JOIN u USING (u) JOIN i USING (item)
"""


def seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ours(source: str, memory: str, both: bool) -> dict[str, Any]:
    """The templates: of one table, or of the table and its release."""
    from duckrisk.engine.session import Resources, Session
    from duckrisk.engine.templates import Sql
    from duckrisk.release.recommendation import RECORDS as COUNTS
    from duckrisk.release.recommendation import History, measure_similarity_loss

    spent: dict[str, float] = {}

    class Timed(Session):
        def run(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
            before = seconds()
            try:
                return super().run(name, **arguments)
            finally:
                spent[name] = spent.get(name, 0) + seconds() - before

    with Timed(Resources(memory=memory, threads=2)) as session:
        tables = [History(Sql(f"({q.format(source=source)})"), "u", "item") for q in (RECORDS, RELEASE)]
        if not both:
            tables[1] = History(Sql(f"({RECORDS.format(source=source)} WHERE FALSE)"), "u", "item")
        started = seconds()
        found = measure_similarity_loss(session, tables[0], tables[1], COUNTS)
        whole = seconds() - started
        blocks = sum(statement.name == "add_differences" for statement in session.log)
    return {"cosines": spent["add_differences"], "all": whole, "blocks": blocks, **vars(found)}


def scipys(source: str, _: str, both: bool) -> dict[str, Any]:
    """Sparse matrices: V by DuckDB and numpy, the rest by scipy."""
    import duckdb
    import numpy as np
    from scipy import sparse

    started = seconds()
    connection = duckdb.connect(config={"threads": 2})

    def vectors(query: str) -> Any:
        text = VECTORS.format(query=query.format(source=source), source=source)
        found = connection.execute(text).fetchnumpy()
        shape = (int(found["users"][0]), int(found["items"][0]))
        return sparse.csr_matrix((found["c"].astype(np.float64), (found["n"], found["i"])), shape=shape)

    def cosines(v: Any) -> Any:
        norms = np.sqrt(np.asarray(v.multiply(v).sum(axis=0)).ravel())
        scale = sparse.diags(np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0))
        return (scale @ (v.T @ v) @ scale).tocsr()

    made = [vectors(query) for query in ((RECORDS, RELEASE) if both else (RECORDS,))]
    prepared = seconds()
    found = [cosines(v) for v in made]
    computed = seconds()
    w = found[0]
    w.setdiag(0)
    w.eliminate_zeros()
    loss = 1.0
    if both:
        loss = min(1.0, abs(w - found[1].multiply(w != 0)).sum() / w.sum())
    return {
        "cosines": computed - prepared,
        "all": seconds() - started,
        "loss": float(loss),
        "pairs": w.nnz // 2,
    }


def measured(*arguments: Any) -> dict[str, Any]:
    """One run in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps(arguments)],
        check=True,
        capture_output=True,
        text=True,
    )
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def compare(title: str, source: str, memory: str, runs: int) -> None:
    for what, both in (("one table", False), ("table and release", True)):
        found: dict[str, list[dict[str, Any]]] = {"SQL": [], "scipy": []}
        if importlib.util.find_spec("scipy") is None:
            del found["scipy"]
        for _ in range(runs):  # in turn, so that both meet the same machine
            for kind, made in found.items():
                made.append(measured(kind, source, memory, both))
        mine = found["SQL"][0]
        for theirs, *_ in (made for kind, made in found.items() if kind == "scipy"):
            assert mine["pairs"] == theirs["pairs"], (mine, theirs)
            assert not both or abs(mine["loss"] - theirs["loss"]) < 1e-9, (mine, theirs)
        print(f"{title}, {what}: {mine['pairs']:,} pairs, loss {mine['loss']:.6f}, {mine['blocks']} blocks")
        for part in ("cosines", "all"):
            least = {kind: min(run[part] for run in made) for kind, made in found.items()}
            shown = "  ".join(f"{kind} {spent:6.2f}" for kind, spent in least.items())
            ratio = f"  ratio {least['SQL'] / least['scipy']:.2f}" if "scipy" in least else ""
            print(f"  {part:8} {shown} CPU s{ratio}", flush=True)
        peaks = [f"{kind} {max(run['peak_mb'] for run in made):,} MB" for kind, made in found.items()]
        print(f"  peak     {', '.join(peaks)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("retail", nargs="?", help="Online Retail as Parquet, with its own names of columns")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child is not None:
        kind, *rest = json.loads(given.child)
        result = ours(*rest) if kind == "SQL" else scipys(*rest)
        result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps(result))
        return
    compare("retail", given.retail, "1GB", given.runs)
    if given.times > 1:
        import duckdb

        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "repeated.parquet"
            duckdb.execute(REPEATED.format(source=given.retail, times=given.times, target=target))
            compare(f"retail x{given.times}", str(target), "1GB", 1)


if __name__ == "__main__":
    main()
