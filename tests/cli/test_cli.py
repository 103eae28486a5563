"""The command: start-up, exit codes, streams, formats; and the Python entry that mirrors it."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.api import listing
from duckrisk.base.shapes import keys_of, shapes_of
from duckrisk.cli.assess import assess
from duckrisk.cli.explain import explain
from duckrisk.cli.output import SUFFIXES
from duckrisk.engine import templates
from duckrisk.engine.meanings import statements_of
from duckrisk.report.explaining.terms import TERMS
from duckrisk.report.registry import report_kinds
from tests.cases import Cases
from tests.command import FEW, HISTORY, command, environment, measured_once, refused, started, table
from tests.tables import EXAMPLES, thinned


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def history(here: Path) -> Path:
    return table(here / "history.parquet", HISTORY)


# --- start-up ------------------------------------------------------------------------------------


def imported(here: Path, *commands: str) -> list[set[str]]:
    """The modules that a fresh Python has imported after each of some commands."""
    code = (
        "import sys; from duckrisk import cli\n"
        "for line in sys.argv[1:]:\n"
        "    sys.argv = ['duckrisk', *line.split()]\n"
        "    try: cli.main()\n"
        "    except SystemExit as done: assert not done.code, line\n"
        "    print(*sys.modules, file=open('modules', 'a'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *commands],
        cwd=here,
        env=environment(),
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in (here / "modules").read_text().splitlines()]


def test_help_is_light(here: Path) -> None:
    *_, found = imported(here, "--help", "assess --help", "sql --help", "--version")
    heavy = {
        "duckdb",
        "_duckdb",
        "jinja2",
        "pandas",
        "numpy",
        "pyarrow",
        "rich.table",
        "duckrisk.engine.session",
    }
    assert not found & heavy


@pytest.mark.slow
def test_no_command_imports_pandas(here: Path, history: Path) -> None:
    """Nor do texts of the command line need a library that checks them."""
    few = " ".join(FEW)
    commands = [
        "assess history.parquet --only attribute_risk -q",
        "explain",
        "init history.parquet",
        "sql show attribute_risk history.parquet",
        f"assess history.parquet --format json {few}",
        f"assess history.parquet -o report.html {few}",
        "assess history.parquet",
    ]
    if not duckdb.__version__.startswith("1."):  # that engine looks for pandas itself when values are bound
        commands.append(f"assess history.parquet -o report.parquet {few}")
    first, *_, found = imported(here, *commands)
    assert "duckdb" in first
    assert not any(name.partition(".")[0] in ("pydantic", "pydantic_core") for name in first)
    assert not found & {"pandas", "pyarrow", "polars"}


def test_the_module_and_its_exit_codes(here: Path, history: Path) -> None:
    gate = ["--fail-on", "source.users > 1"]
    with started("assess", "history.parquet", *gate, *FEW, "--format", "json", cwd=here) as done:
        out, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (1, b"The gate FAILED. source.users > 1\n")
    assert json.loads(out)["gates"][0]["passed"] is False


# --- streams -------------------------------------------------------------------------------------


def test_nothing_but_the_result_on_standard_output(history: Path) -> None:
    with measured_once():
        result = command("assess", history, "--format", "json", *FEW)
        quiet = command("assess", history, "-o", "report.json", *FEW)
    assert (result.code, result.err) == (0, "")
    assert result.out == json.dumps(result.json, indent=2, ensure_ascii=False) + "\n"
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert Path("report.json").read_text(encoding="utf-8") == result.out


@pytest.mark.parametrize(
    ("encoding", "form"), thinned(itertools.product(["ascii", "cp932"], ["json", "table"]), 3)
)
def test_json_is_utf8_whatever_the_console(here: Path, encoding: str, form: str) -> None:
    table(
        here / "names.parquet", "SELECT i % 9 AS 顧客番号, i % 5 AS 'né 👩', i % 3 AS b FROM range(90) t(i)"
    )
    quick = ["--known-records", "0", "--samples", "0", "--only", "attribute_risk"]
    asked = ["assess", "names.parquet", "--format", form, *quick]
    with started(*asked, cwd=here, PYTHONIOENCODING=encoding) as done:
        out, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (0, b"")
    if form == "json":
        names = [column["name"] for column in json.loads(out.decode("utf-8"))["source"]["columns"]]
        assert names == ["顧客番号", "né 👩", "b"]


@pytest.mark.parametrize(
    "arguments",
    thinned(
        [
            ["assess", "history.parquet", "--format", "html", *FEW],
            ["assess", "history.parquet", *FEW],
            ["sql", "macros"],
            ["explain"],
        ]
    ),
)
def test_a_closed_pipe_is_no_error(here: Path, history: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "duckrisk", *arguments],
        cwd=here,
        env=environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_pipe_hides_no_failed_gate(here: Path, history: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "duckrisk",
            "assess",
            "history.parquet",
            "--fail-on",
            "source.users > 1",
            *FEW,
        ],
        cwd=here,
        env=environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_message_cannot_steer_a_terminal(here: Path) -> None:
    name = "a\x1b[31m\nb\u202e.csv"
    result = command("assess", name)
    assert result.code == 3
    assert "\x1b" not in result.err
    assert "\u202e" not in result.err
    assert result.err.count("\n") == 1


def test_standard_input(history: Path) -> None:
    with duckdb.connect() as made:
        made.execute(f"COPY (FROM '{history}') TO 'history.csv' (HEADER)")
    text = Path("history.csv").read_bytes()
    only = ["--only", "attribute_risk", "--known-records", "0", "--format", "json"]
    piped = command("assess", "-", *only, stdin=text)
    assert piped.code == 0, piped.err
    assert piped.json["attribute_risk"] == command("assess", "history.csv", *only).json["attribute_risk"]
    assert command("assess", "-", stdin=b"").code == 3


# --- formats -------------------------------------------------------------------------------------


#: How each kind of file begins, by its name.
OPENINGS = {
    "r.json": b"{",
    "r.JSON": b"{",
    "r.md": b"#",
    "r.markdown": b"#",
    "r.html": b"<!DOCTYPE html>",
    "r.htm": b"<!DOCTYPE html>",
    "r.csv": b"attribute,records",
    "r.parquet": b"PAR1",
    "r.txt": b"Re-identification risk of history",
}


def test_the_suffix_says_the_format(history: Path) -> None:
    with measured_once():
        for name, opening in OPENINGS.items():
            assert command("assess", history, "-o", name, *FEW).code == 0
            assert Path(name).read_bytes().startswith(opening), name


def test_the_format_wins_over_the_suffix(history: Path) -> None:
    assert command("assess", history, "-o", "r.html", "--format", "json", *FEW).code == 0
    assert Path("r.html").read_bytes().startswith(b"{")
    every = {ending for endings in SUFFIXES.values() for ending in endings}
    assert len(every) == sum(map(len, SUFFIXES.values()))


def test_junit_and_gates(history: Path) -> None:
    gates = ["--fail-on", "source.users > 1", "--fail-on", "source.users > 1000"]
    result = command("assess", history, "--junit", "gates.xml", "-o", "r.json", *gates, *FEW)
    assert result.code == 1
    root = ElementTree.parse("gates.xml").getroot()
    assert len(list(root.iter("testcase"))) == 3
    assert len(list(root.iter("failure"))) == 1
    assert [gate["passed"] for gate in json.loads(Path("r.json").read_text())["gates"]] == [False, True]


# --- the other commands --------------------------------------------------------------------------


@contextmanager
def source_opened_once() -> Iterator[None]:
    """Statements for the same source, each for another metric, look at it once."""

    def once(real: Callable[..., Any]) -> Callable[..., Any]:
        found: list[Any] = []
        return lambda *given, **named: (
            found[0] if found else (found.append(real(*given, **named)) or found[0])
        )

    with (
        mock.patch.object(listing, "open_sources", once(listing.open_sources)),
        mock.patch.object(listing, "infer", once(listing.infer)),
    ):
        yield


@pytest.mark.slow
def test_the_other_commands(history: Path) -> None:
    assert command("--version").out == f"duckrisk {duckrisk.__version__}\n"
    listed = command("sql", "list").out
    topics = dict(re.findall(r"^(\w+, \w+):\n((?:  .*\n)+)", listed, re.MULTILINE))
    lines = "".join(of for topic, of in topics.items() if "metrics" in topic).splitlines()
    names = [line.split()[0] for line in lines if re.match(r"  \S", line)]
    assert sorted(names) == sorted(templates.metrics())
    assert "attribute_risk" in topics["attribute, metrics"]
    with source_opened_once():
        for name in {*thinned(names), "correlation_change"}:
            shown = command("sql", "show", name, history)
            if name == "correlation_change":  # this history has one column of numbers
                assert (shown.code, "two columns of numbers" in shown.err) == (2, True)
            else:
                assert shown.code == 0, (name, shown.err)
    for name in names:
        told = command("explain", name)
        assert (told.code, told.out.splitlines()[0]) == (0, name)
    placeholders = command("sql", "show", "reidentification_rates", history).out
    assert '-- "guess" stands for' in placeholders
    assert '-- "12" stands for number of periods' in placeholders
    assert command("sql", "macros").out.startswith("--")
    assert command("explain").out == listed
    for arguments in (["explain", "attribute_rsk"], ["sql", "show", "attribute_rsk", history]):
        done = command(*arguments)
        assert done.code == 2
        assert "attribute_risk" in done.err
    for arguments in ([], ["sql"]):
        shown = command(*arguments)
        assert shown.code == 2
        assert "show " in shown.err or "sql " in shown.err
    assert command("asses").code == 2


@pytest.mark.slow
def test_whatever_a_report_has_is_explained_and_its_sql_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Each key, and the statements that each shape names; those that are no metric without a source."""
    told: set[str] = set()
    for kind in shapes_of(report_kinds()):
        statements = statements_of(kind)
        assert {*statements} <= templates.catalogue().keys(), kind
        told |= {*keys_of(kind), *statements}
    for name in sorted(told):
        explain(name=name, lang="en")
        assert capsys.readouterr().out, name
        if name in templates.catalogue() and name not in templates.metrics():
            assert templates.template_of(name).body in duckrisk.sql(name)


def test_risks_are_shown_with_the_sizes_that_they_are_of(history: Path) -> None:
    """One statement that runs: it makes the classes itself, as the macro does."""
    shown = command("sql", "show", "reidentification_risk", history, "--user", "customer_id").out
    columns = [column.name for column in templates.template_of("reidentification_risk").columns]
    found = duckdb.sql(shown)
    ((records, classes, smallest, *_),) = found.fetchall()
    assert found.columns == columns
    (counted,) = duckdb.sql(
        f"SELECT COUNT(*), COUNT(DISTINCT (item, quantity, bought, city)) FROM '{history}'"
    ).fetchall()
    assert (records, classes) == counted
    assert smallest >= 1


@pytest.mark.parametrize("name", ["attribute_risk", "known_records", "uniqueness"])
def test_sql_is_shown_where_each_record_is_a_person(history: Path, name: str) -> None:
    """A metric that takes each record as a person needs no user, and its statement runs."""
    shown = command("sql", "show", name, history, "--user", "", "--attribute", "item", "--attribute", "city")
    assert shown.code == 0, shown.err
    assert duckdb.execute(shown.out).fetchall()
    refused = command("sql", "show", "class_sizes_users", history, "--user", "")
    assert (refused.code, "needs a user column" in refused.err) == (2, True)


def test_python_gives_the_texts_of_the_command_line(history: Path) -> None:
    for words in (["k-anonymity"], ["jo_model"], ["ncp"], []):
        for language in ("en", "ja"):
            shown = command("explain", *words, "--lang", language).out
            assert duckrisk.explain(*words, language=language) == shown
    for name in ("attribute_risk", "minimal_keys"):
        shown = command("sql", "show", name, history, "--user", "customer_id").out
        assert "SELECT" in shown
        assert duckrisk.sql(name, history, user="customer_id") == shown
    assert duckrisk.sql("jo_model") == command("sql", "show", "jo_model").out
    frame = pandas.DataFrame({"a": range(9), "b": [1, 2, 3] * 3})
    assert "SELECT" in duckrisk.sql("total_variation", frame, release=frame)
    with pytest.raises(duckrisk.UsageError, match="nothing to explain"):
        duckrisk.explain("k-anonimity-of-nothing")
    with pytest.raises(duckrisk.UsageError, match="attribute_risk"):
        duckrisk.sql("atribute_risk", history)


def test_a_key_is_explained_by_its_statements() -> None:
    told = " ".join(command("explain", "ncp").out.split())
    assert "Normalized certainty penalty of all records. statements: class_losses" in told
    assert "release_cell_losses" in told


def test_an_algorithm_is_shown_as_it_ran(history: Path) -> None:
    """Where a source is named and its assessment runs it, without values; of others the text is shown."""
    ran = command("sql", "show", "jo_model", history, "--user", "customer_id").out
    names = templates.algorithms()["jo_model"].names
    assert re.findall(r"^-- (\w+), as it (?:ran|is written)", ran, re.MULTILINE) == [*names]
    steps = dict(re.findall(r"^-- (\w+), (as it ran[^\n]*\n.*?\n;)$", ran, re.MULTILINE | re.DOTALL))
    assert {"patterns", "tier_ease", "outcomes", "jo_model", "distribution"} <= steps.keys()
    assert not any("{{" in text for text in steps.values())
    step = command("sql", "show", "distribution", history, "--user", "customer_id").out
    assert step.split("\n\n", 1)[1] in ran
    for name in ("date_loss", "histogram_index", "local", "week"):
        assert command("sql", "show", name, history).out == command("sql", "show", name).out


def test_terms_of_the_field_are_explained() -> None:
    """Each leads to what measures it, however it is spelled, and names a column or a statement there."""
    with Cases() as case:
        for term, (name, sentence) in TERMS.items():
            with case(term):
                shown = command("explain", term.replace("_", "-").title())
                assert shown.code == 0
                first, _, rest = shown.out.partition("\n\n")
                assert " ".join(first.split()).endswith(f"{sentence.replace('`', '')} See {name}:")
                for named in re.findall("`(.*?)`", sentence):
                    assert re.search(rf"\b{named}\b", rest)


def test_what_people_run_is_listed_first() -> None:
    listed = command("sql", "list").out
    heads = re.findall(r"^(\w+), (\w+)", listed, re.MULTILINE)
    kinds = [kind for _, kind in heads]
    assert heads[0] == ("disclosure", "metrics")
    assert "metrics" not in kinds[kinds.count("metrics") :]
    assert listed.endswith("frequent-itemsets\n")


def test_only_near_names_are_suggested() -> None:
    assert '"k_anonymity"' in command("explain", "k_anonimity").err
    far = command("explain", "zebra")
    assert far.code == 2
    assert (
        far.err == 'duckrisk: There is nothing to explain under "zebra"; duckrisk explain lists all names.\n'
    )


def test_an_algorithm_is_explained_by_its_steps() -> None:
    """In the order in which they run; by the name of a metric, of a file, and of a step."""
    told = command("explain", "suda").out
    assert "Elliot, Manning and Ford" in told
    places = [
        told.index(text) for text in ("definition: ", "idea: ", "steps:", "suda_begin: ", "suda_next: ")
    ]
    assert places == sorted(places)
    assert re.search(r"^reads tables of: agreement, lattice$", told, re.MULTILINE)
    assert re.search(r"^makes tables for: suda_figures$", told, re.MULTILINE)
    told = command("explain", "uniform").out
    assert told.startswith("uniform\n\nOne form per quasi-identifier, ")
    assert re.findall(r"^  (\w+): ", told, re.MULTILINE) == list(templates.algorithms()["uniform"].names)
    told = command("explain", "suda_next").out
    assert told.startswith("suda_next\n\nAdds the uniques")
    assert "a step of suda: Special uniques" in told
    assert "an expression of knowledge" in command("explain", "week").out
    for name, nearest in (("unifrom", "uniform"), ("suda_nxt", "suda_next")):
        assert nearest in command("explain", name).err
    listed = command("sql", "list").out
    assert re.search(r"^k_anonymity, algorithms:\n(?:  .*\n)*  uniform +One form", listed, re.MULTILINE)


def test_printed_sql_gives_the_reports_numbers(history: Path) -> None:
    report = command("assess", history, "--format", "json", *FEW).json
    shown = command("sql", "show", "attribute_risk", history, "--attribute", "item").out
    with duckdb.connect() as shell:
        cursor = shell.execute(shown)
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    for name in ("records", "distinct_values", "mean_risk", "share_below_k"):
        assert row[name] == report["attribute_risk"][0][name]


def test_printed_sql_says_which_columns_it_leaves_out(here: Path) -> None:
    """One statement examines all sets of up to ten columns; which ones, the person chooses."""
    names = [*(f"c{place}" for place in range(12)), 'say -- \n"x"']
    columns = ", ".join(
        f'hash(i + {place}) % 3 AS "{name.replace(chr(34), chr(34) * 2)}"' for place, name in enumerate(names)
    )
    table(here / "many.parquet", f"SELECT {columns}, TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS seen, "
          "i % 7 AS zzqx FROM range(50) t(i)")  # fmt: skip
    levels = "".join(f"{json.dumps(name)} = [1, 1]\n" for name in [*names, "seen"])
    Path("duckrisk.toml").write_text(f'user = ""\n[levels]\n{levels}', encoding="utf-8")
    shown = command("sql", "show", "identifiability", "many.parquet").out
    head = [line for line in shown.splitlines() if line.startswith("--")][:3]
    assert head == [
        "-- This statement is about the first 10 of 13 columns with a sensitivity level; left out: "
        '"c10", "c11", "say -- "x"". Choose others with --attribute, once for each column.',
        '-- This statement is about whole columns; left out: "seen.date", "seen.time". '
        "Take in the column itself with --attribute, in addition to the others.",
        '-- Left out without a sensitivity level: "zzqx". Give one under [levels] in duckrisk.toml.',
    ]
    chosen = ["--attribute", "c11", "--attribute", "seen", "--attribute", names[12]]
    few = command("sql", "show", "identifiability", "many.parquet", *chosen).out
    assert "left out" not in few.casefold()
    assert "['c11', 'say -- \n\"x\"', 'seen']" in few
    with duckdb.connect() as shell:
        for text in (shown, few):
            assert len(shell.execute(text).fetchall()) > 0


# --- Python --------------------------------------------------------------------------------------

LITTLE: dict[str, Any] = {"only": ["attribute_risk"], "attributes": ["item"], "known_records": 0}


def test_python_mirrors_the_command(history: Path) -> None:
    result = command(
        "assess",
        history,
        "--user",
        "customer_id",
        "--attribute",
        "item",
        "--attribute",
        "bought.week",
        "--where",
        "quantity > 0",
        "--rare-below",
        "3",
        "--seed",
        "4",
        "--known-records",
        "2",
        "--fail-on",
        "source.users > 1",
        "--format",
        "json",
    )
    report = duckrisk.assess(
        history,
        user="customer_id",
        attributes=["item", "bought.week"],
        where="quantity > 0",
        k=3,
        seed=4,
        known_records=2,
        fail_on=["source.users > 1"],
    )
    assert report.to_json() == result.out
    assert report.to_dict() == result.json
    assert report.passed is False
    assert result.code == 1


def test_options_have_the_same_names_in_both() -> None:
    by_command = set(inspect.signature(assess).parameters)
    by_python = set(inspect.signature(duckrisk.assess).parameters)
    shared = {
        "source",
        "table",
        "attach",
        "query",
        "where",
        "encoding",
        "header",
        "memory",
        "threads",
        "temp",
        "user",
        "ignore",
        "fail_on",
        "show_values",
    }
    assert shared <= by_command & by_python


def test_to_frame(history: Path) -> None:
    report = duckrisk.assess(history, only=["attribute_risk"], known_records=0)
    frame = report.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["attribute"]) == [entry["attribute"] for entry in report.data["attribute_risk"]]
    assert list(frame["rank"]) == list(range(1, len(frame) + 1))
    assert list(frame["mean_risk"]) == [entry["mean_risk"] for entry in report.data["attribute_risk"]]


def test_to_dict_is_a_copy(history: Path) -> None:
    report = duckrisk.assess(history, **LITTLE)
    report.to_dict()["source"]["users"] = -1
    assert report.data["source"]["users"] == 40


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_of_either_kind(history: Path, kind: type) -> None:
    assert duckrisk.assess(kind(history), **LITTLE).data["source"]["users"] == 40


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"source": "nowhere.csv"}, duckrisk.SourceError, "nowhere.csv"),
        ({"user": "nobody"}, duckrisk.UsageError, "nobody"),
        ({"sed": 3}, duckrisk.UsageError, '"seed"'),
        ({"k": 0}, duckrisk.UsageError, "k must be a whole number of 2 or more, not 0"),
        ({"roles": {"item": "hero"}}, duckrisk.UsageError, "hero"),
        ({"fail_on": ["x"]}, duckrisk.UsageError, "gate"),
        ({"source": 3}, duckrisk.UsageError, "int"),
        ({"source": None}, duckrisk.UsageError, "SOURCE"),
        ({"threads": 0}, duckrisk.UsageError, "threads"),
    ],
)
def test_python_errors(history: Path, arguments: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        duckrisk.assess(**{"source": history, **arguments})


@pytest.mark.slow
def test_many_assessments_in_one_process(history: Path) -> None:
    """Neither files nor threads pile up."""
    import threading

    more: dict[str, Any] = {} if EXAMPLES >= 20 else {"only": ["attribute_risk"]}
    first = duckrisk.assess(history, **more).to_json()
    little = duckrisk.assess(history, **LITTLE).to_json()
    files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(4):
        assert duckrisk.assess(history, **LITTLE).to_json() == little
    assert duckrisk.assess(history, **more).to_json() == first
    assert len(os.listdir("/proc/self/fd")) == files
    assert threading.active_count() == threads


@pytest.mark.slow
def test_several_at_once(here: Path, history: Path) -> None:
    """Runs side by side, on one source and into one folder, do not disturb each other."""
    quick = ["--known-records", "0", "--samples", "0", "--only", "attribute_risk"]
    with ExitStack() as stack:
        running = [
            stack.enter_context(started("assess", "history.parquet", "-o", f"r{i}.json", *quick, cwd=here))
            for i in range(2)
        ]
        for process in running:
            _, err = process.communicate(timeout=120)
            assert (process.returncode, err) == (0, b"")
    assert len({Path(f"r{i}.json").read_bytes() for i in range(2)}) == 1


def test_assessments_in_threads(history: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda _: duckrisk.assess(history, **LITTLE).to_json(), range(4)))
    assert len(set(made)) == 1


@pytest.mark.parametrize(
    ("words", "forms"),
    [
        (["compare", "one.csv", "one.csv"], "table, json, markdown, html, sarif, github."),
        (["advise", "one.csv"], "table, json, markdown, html, sarif, github."),
        (["assess", "one.csv"], "table, json, markdown, html, csv, parquet, sarif, github."),
    ],
)
def test_a_suffix_that_names_no_format_is_told_those_of_the_report(words: list[str], forms: str) -> None:
    refused(2, f"one of {forms}", arguments=(*words, "-o", "report.pdf"))
