"""Exact nearest records of a release in a population, beside scikit-learn, and what the attacks hit.

    pip install scikit-learn
    python tests/benchmarks/nearest_records.py ADULT_TRAIN.parquet [--seed 1] [--runs 1] [--attacks]
        [--population 100000] [--kinds blocks ...]

Needs scikit-learn for its own numbers alone; without it only ours are printed. The population is 100,000
different records (--population) that `duckrisk membership synthesize` draws of Adult's complete records in
nine attributes, the members a tenth of them, the release half of whose cells are drawn anew. Every
measurement is a process of its own with two threads, ours with 2 GB; printed are wall and CPU seconds of the
search, from the encoded tables (scikit-learn: the matrix of dummies) to the nearest of each record, and the
peak of memory of the process. "blocks" are the templates, "turned" the same for each record of the
population, "pairs" the same distance in SQL without pruning, "arrays" `array_distance` of one-hot arrays on
a tenth of the release, times ten. --attacks shows the hits of 100 for releases made in several ways.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NINE = 'age, workclass, education, "marital-status", occupation, relationship, sex, "hours-per-week", income'
COMPLETE = "workclass <> '?' AND occupation <> '?' AND \"native-country\" <> '?'"
KINDS = ("blocks", "turned", "pairs", "arrays", "brute", "kd_tree")


def seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def prepare(source: str, folder: Path, seed: int, population: int) -> None:
    """The population, the members, and releases of these."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {NINE} FROM '{source}' WHERE {COMPLETE}) TO '{folder}/a.csv' (HEADER false)"
        )
        synthesize(folder, "a", "b", seed, "--records", f"{3 * population}", "--distinct", f"{population}")
        connection.execute(
            f"COPY (SELECT * EXCLUDE (r) FROM (SELECT row_number() OVER () AS r, * "
            f"FROM read_csv('{folder}/b.csv', header = false)) ORDER BY md5('{seed}:' || r) "
            f"LIMIT {population // 10}) TO '{folder}/c.csv' (HEADER false)"
        )
    for keep in ("0.9", "0.5"):
        synthesize(folder, "c", f"rr{keep}", seed, "--method", "rr", "--keep", keep)
    synthesize(folder, "c", "okada", seed)


def synthesize(folder: Path, source: str, made: str, seed: int, *options: str) -> None:
    paths = [str(folder / f"{source}.csv"), "-o", str(folder / f"{made}.csv")]
    command = [sys.executable, "-m", "duckrisk", "membership", "synthesize", *paths]
    subprocess.run([*command, "--seed", str(seed), "-q", *options], check=True)


def ours(folder: Path, kind: str) -> dict[str, Any]:
    """The search in SQL."""
    from duckrisk.contests.membership.neighbours import Shape, make_coded_tables, nearest_records
    from duckrisk.contests.membership.records import load
    from duckrisk.engine.session import Resources, Session
    from duckrisk.source import Request

    with Session(Resources(memory="2GB", threads=2)) as session:
        requests = {"b": Request(str(folder / "b.csv")), "d": Request(str(folder / "rr0.5.csv"))}
        encoding = load(session, requests)
        categories = tuple(c for c in encoding.columns if c not in encoding.numeric)
        shape = Shape(tuple(encoding.numeric), categories)
        started, wall = seconds(), time.perf_counter()
        if kind in ("blocks", "turned"):
            asked, candidates = ("d", "b") if kind == "blocks" else ("b", "d")
            nearest_records(session, asked, candidates, shape, "nearest")
            query = "SELECT sum(squared_distance) FROM nearest"
        else:
            fields = make_coded_tables(session, {"d": "d", "b": "b"}, shape)
            query = (pairs if kind == "pairs" else arrays)(shape, fields)
        total = session.run_in_worker(lambda: session._connection.execute(query).fetchone(), kind)[0]
        factor = 10 if kind == "arrays" else 1
        return {
            "cpu": factor * (seconds() - started),
            "wall": factor * (time.perf_counter() - wall),
            "sum": factor * total,
        }


def pairs(shape: Any, fields: Any) -> str:
    """All pairs, with the codes of the templates."""
    from duckrisk.engine.templates import render

    distance = render(
        "record_distance", left="d", right="b", numeric=list(shape.numeric), words=fields.names,
        filled=fields.filled, marks=fields.marks, weight=2.0,
    )  # fmt: skip
    return (
        f"SELECT sum(m) FROM (SELECT min({distance}) AS m FROM d_coded AS d, b_coded AS b GROUP BY d.record)"
    )


def arrays(shape: Any, fields: Any) -> str:
    """All pairs of one-hot arrays, of a tenth of the release."""
    cells = [f"CAST({column} AS FLOAT)" for column in shape.numeric]
    for column, codes in zip(shape.categories, fields.counts, strict=True):
        cells += [f"CAST({column} = {code} AS FLOAT)" for code in range(codes)]
    vector = f"CAST([{', '.join(cells)}] AS FLOAT[{len(cells)}]) AS v"
    return (
        f"WITH x AS MATERIALIZED (SELECT record, {vector} FROM d_coded WHERE record % 10 = 0), "
        f"y AS MATERIALIZED (SELECT {vector} FROM b_coded) SELECT sum(m) FROM "
        "(SELECT min(array_distance(x.v, y.v)) ^ 2 AS m FROM x, y GROUP BY x.record)"
    )


def theirs(folder: Path, kind: str) -> dict[str, Any]:
    """The search of scikit-learn."""
    import duckdb
    import numpy as np
    from sklearn.neighbors import NearestNeighbors

    with duckdb.connect() as connection:
        tables = [
            connection.execute(f"FROM read_csv('{folder}/{name}.csv', header = false)").fetchnumpy()
            for name in ("b", "rr0.5")
        ]
    matrices: list[list[Any]] = [[], []]
    for name in tables[0]:
        if tables[0][name].dtype.kind in "if":
            for made, table in zip(matrices, tables, strict=True):
                made.append(table[name].astype(float))
            continue
        for value in sorted(set(tables[0][name]) | set(tables[1][name])):
            for made, table in zip(matrices, tables, strict=True):
                made.append((table[name] == value).astype(float))
    population, release = (np.stack(made, 1) for made in matrices)
    started, wall = seconds(), time.perf_counter()
    search = NearestNeighbors(n_neighbors=1, algorithm=kind, n_jobs=2).fit(population)
    distances, _ = search.kneighbors(release)
    return {
        "cpu": seconds() - started,
        "wall": time.perf_counter() - wall,
        "sum": float((distances**2).sum()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("source")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--attacks", action="store_true")
    parser.add_argument("--population", type=int, default=100_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--measure", choices=KINDS)
    given = parser.parse_args()
    if given.measure:
        measured = (theirs if given.measure in ("brute", "kd_tree") else ours)(
            Path(given.source), given.measure
        )
        measured["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(measured))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(given.source, folder, given.seed, given.population)
        if given.attacks:
            attacks(folder)
            return
        for kind in given.kinds:
            runs = []
            for _ in range(given.runs):
                command = [sys.executable, __file__, str(folder), "--measure", kind]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{kind:8} not measured: {done.stderr.strip().splitlines()[-1]}")
                    break
                runs.append(json.loads(done.stdout))
            if runs:
                best = min(runs, key=lambda run: run["cpu"])
                print(
                    f"{kind:8} cpu {best['cpu']:7.2f} s  wall {best['wall']:7.2f} s  "
                    f"{best['mb']:6.0f} MB  sum {best['sum']:.0f}", flush=True
                )  # fmt: skip


def attacks(folder: Path) -> None:
    """The hits of 100 of each attack."""
    from duckrisk.contests.membership.attacks.inference import AttackOptions, run
    from duckrisk.contests.membership.attacks.registry import ATTACKS
    from duckrisk.engine.session import Resources
    from duckrisk.source import Request

    for made in ("c", "rr0.9", "rr0.5", "okada"):
        members = Request(str(folder / "c.csv"))
        report = run(
            Request(str(folder / "b.csv")), Request(str(folder / f"{made}.csv")),
            AttackOptions(ATTACKS, starts=2), members, resources=Resources(memory="2GB", threads=2),
        )  # fmt: skip
        print(made, {entry.attack: entry.hits for entry in report.attacks}, flush=True)


if __name__ == "__main__":
    main()
