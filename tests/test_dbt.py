"""The tests of integrations/dbt_duckrisk, run by dbt itself: what passes, what fails, and what it says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from duckrisk.decision import shell
from tests.cases import Cases
from tests.command import ROOT, environment

pytest.importorskip("dbt.adapters.duckdb")

PACKAGE = ROOT / "integrations" / "dbt_duckrisk"
#: Models with names that break programs, one that stands in no database, and one without records.
MODELS = {
    "hostile": """{{ config(materialized="table", alias="a'b; --", schema="my schema") }}
SELECT area AS "the 'area", sex AS "s, e", illness FROM {{ ref("published") }}""",
    "fleeting": '{{ config(materialized="ephemeral") }} SELECT * FROM {{ ref("published") }}',
    "nothing": 'SELECT * FROM {{ ref("published") }} WHERE FALSE',
    "nobody": 'SELECT *, CAST(NULL AS INTEGER) AS person FROM {{ ref("published") }}',
}
#: Tests by model and name, with their arguments and, after a bar, their settings.
TESTS = """
hostile passes        k_anonymity   {k: 6, quasi_identifiers: ["the 'area", "s, e"]}
hostile names         k_anonymity   {k: 7, quasi_identifiers: ["the 'area", "S, E"]}
hostile diverse       l_diversity   {l: 4, quasi_identifiers: "s, e", sensitive: [illness]}
hostile chosen        limits_kept   {policy: public, sensitive: [illness]} | {where: "illness = 'flu'"}
hostile stored        singled_out   {max_share: -1, columns: ["s, e"], known: 1} | {store_failures: true}
hostile warns         singled_out   {max_share: -2, columns: ["s, e"]} | {severity: warn}
hostile policy        limits_kept   {policy: open}
hostile column        k_anonymity   {k: 5, quasi_identifiers: [zap]}
hostile sensitive     l_diversity   {l: 2, quasi_identifiers: illness, sensitive: zap}
hostile user          singled_out   {max_share: 0, columns: illness, user: zap}
hostile examined      no_direct_identifiers   {columns: [illness, zap]}
hostile number        k_anonymity   {k: five, quasi_identifiers: illness}
hostile columns       k_anonymity   {k: 5, quasi_identifiers: []}
hostile none          limits_kept   {policy: public, quasi_identifiers: []}
fleeting ephemeral    k_anonymity   {k: 5, quasi_identifiers: [sex]}
nothing records       k_anonymity   {k: 5, quasi_identifiers: [sex]}
nobody person         k_anonymity   {k: 5, quasi_identifiers: [sex], user: person}
"""
#: What each of them prints: a failure, or an error.
SAID = {
    "names": "hostile: k is 6, below 7: 24 of 24 records share the 'area, S, E with fewer than 6 others.",
    "diverse": "hostile: l of illness is 3, below 4: 0 of 2 classes that agree on s, e have one value for "
    "all their 0 records.",
    "chosen": "hostile: smallest_class of the policy public is exceeded: 2, at least 11. Looked at: all "
    "columns but illness.",
    "stored": "hostile: 0 people are singled out by s, e: a share of 0, at most -1.",
    "policy": 'There is no policy "open": public, shared or internal.',
    "column": 'duckrisk: hostile has no column "zap", but the \'area, s, e, illness.',
    "number": "duckrisk: k has to be a number.",
    "columns": "duckrisk: quasi_identifiers has to name a column.",
    "none": "Name at least one column; NULL stands for all.",
    "ephemeral": "duckrisk: fleeting is ephemeral, and in no database: materialize it as a view or a table.",
    "records": "duckrisk: nothing has no records, so there is nothing to measure.",
    "person": "duckrisk: no record of nobody has a person in person.",
}
SAID.update(dict.fromkeys(("sensitive", "user", "examined"), SAID["column"]))


def run_dbt(folder: Path, *words: str) -> tuple[int, str]:
    """Run dbt in a project; return its code and what it prints."""
    program = Path(sys.executable).with_name("dbt")
    done = subprocess.run(
        [str(program), "--no-use-colors", *words],
        cwd=folder,
        env=environment(DO_NOT_TRACK="1", DBT_PROFILES_DIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, leave_out_times(done.stdout + done.stderr)


def leave_out_times(printed: str) -> str:
    """What dbt prints without times and without numbers of nodes, whose order the clock decides."""
    return re.sub(r"(?m)^(\d\d:\d\d:\d\d {1,2})?(\d+ of \d+ )?| in \d+\.\d\ds\b", "", printed)


def outcomes(folder: Path) -> dict[str, tuple[str, str]]:
    """What became of the tests of the last run, and the message of dbt, by name."""
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {
        each["unique_id"].split(".")[2]: (each["status"], each["message"] or "")
        for each in results
        if each["unique_id"].startswith("test.")
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example next to the database of the macros, with the package as dbt installs it."""
    copied = tmp_path_factory.mktemp("dbt") / "dbt_duckrisk"
    kept = shutil.ignore_patterns("target", "logs", "dbt_packages", "*.duckdb")
    shutil.copytree(PACKAGE, copied, ignore=kept)
    folder = copied / "example"
    shell.write_database(folder / "duckrisk.duckdb")
    code, printed = run_dbt(folder, "deps")
    assert code == 0, printed
    return folder


@pytest.fixture(scope="module")
def built(project: Path) -> tuple[int, str]:
    return run_dbt(project, "build")


def test_the_example_fails_where_it_should(project: Path, built: tuple[int, str]) -> None:
    """24 patients are all alone with zip, sex and year of birth; published they are four classes of six."""
    code, printed = built
    assert code == 1, printed
    found = outcomes(project)
    statuses = {
        (kind, model): status
        for name, (status, _) in found.items()
        for kind, model in re.findall(r"dbt_duckrisk_(\w+?)_(registered|published)_", name)
    }
    kinds = {path.stem for path in (PACKAGE / "macros").glob("*.sql")} - {"measuring"}
    assert statuses == {
        (kind, model): "fail" if model == "registered" else "pass"
        for kind in kinds
        for model in ("registered", "published")
    }


def test_the_readme_shows_what_dbt_prints(built: tuple[int, str]) -> None:
    """And nothing that is printed holds a value of a record."""
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    lines = leave_out_times(shown).splitlines()
    assert [line for line in lines if line != "…" and line not in built[1].splitlines()] == []
    assert {"registered: mail: 24 of 24 values are of the kind e-mail address."} < {*lines}
    patients = (PACKAGE / "example" / "seeds" / "patients.csv").read_text().splitlines()[1:]
    cells = {cell for line in patients for cell in line.split(",")}
    values = {cell for cell in cells if len(cell) > 3 and not re.search(rf"\b{cell}\b", text)}
    assert len(values) > 40
    assert not [value for value in values if value in built[1]]


def test_names_and_mistakes(project: Path) -> None:
    """Each mistake is one sentence; names of any kind, views, chosen records and other settings work."""
    for name, text in MODELS.items():
        (project / "models" / f"{name}.sql").write_text(text)
    written = ["models:"]
    for line in TESTS.strip().splitlines():
        model, name, kind, rest = line.split(None, 3)
        arguments, _, settings = rest.partition(" | ")
        settings = settings or "{}"
        test = f"dbt_duckrisk.{kind}: {{name: {name}, arguments: {arguments}, config: {settings}}}"
        if f"  - name: {model}" not in written:
            written += [f"  - name: {model}", "    data_tests:"]
        written.append(f"      - {test}")
    written += ["    columns:", "      - {name: sex, data_tests: [dbt_duckrisk.no_direct_identifiers]}"]
    (project / "models" / "more.yml").write_text("\n".join(written))
    code, printed = run_dbt(project, "build", "--threads", "4", "--select", "published+")
    assert code == 1, printed
    found = outcomes(project)
    assert {name for name, (status, _) in found.items() if status == "pass"} >= {
        "passes",
        "dbt_duckrisk_no_direct_identifiers_nobody_sex",
    }
    failing = {name for name, (status, _) in found.items() if status == "fail"}
    assert failing == {"names", "diverse", "chosen", "stored"}
    assert found["warns"][0] == "warn"
    assert {name for name, (status, _) in found.items() if status == "error"} == {*SAID} - failing
    with Cases() as case:
        for name, sentence in SAID.items():
            with case(name):
                place = printed if name in failing else found[name][1]
                assert place.count(sentence) == 1


def test_without_the_macros_a_sentence_says_what_to_do(project: Path, built: tuple[int, str]) -> None:
    profiles = project / "profiles.yml"
    text = profiles.read_text()
    profiles.write_text(text[: text.index("      attach:")])
    try:
        _, printed = run_dbt(project, "test", "--select", "published,test_name:k_anonymity")
    finally:
        profiles.write_text(text)
    assert "duckrisk: attach duckrisk.duckdb under the alias duckrisk in profiles.yml." in printed


def test_what_is_compiled_can_be_read_and_run(project: Path, built: tuple[int, str]) -> None:
    """Nothing is measured then, and the statement is the call of a macro."""
    code, printed = run_dbt(project, "compile", "--select", "registered")
    assert code == 0, printed
    assert "registered: " not in printed
    compiled = project / "target" / "compiled" / "example" / "models" / "models.yml"
    (path,) = compiled.glob("dbt_duckrisk_k_anonymity_registered_*.sql")
    assert (
        "duckrisk.class_sizes('\"example\".\"main\".\"registered\"', ['zip', 'sex', 'born'])"
        in path.read_text()
    )
