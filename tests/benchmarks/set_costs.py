"""Turn each threshold of the searches among attribute sets off, and print what that costs.

    python tests/benchmarks/set_costs.py adult.parquet diabetes130.parquet [--runs 3] [--only NEAR_SHARE ...]

Every run is a process of its own, start-up included; runs are interleaved, and the least CPU seconds of each
count. A ratio above 1 is what a threshold saves. No threshold may change a figure of a complete search:
the script fails if one does.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from typing import Any

#: The value of each threshold that takes its way out of the search.
OFF: dict[str, Any] = {
    "SEPARATE": 10**12,
    "KEY_BITS": 0,
    "BATCH_PAIRS": 1,
    "SETS_AT_ONCE": 1,
    "WITNESS_SHARE": 0,
    "WITNESS_SHARE_OF_LARGE": 0,
    "WITNESS_SHARE_OF_CLOSURES": 0,
    "NEAR_SHARE": 0,
    "MOST_PATTERNS": 0,
    "LISTED_ATTRIBUTES": 0,
    "OPEN_PAIRS": 0,
    "REQUIRED_SHARE": 0,
    "LOW_SHARE": 0,
    "AGREEMENT_PAIRS": 0,
    "ANSWERED_SHARE": 2,
}
CHILD = """
import json, sys
from duckrisk.measures.sets import costs
for name, value in json.loads(sys.argv.pop(1)).items():
    vars(costs)[name] = value
from duckrisk.__main__ import main
sys.argv[0] = "duckrisk"
main()
"""


def measure(path: str, changed: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Return the CPU seconds of a search with some thresholds changed, and its section."""
    options = ["assess", path, "--only", "identifiability", "--threads", "1", "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(changed), *options],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout)["identifiability"]


def list_figures(section: dict[str, Any]) -> list[Any]:
    """List the figures that no threshold may change; none of a search that a limit ended."""
    units = [section, section["users"] or section]
    if not all(unit["complete"] for unit in units):
        return []
    return [[unit[key] for key in ("singled_out", "total_ease", "total_value")] for unit in units]


def main() -> None:
    """Measure the tables that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=OFF, default=list(OFF))
    arguments = parser.parse_args()
    equal = True
    for path in arguments.tables:
        ways: list[str | None] = [None, *arguments.only]
        seconds: dict[str | None, float] = dict.fromkeys(ways, float("inf"))
        figures: dict[str | None, list[Any]] = {}
        for _ in range(arguments.runs):
            for way in ways:
                spent, section = measure(path, {way: OFF[way]} if way is not None else {})
                seconds[way], figures[way] = min(seconds[way], spent), list_figures(section)
        print(f"{os.path.basename(path)}: {seconds[None]:.2f} CPU s")
        for way in arguments.only:
            same = not figures[way] or figures[way] == figures[None]
            equal = equal and same
            print(f"  {way:28} {seconds[way] / seconds[None]:5.2f}{'' if same else '  OTHER FIGURES'}")
    if not equal:
        sys.exit("a threshold changes figures")
    print("figures equal")


if __name__ == "__main__":
    main()
