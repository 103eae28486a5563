"""What exact containment costs: U of releases of a large table, by the time of one full GROUP BY of it.

    python tests/benchmarks/compare.py ADULT.parquet [--records 1000000] [--runs 3]

Draws a table of nine attributes from Adult (15 of 100 cells drawn anew), makes three releases of it (one
recoded as a whole, one locally, one locally with ages in intervals that overlap) and prints medians of
seconds of the processor, which say more on a busy machine, and of wall time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import duckrisk

NINE = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    "income",
)  # fmt: skip


def median(runs: int, work: Callable[[], Any]) -> tuple[float, float]:
    """The medians of processor and wall time of some runs after one to warm up."""
    taken = []
    for _ in range(runs + 1):
        started = time.process_time(), time.perf_counter()
        work()
        taken.append((time.process_time() - started[0], time.perf_counter() - started[1]))
    busy, waited = zip(*taken[1:], strict=True)
    return statistics.median(busy), statistics.median(waited)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", help="Adult as Parquet, with the names that datasets/README.md gives")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    names = [f'"{name}"' for name in NINE]
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE lists AS SELECT "
            + ", ".join(f"list({name} ORDER BY rowid) AS {name}" for name in names)
            + f" FROM (SELECT row_number() OVER () AS rowid, * FROM '{given.adult}')"
        )
        (size,) = connection.execute("SELECT len(age) FROM lists").fetchone() or (1,)

        def write(name: str, select: str) -> str:
            path = str(Path(folder) / f"{name}.parquet")
            connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
            return path

        drawn = ", ".join(
            f"list_extract({name}, 1 + CAST(CASE WHEN hash(i, {n}) % 100 < 15 THEN hash(i, {n}, 7) "
            f"ELSE hash(i) END % {size} AS BIGINT)) AS {name}"
            for n, name in enumerate(names)
        )
        original = write("original", f"SELECT {drawn} FROM lists, range({given.records}) AS t(i)")
        local = ", ".join(
            f"CASE WHEN hash({name}, workclass, age // 5, {n}) % 4 = 0 THEN '*' ELSE {name} END AS {name}"
            for n, name in enumerate(names[1:])
        )
        decades = "'[' || age // 10 * 10 || ', ' || (age // 10 + 1) * 10 || '['"
        low, high = "age - hash(sex, race, occupation) % 4", "age + hash(sex, race, education) % 5"
        overlapping = f"'[' || ({low}) || ', ' || ({high}) || ']'"
        releases = {
            "as a whole": write(
                "whole", f"""SELECT * REPLACE ({decades} AS age, '*' AS "native-country") FROM '{original}'"""
            ),
            "locally": write("local", f"SELECT {decades} AS age, {local} FROM '{original}'"),
            "overlapping": write("overlapping", f"SELECT {overlapping} AS age, {local} FROM '{original}'"),
        }
        grouped = f"SELECT count(*) FROM (SELECT {', '.join(names)} FROM '{original}' GROUP BY ALL)"
        unit, clock = median(given.runs, lambda: connection.execute(grouped).fetchall())
        print(f"{given.records:,} records; one full GROUP BY {unit:.2f} s, on the clock {clock:.2f} s")
        for name, release in releases.items():
            found: list[Any] = []

            def work(release: str = release, found: list[Any] = found) -> None:
                made = duckrisk.compare(original, release, attributes=NINE, user="", only=["information"])
                found.append(made.data["tables"][1]["information"]["information"])

            busy, waited = median(given.runs, work)
            print(
                f"{name:12} {busy:6.2f} s  {busy / unit:6.1f} GROUP BYs; on the clock {waited:6.2f} s  "
                f"{waited / clock:6.1f}; U {found[-1]:.6f}"
            )


if __name__ == "__main__":
    main()
