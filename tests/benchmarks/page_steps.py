"""How long a step of a slider of the page takes: until first figures, and until exact ones.

    python tests/benchmarks/page_steps.py FOLDER [--records 100000 1000000 10000000] [--threads 2]

Makes tables of 8 columns in the folder, a fifth as many people as records. Each step moves one slider.
Printed are seconds and CPU seconds until the page answers with figures, and until exact classes are there.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import duckdb

from duckrisk.engine.session import Resources
from duckrisk.page.board import Board
from duckrisk.page.security import Gate
from duckrisk.page.settings import Given
from duckrisk.page.view import render_page

#: Steps: the column and the form of its slider.
STEPS = (
    ("birth_date", "month"),
    ("zip", "prefix3"),
    ("visited", "month"),
    ("birth_date", "year"),
    ("ward", "20"),
)
#: People, and what is known of each: the same in all of their records.
QUERY = """
    SELECT 'u' || person AS patient_id,
        DATE '1930-01-01' + CAST(hash(person, 2) % 25000 AS INTEGER) AS birth_date,
        CASE WHEN hash(person, 3) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
        lpad(CAST(hash(person, 4) % 4000 AS VARCHAR), 5, '1') AS zip,
        TIMESTAMP '2022-01-01' + to_minutes(CAST(hash(i, 5) % 1051200 AS INTEGER)) AS visited,
        CAST(hash(i, 6) % 300 AS INTEGER) AS ward, CAST(hash(i, 7) % 90000 AS INTEGER) AS cost,
        ['flu', 'asthma', 'fracture', 'burn', 'angina'][CAST(1 + hash(i, 8) % 5 AS INTEGER)] AS illness
    FROM (SELECT i, hash(i, 1) % {people} AS person FROM range({records}) t(i)) AS visits
"""


def measure(source: Path, threads: int) -> None:
    board = Board(Given(str(source)), Resources(threads=threads))
    gate = Gate("http://127.0.0.1:1")
    try:
        board.open_source(None)
        board.desk.start()
        settle(board, lambda: not board.desk.is_busy)
        position = {column.column: column.position for column in board.columns}
        board.declare(position["patient_id"], "user")
        board.declare(position["illness"], "sensitive")
        board.update()
        settle(board, lambda: not board.desk.is_busy)
        for column, form in STEPS:
            levels = next(one for one in board.columns if one.column == column)
            began, spent = time.monotonic(), time.process_time()
            board.publish(position[column], levels.forms.index(form))
            board.update()
            settle(board, lambda: board.figures is not None)
            render_page(board, gate, "nonce")
            first, first_spent = time.monotonic() - began, time.process_time() - spent
            settle(board, lambda: board.figures.together is not None)
            exact, exact_spent = time.monotonic() - began, time.process_time() - spent
            kind = "sample" if board.figures.sample is not None else "exact"
            print(
                f"{source.stem:>16} {column + ' ' + form:20} {kind:6} {first:6.2f} s {first_spent:6.2f} CPU s"
                f"   exact {exact:6.2f} s {exact_spent:6.2f} CPU s",
                flush=True,
            )
    finally:
        board.close()


def settle(board: Board, is_done: object) -> None:
    assert callable(is_done)
    while not is_done():
        time.sleep(0.005)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    for records in asked.records:
        path = asked.folder / f"visits{records}.parquet"
        if not path.exists():
            duckdb.execute(f"COPY ({QUERY.format(records=records, people=max(1, records // 5))}) TO '{path}'")
        measure(path, asked.threads)


if __name__ == "__main__":
    main()
