"""Attribute risk on a generated history larger than memory, against the floor of a bare GROUP BY.

    python tests/benchmarks/large_history.py FOLDER [--records 100000000] [--users 500000] [--memory 4GB]
        [--attributes date time ...]

Writes the history once, then, for each of its five attributes (--attributes) and in a process of its own:
the bare `GROUP BY value, user`, the exact template, the approximate one and the sampling one, with wall and
CPU seconds, the peak of memory, the ratio of CPU time to the bare statement, the share of records read and
the error. At last `assess --only attribute_risk` with and without the memory limit: the JSON has to be the
same.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from duckrisk.engine import templates
from duckrisk.engine.templates import Attribute, Part, Sql

ATTRIBUTES = {
    "date": Part("bought_at", "date"),
    "time": Part("bought_at", "time"),
    "item": Part("item"),
    "price": Part("price"),
    "quantity": Part("quantity"),
}


def generate(path: Path, records: int, users: int) -> None:
    connection = duckdb.connect(config={"preserve_insertion_order": False})
    for name, value in (("records", records), ("users", users), ("path", str(path))):
        connection.execute(f"SET VARIABLE {name} = {templates.literal(value)}")
    connection.execute((Path(__file__).parent / "large_history.sql").read_text(encoding="utf-8"))


def statements(path: Path, attribute: Attribute, users: int) -> dict[str, str]:
    source = Sql(f"read_parquet({templates.literal(str(path))})")
    of = {"source": source, "user": "user_id"}
    value = templates.value(attribute)
    return {
        "bare": f"SELECT COUNT(*), SUM(r) FROM (SELECT {value} AS x, user_id, COUNT(*) AS r FROM {source} "
        "GROUP BY x, user_id)",
        "exact": templates.render("attribute_risk", **of, attributes=[attribute], k=5),
        "approximate": templates.render("attribute_risk_approximate", **of, attributes=[attribute], k=5),
        "sampling": templates.render(
            "attribute_sample", **of, attribute=attribute, samples=50, confidence=0.9, seed=0, users=users
        ),
    }


def worker(sql: str, memory: str, spill: str) -> None:
    """Run one statement alone and print its row and what it cost."""
    connection = duckdb.connect(
        config={"memory_limit": memory, "temp_directory": spill, "preserve_insertion_order": False}
    )
    started, cpu = time.perf_counter(), time.process_time()
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    row = dict(zip(names, cursor.fetchone(), strict=True))
    print(
        json.dumps(
            {
                "row": row,
                "wall": time.perf_counter() - started,
                "cpu": time.process_time() - cpu,
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            },
            default=float,
        )
    )


def run(sql: str, memory: str, spill: Path) -> dict:
    command = [sys.executable, __file__, "--worker", memory, str(spill)]
    done = subprocess.run(command, input=sql, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def assess(path: Path, folder: Path, memory: str | None) -> tuple[float, dict]:
    target = folder / f"report-{memory or 'all'}.json"
    command = [
        sys.executable,
        "-m",
        "duckrisk",
        "assess",
        "--only",
        "attribute_risk",
        str(path),
        "-o",
        str(target),
        "--temp",
        str(folder),
    ]
    started = time.perf_counter()
    subprocess.run(command + (["--memory", memory] if memory else []), check=True)
    return time.perf_counter() - started, json.loads(target.read_text())


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        return worker(sys.stdin.read(), sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=100_000_000)
    parser.add_argument("--users", type=int, default=500_000)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--attributes", nargs="+", choices=ATTRIBUTES, default=list(ATTRIBUTES))
    parser.add_argument("--no-assess", action="store_true", help="only the single statements")
    given = parser.parse_args()
    path = given.folder / f"history-{given.records}.parquet"
    if not path.exists():
        generate(path, given.records, given.users)
    spill = given.folder / "spill"
    count = duckdb.execute("SELECT COUNT(DISTINCT user_id) FROM read_parquet(?)", [str(path)]).fetchone()[0]
    print(
        f"{'attribute':9} {'statement':12} {'wall':>6} {'cpu':>6} {'MB':>6} {'cpu/bare':>8} "
        f"{'read':>6} {'error':>8}"
    )
    totals: dict[str, float] = {}
    for name in given.attributes:
        part = ATTRIBUTES[name]
        bare, exact = 0.0, 0.0
        for kind, sql in statements(path, Attribute(name, (part,)), count).items():
            found = run(sql, given.memory, spill)
            totals[kind] = totals.get(kind, 0.0) + found["cpu"]
            bare = bare or found["cpu"]
            risk = found["row"].get("mean_risk", found["row"].get("estimate"))
            exact = exact or risk or 0.0
            read = found["row"].get("records_read", given.records if kind == "exact" else None)
            share = f"{read / given.records:6.3f}" if read is not None else f"{'':6}"
            error = f"{abs(risk / exact - 1):8.4%}" if risk else ""
            print(
                f"{name:9} {kind:12} {found['wall']:6.1f} {found['cpu']:6.1f} {found['peak']:6.0f} "
                f"{found['cpu'] / bare:8.2f} {share} {error}",
                flush=True,
            )
    print("all CPU seconds: " + ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in totals.items()))
    if not given.no_assess:
        limited, small = assess(path, given.folder, given.memory)
        free, large = assess(path, given.folder, None)
        same = "the same" if small == large else "DIFFERENT"
        print(f"assess: {limited:.0f} s with {given.memory}, {free:.0f} s without a limit; reports {same}")


if __name__ == "__main__":
    main()
