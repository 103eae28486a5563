"""The three risks of a release of Adult, beside Anonymeter.

    pip install anonymeter
    python tests/benchmarks/membership_risks.py ADULT_TRAIN.parquet ADULT_TEST.parquet [--times 10]

The original is the training table, the control set the test table, and in the release three of ten cells of
the former are drawn anew (`duckrisk membership synthesize --method rr --keep 0.7`). Every measurement is a
process of its own with two threads; printed are wall and CPU seconds with reading the files, the peak of
memory, and the rates of attack, naive attack and control with the risk. Anonymeter is left out where it is
not installed, and with --ours. With --times N the original and the control set are N times as large,
repeated with other values of fnlwgt. "all" measures everything at once, with each column as a secret.
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

#: What is known from either side: eight columns together.
LEFT, RIGHT = (
    ["age", "education", "marital-status", "occupation"],
    ["race", "sex", "capital-gain", "native-country"],
)
SECRET, NEIGHBOURS, COMBINED = "income", 5, 4
KINDS = ("univariate", "multivariate", "linkability", "inference", "all")


def prepare(train: str, test: str, folder: Path, times: int) -> None:
    """The three tables; labels of the test table end in a full stop, which is taken away."""
    import duckdb

    with duckdb.connect() as connection:
        for name, source in (("original", train), ("control", test)):
            cells = "fnlwgt + 7 * CAST(turn AS INTEGER) AS fnlwgt, rtrim(income, '.') AS income"
            connection.execute(
                f"COPY (SELECT * EXCLUDE (turn) REPLACE ({cells}) FROM '{source}', "
                f"range({times}) AS turns(turn)) TO '{folder}/{name}.parquet'"
            )
    made = [sys.executable, "-m", "duckrisk", "membership", "synthesize", str(folder / "original.parquet")]
    made += ["-o", str(folder / "release.parquet"), "--method", "rr", "--keep", "0.7", "--seed", "1", "-q"]
    subprocess.run(made, check=True)


def ours(folder: Path, kind: str, attacks: int) -> str:
    from duckrisk.membership import RiskOptions, risks
    from duckrisk.session import Resources
    from duckrisk.source import Request

    chosen: dict[str, Any] = {"attacks": attacks, "columns": COMBINED}
    if kind == "linkability":
        chosen |= {"risks": [kind], "link_left": LEFT, "link_right": RIGHT, "neighbours": NEIGHBOURS}
    elif kind == "inference":
        chosen |= {"risks": [kind], "secrets": [SECRET]}
    elif kind != "all":
        chosen |= {"risks": ["singling-out"]}
    requests = [Request(str(folder / f"{name}.parquet")) for name in ("original", "release", "control")]
    if kind == "univariate":
        return univariate(requests, attacks)
    report = risks(*requests, options=RiskOptions(**chosen), resources=Resources(threads=2))
    if kind == "all":
        return f"{len(report.risks)} attacks"
    (entry,) = [one for one in report.risks if one["attack"].endswith(kind)]
    names = [entry[name]["rate"] for name in ("main", "naive", "control")]
    return told(*names, entry["risk"] and entry["risk"]["risk"])


def univariate(requests: list[Any], attacks: int) -> str:
    """This form alone: the command measures both."""
    from duckrisk.membership.risk_tables import tables
    from duckrisk.membership.singling_out import SinglingOut
    from duckrisk.session import Resources, Session

    with Session(Resources(threads=2)) as session:
        opened = tables(session, dict(zip(("original", "released", "control"), requests, strict=True)))
        tried = SinglingOut(opened, attacks, 0).univariate()
    return f"{tried.successes} of {tried.attacks}, naive {tried.naive}, control {tried.measured}"


def theirs(folder: Path, kind: str, attacks: int) -> str:
    import pandas
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    original, release, control = (
        pandas.read_parquet(folder / f"{name}.parquet") for name in ("original", "release", "control")
    )
    release = release.astype(dict(original.dtypes))
    common = {"n_attacks": attacks, "control": control}
    if kind in ("univariate", "multivariate"):
        evaluator = SinglingOutEvaluator(original, release, n_cols=COMBINED, seed=1, **common).evaluate(kind)
    elif kind == "linkability":
        evaluator = LinkabilityEvaluator(
            original, release, aux_cols=(LEFT, RIGHT), n_neighbors=NEIGHBOURS, **common
        ).evaluate(n_jobs=2)
    else:
        known = [name for name in original if name != SECRET]
        evaluator = InferenceEvaluator(original, release, aux_cols=known, secret=SECRET, **common).evaluate(
            n_jobs=2
        )
    found = evaluator.results()
    rates = (found.attack_rate.value, found.baseline_rate.value, found.control_rate.value)
    return told(*rates, evaluator.risk().value)


def told(main: float, naive: float, control: float, risk: float | None) -> str:
    shown = "void" if risk is None else f"{risk:.3f}"
    return f"attack {main:.3f}  naive {naive:.3f}  control {control:.3f}  risk {shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--attacks", type=int, default=500)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--measure", nargs=2)
    given = parser.parse_args()
    if given.measure:
        whose, kind = given.measure
        shown = (ours if whose == "duckrisk" else theirs)(Path(given.sources[0]), kind, given.attacks)
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu, most = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(json.dumps({"cpu": cpu, "mb": most, "shown": shown}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(given.sources[0], given.sources[1], folder, given.times)
        for kind in KINDS:
            for whose in ("duckrisk",) if given.ours or kind == "all" else ("duckrisk", "anonymeter"):
                command = [sys.executable, __file__, str(folder), "--measure", whose, kind]
                started = time.perf_counter()
                done = subprocess.run(
                    [*command, "--attacks", str(given.attacks)], capture_output=True, text=True, check=False
                )
                wall = time.perf_counter() - started
                if done.returncode:
                    print(f"{kind:12} {whose:10} not measured: {done.stderr.strip().splitlines()[-1]}")
                    continue
                made = json.loads(done.stdout.splitlines()[-1])
                print(
                    f"{kind:12} {whose:10} wall {wall:6.1f} s  cpu {made['cpu']:6.1f} s  {made['mb']:5.0f} MB"
                    f"  {made['shown']}", flush=True
                )  # fmt: skip


if __name__ == "__main__":
    main()
