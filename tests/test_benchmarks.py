"""Every script in tests/benchmarks runs once, on a tiny table: they are started by hand, and rarely."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.contests.membership.records import CONTEST
from duckrisk.contests.membership.synthesis.search import Search
from duckrisk.engine import templates
from tests import pwscup_oracle as oracle
from tests.benchmarks import mutants
from tests.benchmarks.changes import Change, changes
from tests.command import environment
from tests.forked import forking
from tests.tables import COMMANDS_FROM, engine, thinned

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
    "assess_overhead": [("few.parquet --runs 1", "--help")],
    "attribute_sets": [(". --cases adult9 --runs 1", "511 GROUP BYs")],
    "class_sizes": [("adult.parquet age sex --runs 1", "ratio of CPU")],
    "commands": [("--cases explain --data .", "explain")],
    "compare": [("adult.parquet --records 50 --runs 1", "U 0.")],
    "contest_score": [(". --runs 1 --submissions 1", "all attacks")],
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
    "k_anonymity": [("adult.parquet --k 5 --records 100", "peak of memory")],
    "large_history": [(". --records 500 --users 20 --memory 500MB --attributes quantity", "the same")],
    "membership_attacks": [
        ("adult.parquet --seeds 1 --candidates 1000 --attack distance --release copy", "copy"),
    ],
    "membership_risks": [
        ("adult.parquet adult.parquet --attacks 5 --ours --kinds linkability all", "attacks"),
    ],
    "mutants": [("map --draw 1 --only correlation_change --tests 1", "readable changes were noticed")],
    "nearest_records": [("adult.parquet --population 200 --kinds blocks pairs", "pairs")],
    "peers": [("adult.parquet retail.parquet --runs 1 --population 200", "all answers are the same")],
    "page_steps": [(". --records 800", "birth_date month")],
    "people": [("--every 40 --wrong", "held out")],
    "set_costs": [("adult.parquet --runs 1 --only NEAR_SHARE KEY_BITS", "figures equal")],
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
    few = f"SELECT age, sex, income FROM '{made / 'adult.parquet'}' LIMIT 40"
    engine().execute(f"COPY ({few}) TO '{made / 'few.parquet'}'")
    engine().execute(RETAIL.format(ROOT / "datasets" / "retail.parquet", made / "retail.parquet"))
    original, master = oracle.contest(3, customers=8)
    oracle.write(made / "T.csv", original)
    oracle.write(made / "M.csv", [(user, *cells) for user, cells in master.items()])
    oracle.write(made / "AT_sample.csv", oracle.submission(original, 1))
    for alpha in (25, 50, 75, 100):
        oracle.write(made / f"T{alpha}.csv", oracle.partial(original, alpha, 1))
    return made


def run(script: str, arguments: list[str], folder: Path) -> str:
    """Run a script in this process, in a folder, and return what it printed; its own processes are copies."""
    said = io.StringIO()
    path = FOLDER / f"{script}.py"
    drawn, environ = Search.draw_fresh, environment(PYTHONPATH=str(ROOT), TMPDIR=str(folder))
    with (
        mock.patch.object(sys, "argv", [str(path), *arguments]),
        mock.patch.object(sys, "path", [str(FOLDER), *sys.path]),
        mock.patch.object(Search, "draw_fresh", drawn),  # one script watches it, and puts it back nowhere
        mock.patch.dict(os.environ, environ),
        contextlib.chdir(folder),
        forking(),
        contextlib.redirect_stdout(said),
    ):
        runpy.run_path(str(path), run_name="__main__")
    return said.getvalue()


def run_process(arguments: list[str], folder: Path, **variables: str) -> str:
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
    assert mutants.read_equal_changes() <= mutants.every_mutant().keys()


def test_a_change_that_cannot_be_parsed_does_not_count(request: pytest.FixtureRequest) -> None:
    """It would pass for one that a test noticed."""
    text = templates.template_of("profile").text
    mutant = mutants.Mutant("profile", Change(text.index("WITH"), text.index("WITH"), "{% if %}"))
    trials = mutants.Trials({}, [], argparse.Namespace(seconds=1, tests=1, wait=60))
    assert trials._forked(mutant, [(request.node, 1)]).word == "broken"


def test_a_change_reaches_a_statement_that_was_rendered_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import of tests renders some, and what is compiled then must not outlive the change."""
    monkeypatch.setattr(templates, "template_of", templates.template_of)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = templates.render("reidentification_risk", sizes="s")
    text = templates.template_of("reidentification_risk").text
    place = text.index("WHERE records > 0") + len("WHERE records ")
    mutants.put_in(mutants.Mutant("reidentification_risk", Change(place, place + 1, "<")))
    try:
        after = templates.render("reidentification_risk", sizes="s")
    finally:
        templates.environment.cache_clear()
    assert after == before.replace("records > 0", "records < 0")


def test_the_trial_goes_on_behind_a_test_that_fails_unchanged(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What passed before it is not run again, and what it took counts; later it is not run at all."""
    mutant = min(mutants.every_mutant().items())[1]
    known = mutants.Known(0.5, frozenset([mutant.statement]))
    trials = mutants.Trials(dict.fromkeys("abc", known), [], argparse.Namespace())
    began = []

    def fork(changed: Any, runs: list[Any], first: int = 0, spent: float = 0.0) -> mutants.Outcome:
        began.append((changed is mutant, [item.nodeid for item, _ in runs], first, spent))
        if changed is None or first == 2 or len(runs) == 2:
            return mutants.Outcome("survived" if changed is None else "killed", "c", 1, 3, 9.0)
        return mutants.Outcome("killed", "b", 1, 2, 7.0)

    monkeypatch.setattr(trials, "_forked", fork)
    monkeypatch.setattr(trials, "_is_sound", lambda run, _: trials._sound.setdefault(run, run[0] != "b"))
    items = {name: argparse.Namespace(nodeid=name, obj=None) for name in "abc"}
    assert trials._attempt(mutant, items).test == "c"
    assert began == [(True, ["a", "b", "c"], 0, 0.0), (True, ["a", "b", "c"], 2, 7.0)]
    assert trials._attempt(mutant, items).test == "c"
    assert sorted(began[2][1]) == ["a", "c"]


def test_the_or_of_a_statement_is_no_condition() -> None:
    """Whatever stands there instead, no engine can read it."""
    assert changes("CREATE OR REPLACE TEMP TABLE made AS SELECT 1 FROM t") == []


def test_a_tolerance_is_not_changed() -> None:
    """It lies between rounding and what counts: only the comparison with it is turned round."""
    text = "SELECT x > 1e-12, y <= 3e-4 * n, z > 12 FROM t"
    assert [[change.after for change in place] for place in changes(text)] == [
        *(["<"], [">="], ["/"], [">=", "<"], ["13", "(11)"])
    ]


def test_tests_of_the_text_itself_notice_nothing(folder: Path) -> None:
    """They would notice every change, whatever it does."""
    known = mutants.Known(0.5, frozenset(["suda"]))
    tests = {f"tests/{name}::test_text": known for name in mutants.LEFT_OUT}
    mutants.write_map(folder / "of_text", tests | {"tests/disclosure/test_suda.py::test_adult": known})
    assert mutants.read_map(folder / "of_text") == {"tests/disclosure/test_suda.py::test_adult": known}


DRAWN: list[int] = []


@settings(max_examples=2, database=None)
@given(st.integers())
def test_with_examples(number: int) -> None:
    DRAWN.append(number)


def test_properties_draw_more_examples_in_the_second_round(request: pytest.FixtureRequest) -> None:
    item = argparse.Namespace(obj=test_with_examples)
    counts = []
    for times in (1, 30, 1):
        DRAWN.clear()
        with mutants.drawing(item, times):
            test_with_examples()
        counts.append(len(DRAWN))
    assert (counts[0], counts[2]) == (2, 2)
    assert 10 < counts[1] <= 60
    assert mutants.is_property(item)
    assert not mutants.is_property(request.node)


def test_a_process_that_gets_no_time_is_not_late() -> None:
    """Only who uses up the CPU time has a statement that does not end."""
    for seconds, ended in ((0, True), (60, False)):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            os.close(reading)
            os.write(writing, b"begun")
            time.sleep(seconds)
            os._exit(0)
        os.close(writing)
        assert mutants._read(reading, child, 1) == ("begun", ended)
        os.waitpid(child, 0)


def test_a_change_is_shown_with_its_statement() -> None:
    name, mutant = min(mutants.every_mutant().items())
    shown = mutant.show().splitlines()
    assert shown[0].endswith(f": {name}")
    before, after = (line for line in shown[1:])
    assert (before[:6], after[:6], name.split(":")[2] in after) == ("    - ", "    + ", True)


@pytest.mark.slow
@pytest.mark.parametrize("script", thinned(sorted({*SCRIPTS} - {"mutants"}), 8, all_from=COMMANDS_FROM))
def test_script_runs(script: str, folder: Path) -> None:
    for arguments, expected in thinned(RUNS[script]):
        said = run(script, arguments.split(), folder)
        assert expected in said
        assert "not measured" not in said


def test_a_peer_with_another_answer_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer may lack a part of ours and differ by rounding, and in nothing else."""
    monkeypatch.syspath_prepend(str(FOLDER))
    peers = importlib.import_module("peers")
    ours = {"k": 2, "risk": 0.3, "keys": [["a"], ["b"]]}
    for theirs, same in [
        ({"risk": 0.3 * (1 + 1e-12)}, True),
        ({"k": 2, "keys": [["a"], ["b"]]}, True),
        ({"risk": 0.3 * (1 + 1e-6)}, False),
        ({"keys": [["a"]]}, False),
        ({"l": 2}, False),
        (None, False),
    ]:
        answers = {"duckrisk": ours, "duckdb": theirs}
        monkeypatch.setattr(peers, "measure", lambda job, way, _, answers=answers: (1.0, answers.get(way)))
        assert peers.compare("keys", ["duckrisk", "duckdb"], folder, 1) == same, theirs
    arguments = [str(folder / "adult.parquet"), str(folder / "retail.parquet"), "--jobs", "keys"]
    monkeypatch.setattr(sys, "argv", ["peers.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        peers.main()
    said = capsys.readouterr().out
    assert stopped.value.code == 1
    assert ("ANOTHER ANSWER" in said, "some answers differ" in said, "duckdb " in said) == (True, True, True)


@pytest.mark.slow
def test_the_mutants_run(folder: Path) -> None:
    """They run tests, in processes of their own."""
    test = ROOT / "tests" / "comparison" / "test_steps_of_comparison.py"
    options = ["-n", "0", "-p", "no:cacheprovider", "-k", "correlation", str(test)]
    recorded = str(folder / "map")
    run_process(
        ["-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *options], folder, DUCKRISK_RECORD=recorded
    )
    ((arguments, expected),) = RUNS["mutants"]
    assert expected in run_process([str(FOLDER / "mutants.py"), *arguments.split()], folder)
