"""Class sizes and all their risks, against one GROUP BY of the quasi-identifier in the same DuckDB.

    python tests/benchmarks/class_sizes.py FILE COLUMN... [--runs 3] [--memory 4GB] [--threads 2]

FILE is a Parquet file. Every measurement is a process of its own; printed are the medians of CPU and wall
seconds beyond opening the file, the peak of memory in megabytes, and the ratio of the CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from typing import Any


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """One measurement, in this process."""
    from duckrisk import roles
    from duckrisk.base.options.disclosure import Options
    from duckrisk.engine.session import Resources, Session
    from duckrisk.engine.templates import Sql, render
    from duckrisk.measures.disclosure.class_sizes import measure as class_sizes
    from duckrisk.source import VIEW, Request, open_source

    with Session(Resources(memory=arguments.memory, threads=arguments.threads)) as session:
        source = open_source(session, Request(arguments.file))
        found = roles.infer(session, source, roles.RoleOverrides(user=""))
        started = (time.process_time(), time.perf_counter())
        if arguments.only == "group_by":
            columns = [source.column(name).binding for name in arguments.columns]
            sizes = Sql(f"({render('class_sizes', source=VIEW, columns=columns)})")
            row = session.fetch_row("reidentification_risk", sizes=sizes)
        else:
            options = Options(quasi_identifiers=tuple(arguments.columns), fraction=0.1)
            section, _ = class_sizes(session, source, found, options)
            row = vars(section.rules[0])
        used = (time.process_time() - started[0], time.perf_counter() - started[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu": used[0], "wall": used[1], "peak": peak, "classes": row["classes"], "alone": row["alone"]}


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("file")
    parser.add_argument("columns", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--memory", default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=("group_by", "class_sizes"))
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(json.dumps(measure(arguments)))
        return
    medians: dict[str, dict[str, Any]] = {}
    for name in ("group_by", "class_sizes"):
        runs = [
            json.loads(subprocess.check_output([sys.executable, *sys.argv, "--only", name]))
            for _ in range(arguments.runs)
        ]
        medians[name] = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        shown = ", ".join(f"{key} {value:,.2f}" for key, value in medians[name].items())
        print(f"{name}: {shown}")
    assert medians["group_by"]["classes"] == medians["class_sizes"]["classes"]
    print(f"ratio of CPU: {medians['class_sizes']['cpu'] / medians['group_by']['cpu']:.1f}")


if __name__ == "__main__":
    main()
