"""CONTRIBUTING.md tells the truth: its recipes are applied to a copy of the checkout, and work there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.command import ROOT, environment

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Recipes\n")[1]
#: The title of a recipe, as in "a metric", and its text.
RECIPES = dict(re.findall(r"^## Adding (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
NAME = "value_entropy"
#: What a block is for is said in the line before it.
STEP = re.compile(
    r"^(?:A new file, `(?P<new>[^`\n]+)`"
    r"|In `(?P<path>[^`\n]+)`, after the line (?P<ticks>`+)(?P<line>.+?)(?P=ticks)):"
    r"\n\n```\w+\n(?P<block>.*?\n)```$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A row of the table of files: what is added, new and changed files of the product, and all others.
ROW = re.compile(r"^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
#: Tests that look at every metric, key, word, attack, format or limit, as far as they concern what is new.
EVERYWHERE = [
    "tests/test_templates.py",
    "tests/test_shell.py",
    "tests/test_metric_names.py",
    "tests/attribute/test_attribute_risk.py",
    "tests/test_progress.py",
    "tests/report/test_schema.py",
    "tests/report/test_words.py",
    "tests/test_attack_registries.py",
    "tests/pwscup/test_attacks.py",
    "tests/source/test_formats.py",
    "tests/source/test_access_logs.py",
    "tests/policy/test_policy.py",
    "tests/japanese/test_japanese_errors.py",
    "tests/japanese/test_japanese_explanations.py",
    "tests/japanese/test_japanese_help.py",
]
CONCERNED = (
    f"({NAME} and not threads) or keys_and_types_stay or test_words or progress_is_said or registered or "
    "families or test_access_logs or each_format or each_limit or limits_are or its_japanese or has_its_text"
)
#: The command is run in one process of the copy.
RUN = """
import json, sys
from tests.command import command, measured_once
with measured_once():
    print(json.dumps([vars(command(*given)) for given in json.loads(sys.argv[1])]))
"""


def python(folder: Path, *arguments: str) -> str:
    """What Python says in a copy, whose package comes before the installed one."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="", DUCKRISK_EXAMPLES="2"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def apply(step: re.Match[str], folder: Path) -> None:
    """Do with a block what the line before it says."""
    if step["new"] is not None:
        made = folder / step["new"]
        assert not made.exists(), made
        made.parent.mkdir(exist_ok=True)
        made.write_text(step["block"], encoding="utf-8")
        return
    file = folder / step["path"]
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = [at for at, line in enumerate(lines) if line.strip() == step["line"]]
    file.write_text("".join([*lines[: place + 1], step["block"], *lines[place + 1 :]]), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with all that the recipes add."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("duckrisk", "sql", "tests", "datasets"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.parquet"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for step in STEP.finditer(TEXT):
        apply(step, folder)
    for line in "".join(COMMANDS.findall(TEXT)).splitlines():
        program, *arguments = shlex.split(line)
        assert program == ".venv/bin/python"
        python(folder, *arguments)
    return folder


def test_every_block_is_applied_and_files_are_counted() -> None:
    rows = {title: tuple(map(int, counts)) for title, *counts in ROW.findall(TEXT)}
    assert rows.keys() == RECIPES.keys()
    for title, text in RECIPES.items():
        steps = list(STEP.finditer(text))
        assert len(steps) + len(COMMANDS.findall(text)) == len(re.findall(r"^```\w", text, re.MULTILINE))
        new = {step["new"] for step in steps} - {None}
        changed = {step["path"] for step in steps} - {None}
        for named in re.findall(r"`((?:duckrisk|sql|tests)/[^`\n]+)`", text):
            assert named in new or (ROOT / named).exists(), named
        product = {file for file in new | changed if not file.startswith("tests/") and "README" not in file}
        counts = (len(new & product), len(changed & product), len((new | changed) - product))
        assert rows[title] == counts, title


@pytest.mark.slow
def test_the_new_metric_is_told_everywhere(copy: Path) -> None:
    # Half of the records have Oslo, a quarter each the others: 1.5 bits. Four users: 2 bits.
    rows = ["who,city", "1,Oslo", "2,Oslo", "3,Rome", "4,Wien"]
    (copy / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assess = ["assess", "people.csv", "--user", "who", "--attribute", "city", "--only", "attribute_risk"]
    given = [
        ["explain", NAME],
        ["sql", "list"],
        ["sql", "show", NAME, "people.csv", "--user", "who", "--attribute", "city"],
        ["sql", "macros"],
        [*assess, "--full"],
        [*assess, "--format", "json"],
        [*assess, "--format", "html", "--lang", "ja"],
    ]
    done: list[dict[str, Any]] = json.loads(python(copy, "-c", RUN, json.dumps(given)))
    assert [one["code"] for one in done] == [0] * len(given), done
    explained, listed, shown, macros, text, data, page = (one["out"] for one in done)
    assert explained.startswith(f"{NAME}\n")
    assert "Shannon" in explained
    assert NAME in listed
    assert f"MACRO {NAME}(" in macros
    import duckdb

    (found,) = duckdb.execute(shown.replace("people.csv", str(copy / "people.csv"))).fetchall()
    assert found == (1.5, 2.0)
    assert re.search(r"What a value tells\n.*?city +1\.5 +2\.0\n", text, re.DOTALL)
    (entry,) = json.loads(data)["attribute_risk"]
    assert entry["entropy"] == {"value_bits": 1.5, "person_bits": 2.0}
    assert re.search(r"1つの値から得られる情報量<.*?>city<.*?>1\.5<.*?>2\.0<", page, re.DOTALL)
    of = (
        "from duckrisk.decision.assessment.results import Assessment; "
        "from duckrisk.report.schema import schema"
    )
    told = json.loads(python(copy, "-c", f"{of}; import json; print(json.dumps(schema(Assessment)))"))
    jsonschema.validate(json.loads(data), told)
    bits = told["$defs"]["ValueEntropy"]["properties"]["value_bits"]
    assert bits == {"description": "Bits: H(X).", "type": ["number", "null"], "minimum": 0}


@pytest.mark.slow
def test_what_the_other_recipes_add_is_there(copy: Path) -> None:
    rows = [
        "who,city,job",
        *(f"{n},{'Oslo' if n < 9 else 'Rome'},{'a' if n < 9 else 'b'}" for n in range(10)),
    ]
    (copy / "jobs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assess = ["assess", "jobs.csv", "--user", "who", "--policy", "shared", "--full"]
    given = [
        ["pwscup", "attack", "--help"],
        [*assess, "--only", "class_sizes"],
        [*assess, "--only", "class_sizes", "--lang", "ja"],
        ["explain", "policy"],
    ]
    done: list[dict[str, Any]] = json.loads(python(copy, "-c", RUN, json.dumps(given)))
    assert [one["code"] for one in done] == [0] * len(given), done
    attack, sizes, japanese, policies = (one["out"] for one in done)
    assert "vote-family" in re.sub(r"\s+", "", attack)
    assert re.search(r"Largest.*?\n.*?\b9\b", sizes, re.DOTALL)
    assert "最大" in japanese
    assert "single_value: Records whose value" in policies
    limited = (
        "import duckrisk, json; report = duckrisk.assess('jobs.csv', user='who', policy={'name': 'shared', "
        "'single_value': 0.05}); print(json.dumps([[f.name, f.value, f.limit, f.met] for f in "
        "report.verdict.findings])); print(report.to_text())"
    )
    found, text = python(copy, "-c", limited).split("\n", 1)
    # Of ten people one alone has Rome: a tenth of the records.
    assert ["single_value", 0.1, 0.05, False] in json.loads(found)
    assert re.search(r"single values +10\.0%", text)


@pytest.mark.slow
def test_the_tests_of_the_document_and_of_every_metric_pass(copy: Path) -> None:
    options = ["-n", "0", "-p", "no:cacheprovider", "-k", CONCERNED]
    said = python(copy, "-m", "pytest", *options, f"tests/attribute/test_{NAME}.py", *EVERYWHERE)
    assert int(re.findall(r"(\d+) passed", said)[0]) >= 40, said


def test_what_the_document_adds_is_as_tidy_as_the_rest(copy: Path) -> None:
    files = sorted({step["new"] or step["path"] for step in STEP.finditer(TEXT)})
    written = [file for file in files if file.endswith(".py")]
    for check in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        python(copy, "-m", "ruff", *check, *written)
