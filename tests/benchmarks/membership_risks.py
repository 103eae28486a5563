"""The three risks of a release of Adult, beside Anonymeter.

    pip install anonymeter
    python tests/benchmarks/membership_risks.py ADULT_TRAIN.parquet ADULT_TEST.parquet --seeds 10

The original is the training table, the control set the test table, and in the release three of ten cells of
the former are drawn anew (`duckrisk membership synthesize --method rr --keep 0.7`; --keep). Every measurement
is a process of its own with two threads; printed are wall and CPU seconds with reading the files, the peak of
memory, and how many attacks, naive attacks and attacks on the control set succeed, with the risk. Anonymeter
is left out where it is not installed, and with --ours. With --times N the original and the control set are
N times as large, repeated with other values of fnlwgt. "all" measures everything at once, with each column
as a secret; ours measures both forms of singling out at once. With --seeds N the attacks are drawn N times:
printed are the least times, means and standard deviations of the counts, and how many of our intervals
contain the mean of Anonymeter's estimates, and each of them.

The original is twice as large as the control set, and what is singled out of that has to be told for as many
records. Anonymeter 1.1.0 counts every predicate as a success when it measures how that grows, which halves
the control set's successes instead; "mended" is its estimate with its own model of that fitted to the
predicates that single out, and "measured" are the control
set's successes before they are told for another size, which both have to find alike.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

#: What is known from either side: eight columns together.
LEFT, RIGHT = (
    ["age", "education", "marital-status", "occupation"],
    ["race", "sex", "capital-gain", "native-country"],
)
SECRET, NEIGHBOURS, COMBINED = "income", 5, 4
KINDS = ("univariate", "multivariate", "linkability", "inference", "all")
Found = dict[str, Any]


def prepare(train: str, test: str, folder: Path, times: int, keep: float = 0.7) -> None:
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
    made += [
        "-o",
        str(folder / "release.parquet"),
        "--method",
        "rr",
        "--keep",
        str(keep),
        "--seed",
        "1",
        "-q",
    ]
    subprocess.run(made, check=True)


def ours(folder: Path, kind: str, attacks: int, seed: int) -> Found:
    from duckrisk.contests.membership.options import RiskOptions
    from duckrisk.contests.membership.release_risks.measuring import risks
    from duckrisk.engine.session import Resources
    from duckrisk.source import Request

    chosen: dict[str, Any] = {"attacks": attacks, "columns": COMBINED, "seed": seed}
    if kind == "linkability":
        chosen |= {"risks": [kind], "link_left": LEFT, "link_right": RIGHT, "neighbours": NEIGHBOURS}
    elif kind == "inference":
        chosen |= {"risks": [kind], "secrets": [SECRET]}
    elif kind != "all":
        chosen |= {"risks": ["singling-out"]}
    requests = [Request(str(folder / f"{name}.parquet")) for name in ("original", "release", "control")]
    report = risks(*requests, options=RiskOptions(**chosen), resources=Resources(threads=2))
    if kind == "all":
        return {"attacks": len(report.risks)}
    (entry,) = [one for one in report.risks if one.attack.endswith(kind)]
    main, control, risk = entry.main, entry.control, entry.risk
    return {
        "attack": main.successes,
        "naive": entry.naive.successes,
        "measured": control.measured,
        "control": control.successes,
        "risk": risk and risk.risk,
        "intervals": {
            "attack": [main.lower, main.upper],
            "control": [control.lower, control.upper],
            "risk": risk and [risk.lower, risk.upper],
        },
    }


def theirs(folder: Path, kind: str, attacks: int, seed: int) -> Found:
    import numpy
    import pandas
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
    from anonymeter.evaluators import singling_out_evaluator as singling
    from anonymeter.stats.confidence import EvaluationResults

    numpy.random.seed(seed)  # what targets are drawn with
    original, release, control = (
        pandas.read_parquet(folder / f"{name}.parquet") for name in ("original", "release", "control")
    )
    release = release.astype(dict(original.dtypes))
    common = {"n_attacks": attacks, "control": control}
    used = mended = 1.0
    seconds = 0.0
    evaluator: Any
    if kind in ("univariate", "multivariate"):
        evaluator = SinglingOutEvaluator(original, release, n_cols=COMBINED, seed=seed, **common)
        fit, records, size = singling.fit_correction_term, len(evaluator._control), len(evaluator._ori)

        def fitted(df: Any, queries: Any) -> Any:
            """Its correction, and the same one of counts of the predicates that single out."""
            nonlocal used, mended, seconds
            model = fit(df=df, queries=queries)
            started = time.process_time()
            found = [
                (rows, len(singling._evaluate_queries_and_return_successful(df.sample(rows), queries)))
                for rows in numpy.linspace(min(1000, records), records, 10).astype(int)
                for _ in range(5)
            ]
            better = singling._fit_model(*(numpy.array(numbers) for numbers in zip(*found, strict=True)))
            used, mended = model(size) / model(records), better(size) / better(records)
            seconds = time.process_time() - started
            return model

        singling.fit_correction_term = fitted
        evaluator.evaluate(kind)
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
    measured = float(found.n_control) / used
    better = EvaluationResults(attacks, found.n_success, found.n_baseline, measured * mended)
    return {
        "attack": int(found.n_success),
        "naive": int(found.n_baseline),
        "measured": round(measured),
        "control": float(found.n_control),
        "risk": evaluator.risk().value,
        "mended": {
            "attack": better.attack_rate.value,
            "control": better.control_rate.value,
            "risk": better.risk().value,
        },
        "spent": seconds,
    }


def several(numbers: Sequence[float | None], form: str) -> str:
    """One number, or the mean and the standard deviation of several."""
    known = [number for number in numbers if number is not None]
    if not known:
        return "void"
    shown = format(mean(known), form)
    shown += f" (sd {format(stdev(known), form)})" if len(known) > 1 else ""
    return shown + (f", {len(numbers) - len(known)} void" if len(known) < len(numbers) else "")


def told(made: Sequence[Found]) -> str:
    if "attack" not in made[0]:
        return f"{made[0]['attacks']} attacks"
    shown = [
        f"{name} {several([one[name] for one in made], '.1f')}" for name in ("attack", "naive", "measured")
    ]
    shown += [f"control {several([one['control'] for one in made], '.1f')}"]
    return "  ".join([*shown, f"risk {several([one['risk'] for one in made], '.3f')}"])


def contained(mine: Sequence[Found], others: Sequence[Found]) -> None:
    """How many of our intervals contain the mean of the other estimates, and how many of these."""
    print(f"{'':12} mended     risk {several([one['mended']['risk'] for one in others], '.3f')}")
    for name in ("attack", "control", "risk"):
        estimates = [one["mended"][name] for one in others]
        intervals = [one["intervals"][name] for one in mine if one["intervals"][name]]
        pairs = [low <= estimate <= high for low, high in intervals for estimate in estimates]
        means = [low <= mean(estimates) <= high for low, high in intervals]
        print(
            f"{'':12} {name:10} {sum(means)} of {len(means)} intervals contain the mean estimate "
            f"{mean(estimates):.3f}; {sum(pairs)} of {len(pairs)} pairs of interval and estimate agree"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--attacks", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--keep", type=float, default=0.7)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--measure", nargs=3)
    given = parser.parse_args()
    if given.measure:
        whose, kind, seed = given.measure
        made = (ours if whose == "duckrisk" else theirs)(
            Path(given.sources[0]), kind, given.attacks, int(seed)
        )
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu, most = used.ru_utime + used.ru_stime - made.get("spent", 0), used.ru_maxrss / 1024
        print(json.dumps({"cpu": cpu, "mb": most, "made": made}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(given.sources[0], given.sources[1], folder, given.times, given.keep)
        for kind in given.kinds:
            both = {
                whose: measured(folder, kind, whose, given.attacks, given.seeds)
                for whose in (("duckrisk",) if given.ours or kind == "all" else ("duckrisk", "anonymeter"))
            }
            if all(both.values()) and len(both) == 2:
                contained(both["duckrisk"], both["anonymeter"])


def measured(folder: Path, kind: str, whose: str, attacks: int, seeds: int) -> list[Found]:
    """What is found with each seed; nothing where it cannot be measured."""
    made, walls = [], []
    for seed in range(seeds if kind != "all" else 1):
        command = [sys.executable, __file__, str(folder), "--measure", whose, kind, str(seed)]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--attacks", str(attacks)], capture_output=True, text=True, check=False
        )
        walls.append(time.perf_counter() - started)
        if done.returncode:
            print(f"{kind:12} {whose:10} not measured: {done.stderr.strip().splitlines()[-1]}", flush=True)
            return []
        made.append(json.loads(done.stdout.splitlines()[-1]))
    print(
        f"{kind:12} {whose:10} wall {min(walls):6.1f} s  cpu {min(one['cpu'] for one in made):6.1f} s  "
        f"{max(one['mb'] for one in made):5.0f} MB  {told([one['made'] for one in made])}", flush=True
    )  # fmt: skip
    return [one["made"] for one in made]


if __name__ == "__main__":
    main()
