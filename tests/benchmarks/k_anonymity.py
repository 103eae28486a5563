"""k-anonymity on Adult: penalty and time of both algorithms, and of another implementation where installed.

    python tests/benchmarks/k_anonymity.py ADULT.parquet [--threads 2] [--memory 4GB] [--k 3 5 10 20]
        [--algorithms local uniform] [--records 5000000]

Prints, for 8 attributes (all but income) and k = 3, 5, 10, 20, the penalty (NCP, GCP), the classes and the
seconds of each algorithm, with the trees of Xu et al. and Incognito; for 9 attributes k = 3. Uniform recoding
may delete 5 % of the records, and each counts in full in the penalty. With --records the script also treats
that many records drawn from Adult, 15 % of the cells drawn anew, and prints the peak of memory;
--k with nothing after it leaves Adult itself out.

anjana, where it is installed, treats the same table with the same trees, and its labels are judged as those
of uniform recoding are: a label loses the share of the values that it covers, and a record that was left
out loses everything. pyCANON, where it is installed, counts the k of anjana's and local results. Both come
with `pip install anjana pycanon`, in an environment of their own: they want exact versions of numpy and
pandas. They are not asked about the large table: they hold all
records in memory, and its peak is that of duckrisk.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import time
from collections import Counter
from typing import Any

from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql, literal
from duckrisk.release.k_anonymity import QuasiIdentifier, k_anonymize
from duckrisk.release.k_anonymity.uniform import find_forms

ALGORITHMS = ("local", "uniform")
NAMES = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    "income",
)  # fmt: skip
TREES = {
    "ages": "SELECT DISTINCT CAST(c0 AS VARCHAR) AS level0, CAST(c0 // 5 * 5 AS VARCHAR) AS level1, "
    "'10: ' || c0 // 10 AS level2, '20: ' || c0 // 20 AS level3, '*' AS level4 FROM adult",
    "work": "SELECT DISTINCT c1 AS level0, CASE WHEN c1 LIKE 'Self-emp%' THEN 'Self-employed' WHEN c1 LIKE "
    "'%-gov' THEN 'gov' WHEN c1 IN ('Without-pay', 'Never-worked') THEN 'not-work' ELSE c1 END AS level1, "
    "'*' AS level2 FROM adult",
    "marital": "SELECT DISTINCT c3 AS level0, CASE WHEN c3 IN ('Widowed', 'Married-spouse-absent') THEN "
    "'alone' WHEN c3 LIKE 'Married%' THEN 'Married' WHEN c3 IN ('Divorced', 'Separated') THEN 'leave' "
    "ELSE c3 END AS level1, '*' AS level2 FROM adult",
}
HEIGHTS = {"age": ("ages", 4), "workclass": ("work", 2), "marital-status": ("marital", 2)}
LARGE = """
CREATE TEMP TABLE large AS
SELECT i AS record, {cells}
FROM (
    SELECT i, CAST(hash(i, 77) % {size} AS BIGINT) AS one, CAST(hash(i, 78) % {size} AS BIGINT) AS other
    FROM range({records}) AS t(i)
) AS drawn
JOIN adult AS a ON a.record = drawn.one
JOIN adult AS b ON b.record = drawn.other
"""


def prepare(session: Session, path: str) -> None:
    cells = ", ".join(f'"{name}" AS c{place}' for place, name in enumerate(NAMES))
    execute(
        session,
        f"CREATE TEMP TABLE adult AS SELECT file_row_number AS record, {cells} "
        f"FROM read_parquet({literal(path)}, file_row_number = true)",
    )
    for name, select in TREES.items():
        execute(session, f"CREATE TEMP TABLE {name} AS {select}")


def execute(session: Session, sql: str) -> Any:
    return session.run_in_worker(lambda: session._connection.execute(sql).fetchall(), "benchmark")


def quasi_identifiers(count: int) -> list[QuasiIdentifier]:
    return [
        QuasiIdentifier(f"c{place}", name, name == "age", *HEIGHTS.get(name, (None, 1)))
        for place, name in enumerate(NAMES[:count])
    ]


def treat(session: Session, source: str, count: int, k: int, algorithm: str) -> None:
    started, checked_k, deleted = time.perf_counter(), "-", ""
    if algorithm == "local":
        outcome = k_anonymize(session, Sql(source), "made", quasi_identifiers(count), k)
        seconds = time.perf_counter() - started
        classes, gcp, ncp = outcome.classes, outcome.gcp, outcome.ncp
        checked_k = checked(session, count) if source == "adult" else "-"
    else:
        forms = find_forms(session, Sql(source), quasi_identifiers(count), k, exponent=1)
        seconds = time.perf_counter() - started
        classes, gcp, ncp = forms.classes, forms.gcp, forms.gcp * forms.records * count
        deleted = f"  {forms.deleted:,} records left out"
    print(
        f"{count} attributes  k {k:2}  {algorithm:11}  NCP {ncp:10.1f}  GCP {gcp:.4f}  "
        f"classes {classes:6}  {seconds:6.2f} s  checked {checked_k}{deleted}",
        flush=True,
    )


def checked(session: Session, count: int) -> str:
    """The k that pyCANON finds in the result."""
    frame = session.run_in_worker(lambda: session._connection.execute("SELECT * FROM made").df(), "benchmark")
    return known(frame, [f"c{place}" for place in range(count)])


def known(frame: Any, columns: list[str]) -> str:
    try:
        from pycanon import anonymity
    except ImportError:
        return "-"
    return str(anonymity.k_anonymity(frame[columns].astype(str), columns))


def other(session: Session, count: int, k: int) -> None:
    """anjana's k-anonymity: levels of hierarchies for whole columns, up to 5 % of the records left out."""
    try:
        from anjana.anonymity import k_anonymity
    except ImportError:
        return
    columns = [f"c{place}" for place in range(count)]
    frame = session.run_in_worker(
        lambda: session._connection.execute("SELECT * FROM adult").df(), "benchmark"
    )
    hierarchies, shares = {}, {}
    for place, name in enumerate(NAMES[:count]):
        values = frame[f"c{place}"].astype(str)
        tree, height = HEIGHTS.get(name, (None, 1))
        rows = execute(session, f"SELECT * FROM {tree}") if tree else [(v, "*") for v in values.unique()]
        labels = [{row[0]: row[level] for row in rows} for level in range(height + 1)]
        hierarchies[f"c{place}"] = {level: values.map(found).to_numpy() for level, found in enumerate(labels)}
        leaves = Counter((level, label) for level, found in enumerate(labels) for label in found.values())
        shares[f"c{place}"] = {
            label: number / len(rows) if number > 1 else 0.0 for (_, label), number in leaves.items()
        }
        frame[f"c{place}"] = values
    started = time.perf_counter()
    made = k_anonymity(frame, [], columns, k, 5, hierarchies)
    seconds = time.perf_counter() - started
    lost = sum(float(made[name].map(shares[name]).sum()) for name in columns)
    lost += (len(frame) - len(made)) * count
    classes = len(made[columns].drop_duplicates())
    print(
        f"{count} attributes  k {k:2}  {'anjana':11}  NCP {lost:10.1f}  GCP {lost / len(frame) / count:.4f}  "
        f"classes {classes:6}  {seconds:6.2f} s  checked {known(made, columns)}  "
        f"{len(frame) - len(made):,} records left out",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--k", type=int, nargs="*", default=[3, 5, 10, 20])
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS), choices=ALGORITHMS)
    parser.add_argument("--records", type=int, default=0)
    given = parser.parse_args()
    for package in ("anjana", "pycanon"):
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not installed: nothing of it below")
    with Session(Resources(memory=given.memory, threads=given.threads)) as session:
        prepare(session, given.source)
        for count, ks in ((8, given.k), (9, [k for k in given.k if k == 3])):
            for k in ks:
                for algorithm in given.algorithms:
                    treat(session, "adult", count, k, algorithm)
                other(session, count, k)
        if given.records:
            cells = ", ".join(
                f"CASE WHEN hash(i, {p}) % 100 < 15 THEN b.c{p} ELSE a.c{p} END AS c{p}" for p in range(9)
            )
            ((size,),) = execute(session, "SELECT count(*) FROM adult")
            execute(session, LARGE.format(cells=cells, records=given.records, size=size))
            for algorithm in given.algorithms:
                treat(session, "large", 9, 3, algorithm)
    print(f"peak of memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB")


if __name__ == "__main__":
    main()
