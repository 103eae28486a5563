"""Gates in a pipeline: what docs/pipelines.md, the action, the hook and the Dockerfile say is tried."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
import types
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, command, table

#: A table whose people are alike, as the policy asks, and one whose people are alone.
SAFE = "SELECT 'x' || i % 2 AS town, 30 + i % 2 AS age FROM range(2000) t(i)"
UNSAFE = "SELECT 'x' || i % 50 AS town, i AS age FROM range(200) t(i)"
SETTINGS = 'user = ""\n[columns]\ntown = "quasi_identifier"\nage = "quasi_identifier"\n'
PAGE = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a release that keeps the policy."""
    (tmp_path / "release").mkdir()
    table(tmp_path / "release" / "visits.parquet", SAFE)
    (tmp_path / "duckrisk.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_unsafe(folder: Path) -> None:
    table(folder / "release" / "visits.parquet", UNSAFE)


def block(section: str, language: str) -> str:
    """The last block of a section of the page."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[-1]


def commands_of(text: str) -> list[list[str]]:
    """The commands of duckrisk in a block."""
    return [shlex.split(line)[1:] for line in re.findall(r"(?m)(?:- |run: )(duckrisk .*)$", text)]


@pytest.mark.parametrize("section", ["GitHub", "GitLab"])
def test_commands_of_the_page_are_gates(folder: Path, section: str) -> None:
    (words,) = commands_of(block(section, "yaml"))
    passed = command(*words)
    assert passed.code == 0, passed.err
    make_unsafe(folder)
    failed = command(*words)
    assert failed.code == 1, failed.err
    if section == "GitLab":
        suite = ElementTree.parse(folder / "duckrisk.xml").getroot()
        assert suite.findall(".//failure")
    else:
        assert "::error" in failed.out


def test_the_hook_is_a_gate(folder: Path) -> None:
    """Its words are those of the page; its own have no table, and say so in one sentence."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entry = re.search(r"(?m)^  entry: duckrisk (.*)$", hook)
    defaults = re.search(r"(?m)^  args: \[(.*)\]$", hook)
    given = re.search(r"(?m)^        args: \[(.*)\]$", block("Before a commit", "yaml"))
    assert entry
    assert defaults
    assert given
    words = [entry[1], *given[1].split(", ")]
    assert set(defaults[1].split(", ")) == {*words[2:]}
    assert command(*words).code == 0
    make_unsafe(folder)
    assert command(*words).code == 1
    alone = command(entry[1], *defaults[1].split(", "))
    assert alone.code == 2
    assert len(alone.err.splitlines()) == 1


# --- the action ------------------------------------------------------------------------------------


def step(name: str) -> str:
    """What a step of the action runs."""
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    found = re.search(rf"- name: {name}\n(?:      .*\n)*?      run: \|\n((?:        .*\n)+)", action)
    assert found
    return textwrap.dedent(found[1])


def run_step(folder: Path, options: str, source: str = "release/visits.parquet") -> tuple[int, str, str]:
    """Run the step that assesses; return its code, its outputs and what it said."""
    (folder / "runner").mkdir(exist_ok=True)
    outputs = folder / "outputs"
    outputs.write_text("")
    (folder / "runner" / "duckrisk.sarif").unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(folder / "runner"),
        "GITHUB_OUTPUT": str(outputs),
        "SOURCE": source,
        "POLICY": "public",
        "OPTIONS": options,
    }
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Assess")]  # as the runner does
    ended = subprocess.run(shell, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    return ended.returncode, outputs.read_text(), ended.stderr


@pytest.mark.slow
def test_the_action_is_a_gate_with_findings(folder: Path) -> None:
    code, outputs, said = run_step(folder, "--quick\n")
    assert (code, outputs) == (0, f"findings={folder / 'runner' / 'duckrisk.sarif'}\n"), said
    make_unsafe(folder)
    code, outputs, _ = run_step(folder, "--quick\n\n--user=\n")
    assert (code, outputs) == (1, f"findings={folder / 'runner' / 'duckrisk.sarif'}\n")
    assert '"ruleId"' in (folder / "runner" / "duckrisk.sarif").read_text()


@pytest.mark.slow
def test_the_action_runs_nothing_but_duckrisk(folder: Path) -> None:
    """What is given to it is words, whatever they hold."""
    for options in ("$(touch made)", "; touch made", "--user=`touch made`", ""):
        run_step(folder, options)
    code, outputs, said = run_step(folder, "--quick", "$(touch made).parquet")
    assert (code, outputs) == (3, "")
    assert "$(touch made).parquet" in said
    assert not (folder / "made").exists()


# --- in Python -------------------------------------------------------------------------------------


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """Put a module in the place of a large package."""
    for end in [at.start() for at in re.finditer(r"\.", name)] + [len(name)]:
        monkeypatch.setitem(sys.modules, name[:end], types.ModuleType(name[:end]))
    vars(sys.modules[name]).update(members)


def test_airflow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "airflow.providers.standard.operators.bash", BashOperator=types.SimpleNamespace)
    made: dict[str, Any] = {}
    exec(compile(block("Airflow", "py"), "airflow.py", "exec"), made)
    gate = made["gate"]
    line = gate.bash_command.replace("{{ params.table }}", gate.params["table"])
    words = shlex.split(line)[1:]
    assert command(*words).code == 0
    make_unsafe(folder)
    assert command(*words).code == 1


def test_dagster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asset_check(**options: Any) -> Callable[[Any], Any]:
        assert options == {"asset": "release", "blocking": True}
        return lambda function: function

    stand_in(monkeypatch, "dagster", asset_check=asset_check, AssetCheckResult=types.SimpleNamespace)
    made: dict[str, Any] = {"__name__": "checks"}
    exec(compile(block("Dagster", "py"), "checks.py", "exec"), made)
    assert made["may_it_go_out"]().passed is True
    make_unsafe(folder)
    result = made["may_it_go_out"]()
    assert result.passed is False
    assert "unique_people" in result.metadata["exceeded"]


def test_dagster_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fails ends the run: what is made of the asset is not made."""
    dagster = pytest.importorskip("dagster")
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    made: dict[str, Any] = {"__name__": "checks"}
    exec(compile(block("Dagster", "py"), "checks.py", "exec"), made)

    @dagster.asset
    def release() -> None: ...

    @dagster.asset(deps=[release])
    def published() -> None: ...

    def run() -> tuple[bool, int, Any]:
        with dagster.DagsterInstance.ephemeral() as instance:
            done = dagster.materialize(
                [release, published, made["may_it_go_out"]], instance=instance, raise_on_error=False
            )
        (checked,) = done.get_asset_check_evaluations()
        return done.success, len(done.asset_materializations_for_node("published")), checked

    passed, materialized, check = run()
    assert (passed, materialized, check.passed) == (True, 1, True)
    make_unsafe(folder)
    passed, materialized, check = run()
    assert (passed, materialized, check.passed) == (False, 0, False)
    assert "unique_people" in check.metadata["exceeded"].value


# --- the container ---------------------------------------------------------------------------------


def test_the_image_holds_what_the_package_is_made_of() -> None:
    """It copies all that the wheel takes, and what its metadata and its installation read."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {word for line in re.findall(r"(?m)^COPY (.*)$", text) for word in line.split()[:-1]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    read = {"pyproject.toml", "requirements.lock", "LICENSE", project["project"]["readme"]}
    needed = read.union(*(targets[name]["only-include"] for name in ("wheel", "sdist")))
    assert copied == needed
    assert all((ROOT / path).exists() for path in copied)
    assert re.search(r"(?m)^USER [1-9]\d+:[1-9]\d+$", text)


def test_it_runs_without_network_home_and_rights(folder: Path) -> None:
    """As the container does: no network, a user of no name, a source that it cannot write to."""
    words = ["unshare", "--net", "setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups"]
    can = shutil.which(words[0]) and subprocess.run([*words, sys.executable, "-c", ""], check=False)
    if not can or can.returncode:
        pytest.skip("the network and the rights of a program cannot be taken away here")
    for path in (folder, *folder.parents):
        path.chmod(path.stat().st_mode | 0o055)
        if path == Path("/tmp"):
            break
    words = ["unshare", "--net", "setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups"]
    ended = subprocess.run(
        [
            *words,
            str(Path(sys.executable).parent / "duckrisk"),
            "assess",
            "release/visits.parquet",
            "--quick",
        ],
        env={"PATH": "/usr/bin:/bin"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "✓" in ended.stdout
