"""Every script in tests/benchmarks runs once, on a tiny table: they are started by hand, and rarely."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from duckrisk import templates
from duckrisk.membership.records import CONTEST
from tests import pwscup_oracle as oracle
from tests.benchmarks import mutants
from tests.benchmarks.changes import Change
from tests.command import environment
from tests.tables import engine

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "benchmarks"
SCRIPTS = sorted(
    path.stem for path in FOLDER.glob("*.py") if "\nif __name__ ==" in path.read_text(encoding="utf-8")
)
#: The arguments of each, with which it ends soon, and what it prints then.
RUNS = {
    "anneal": [
        ("adult.parquet --members 60 --iterations 3", "genetic"),
        ("adult.parquet --members 100 --iterations 3 --natural", "density"),
    ],
    "anonymize": [(". --records 100 --runs 1 --only top", "top")],
    "assess_overhead": [("adult.parquet --runs 1", "--help")],
    "attribute_sets": [(". --cases adult9 --runs 1", "511 GROUP BYs")],
    "class_sizes": [("adult.parquet age sex --runs 1", "ratio of CPU")],
    "commands": [("--cases explain --data .", "explain")],
    "compare": [("adult.parquet --records 50 --runs 1", "U 0.")],
    "contest_score": [(". --runs 1", "all attacks")],
    "disclosure": [("adult.parquet --cases keys15 --scratch .", "bare")],
    "engines": [("retail.parquet --user CustomerID --times 1 --engines sail", "duckdb")],
    "generator": [
        ("adult.parquet adult.parquet --seeds 1 --draws 900 --population 200 --members 60", "as read"),
        (
            "adult.parquet adult.parquet --seeds 1 --draws 900 --population 200 --members 60 --program",
            "as read",
        ),
    ],
    "interval_coverage": [("retail.parquet CustomerID Quantity --draws 2", "Quantity")],
    "item_similarity": [("retail.parquet --runs 1 --times 2", "retail x2")],
    "k_anonymity": [("adult.parquet --k 3 --records 300 --algorithms mondrian", "peak of memory")],
    "large_history": [(". --records 500 --users 20 --memory 500MB --attributes quantity", "the same")],
    "membership_attacks": [
        ("adult.parquet --seeds 1 --candidates 1000 --attack distance --release copy", "copy"),
    ],
    "membership_risks": [
        ("adult.parquet adult.parquet --attacks 5 --ours --kinds linkability all", "attacks"),
    ],
    "mutants": [("map --draw 1 --only correlation_change --tests 1", "readable changes were noticed")],
    "nearest_records": [("adult.parquet --population 200 --kinds blocks pairs", "pairs")],
    "people": [("--every 40 --wrong", "held out")],
    "uniqueness": [("adult.parquet --attributes 4 --sizes 2 --draws 2", "bare statements")],
}
#: Columns of Adult that the contest lacks.
OTHERS = {
    "fnlwgt": "hash(i, 90) % 100000",
    "education-num": "hash(i, 2) % 16",
    "race": "'race ' || hash(i, 91) % 3",
    "capital-gain": "hash(i, 92) % 10 // 9 * 5000",
    "capital-loss": "hash(i, 93) % 10 // 9 * 1000",
    "native-country": "'country ' || hash(i, 94) % 4",
}
RETAIL = """
COPY (
    SELECT *, CustomerID || ' ' || CAST(InvoiceDate AS DATE) AS InvoiceNo, 'Japan' AS Country
    FROM '{}' WHERE CustomerID % 100 = 0
) TO '{}' (FORMAT parquet)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables like those that the scripts are about, with a few hundred records."""
    made = tmp_path_factory.mktemp("benchmarks")
    columns = dict(OTHERS)
    for place, (name, values) in enumerate(CONTEST.items()):
        low, high = values[0], values[-1]
        number = f"CAST({low} + hash(i, {place}) % ({high} - {low}) AS INTEGER)"
        text = f"list_extract({list(values)}, 1 + CAST(hash(i, {place}) % {len(values)} AS INTEGER))"
        columns[name] = text if isinstance(low, str) else number
    cells = ", ".join(f'{cell} AS "{name}"' for name, cell in columns.items())
    engine().execute(f"COPY (SELECT {cells} FROM range(400) AS r (i)) TO '{made / 'adult.parquet'}'")
    engine().execute(RETAIL.format(ROOT / "datasets" / "retail.parquet", made / "retail.parquet"))
    original, master = oracle.contest(3, customers=8)
    oracle.write(made / "T.csv", original)
    oracle.write(made / "M.csv", [(user, *cells) for user, cells in master.items()])
    oracle.write(made / "AT_sample.csv", oracle.submission(original, 1))
    for alpha in (25, 50, 75, 100):
        oracle.write(made / f"T{alpha}.csv", oracle.partial(original, alpha, 1))
    return made


def run(arguments: list[str], folder: Path, **variables: str) -> str:
    """Run Python in a folder, and return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment(PYTHONPATH=str(ROOT), TMPDIR=str(folder), **variables),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_script_has_a_run() -> None:
    assert len(SCRIPTS) > 15
    assert set(RUNS) == set(SCRIPTS), "tests/test_benchmarks.py needs arguments for each script"


def test_the_equal_changes_are_changes_of_the_sql() -> None:
    """Their names hold a place in a statement: whoever changes that statement looks at them again."""
    for name in mutants.read_equal_changes():
        assert mutants.named([name])


def test_a_change_that_cannot_be_parsed_does_not_count(request: pytest.FixtureRequest) -> None:
    """It would pass for one that a test noticed."""
    text = templates.template_of("profile").text
    mutant = mutants.Mutant("profile", Change(text.index("WITH"), text.index("WITH"), "{% if %}"))
    trials = mutants.Trials({}, iter(()), argparse.Namespace(seconds=1, tests=1))
    assert trials._forked(mutant, [request.node]).word == "broken"


def test_a_change_is_shown_with_its_statement() -> None:
    name = next(iter(mutants.read_equal_changes()))
    shown = mutants.named([name])[0].show().splitlines()
    assert shown[0].endswith(f": {name}")
    before, after = (line for line in shown[1:])
    assert (before[:6], after[:6], name.split(":")[2] in after) == ("    - ", "    + ", True)


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_runs(script: str, folder: Path) -> None:
    if script == "mutants":
        test = ROOT / "tests" / "comparison" / "test_steps_of_comparison.py"
        options = ["-n", "0", "-p", "no:cacheprovider", "-k", "correlation", str(test)]
        run(
            ["-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *options],
            folder,
            DUCKRISK_RECORD=str(folder / "map"),
        )
    for arguments, expected in RUNS[script]:
        said = run([str(FOLDER / f"{script}.py"), *arguments.split()], folder)
        assert expected in said
        assert "not measured" not in said
