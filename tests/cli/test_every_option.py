"""Whatever is given for an option of a command, or written in a file of settings: it works, or one sentence
says what is wrong.

Some of it is tried, the same in every run; DUCKRISK_SEED draws others.
"""

from __future__ import annotations

import inspect
import os
import random
import subprocess
import sys
import tomllib
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import typer

import duckrisk
from duckrisk import cli
from duckrisk.api import config
from duckrisk.base.errors import SourceError
from duckrisk.engine.session import Session
from duckrisk.release.anonymization.steps import METHODS
from tests.command import HISTORY, command, environment, table
from tests.tables import EXAMPLES

HUGE, ENDLESS_DIGITS = str(2**70), "9" * 25
NUMBERS = ("-1", "0", "1e400", "1e300", HUGE, ENDLESS_DIGITS, "nan", "inf", "-inf", "")
TEXTS = ("", "-1", "\n", "=", "[", "a=", "=1", "\udcff", "x" * 5000)
PATHS = ("", ".", "/nonexistent/x.csv", "h.parquet", "x" * 5000)
COLUMNS = ("--user", "customer_id", "--date", "bought", "--item", "item")
#: What each command is given beside the option that is tried.
GIVEN = {
    "assess": ("h.parquet", "--level", "item=1,1", "--level", "city=address"),
    "anonymize": ("p.parquet", "-o", "out.parquet", "--overwrite", "--quasi-identifier", "age"),
    "compare": ("p.parquet", "m.parquet"),
    "sequence": ("h.parquet", "h.parquet", "--user", "customer_id"),
    "attack": ("h.parquet", "s.csv", *COLUMNS),
    "advise": (
        "p.parquet",
        "--level",
        "age=1,1",
        "--level",
        "city=address",
        "--objective",
        "value",
        "--steps",
        "1",
    ),
    "init": ("p.parquet", "-o", "out.toml"),
    "open": ("p.parquet", "--no-browser"),
    "tables": ("p.parquet", "--by", "age", "--by", "city"),
    "verify": ("ev",),
    "mcp": (".",),
    "explain": ("attribute_risk",),
    "sql list": (),
    "sql show": ("attribute_risk", "p.parquet"),
    "sql macros": (),
    "pwscup anonymize": ("h.parquet", "-o", "out.parquet", "--overwrite", *COLUMNS),
    "pwscup check": ("--original", "h.parquet", "a.parquet", *COLUMNS),
    "pwscup pseudonyms": ("--original", "h.parquet", "a.parquet", "-o", "out.csv", "--overwrite", *COLUMNS),
    "pwscup release": ("a.parquet", "-o", "out.parquet", "--overwrite", *COLUMNS),
    "pwscup partial-knowledge": ("h.parquet", "-o", "out.csv", "--overwrite", "--alpha", "50", *COLUMNS),
    "pwscup attack": ("--original", "h.parquet", "--release", "a.parquet", *COLUMNS),
    "pwscup utility": ("--original", "h.parquet", "--release", "a.parquet", *COLUMNS),
    "pwscup score": ("--original", "h.parquet", "--release", "a.parquet", *COLUMNS),
    "pwscup lifetimes": ("h.parquet", "--life", "1", *COLUMNS),
    "pwscup score-2018": ("t18.csv", "t18.csv"),
    "membership anneal": ("p.parquet", "-o", "out.parquet", "--overwrite", "--iterations", "5"),
    "membership attack": ("p.parquet", "m.parquet", "--members", "m.parquet"),
    "membership exposed": ("p.parquet",),
    "membership risks": ("p.parquet", "m.parquet", "--attacks-per-risk", "10"),
    "membership score": ("--population", "p.parquet", "--members", "m.parquet", "--guess", "x=g.csv"),
    "membership synthesize": ("p.parquet", "-o", "out.parquet", "--overwrite"),
    "membership utility": ("p.parquet", "m.parquet"),
}


def commands(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command with the function behind it."""
    for one in app.registered_commands:
        assert one.callback is not None
        yield " ".join([*path, one.name or one.callback.__name__.replace("_", "-")]), one.callback
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*path, str(group.name)))


def options(function: Callable[..., Any]) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """Every option of a command with the values to try; None is a flag."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name in inspect.signature(function).parameters:
        kind, info = typing.get_args(hints[name])[:2]
        if not isinstance(info, type(typer.Option())):
            continue
        flags = [flag for flag in info.param_decls or () if flag.startswith("--")]
        flag = (flags or ["--" + name.replace("_", "-")])[0].partition("/")[0]
        text = str(kind)
        values: tuple[str | None, ...] = TEXTS
        if "bool" in text:
            values = (None,)
        elif "int" in text or "float" in text:
            values = NUMBERS
        elif "Path" in text:
            values = PATHS
        yield flag, values


CASES = [
    (name, flag, value)
    for name, function in commands(cli.app_of(None))
    for flag, values in options(function)
    for value in values
]


def drawn(cases: Sequence[Any], number: int, name: str) -> list[Any]:
    """So many of the cases."""
    seed = os.environ.get("DUCKRISK_SEED", "0")
    return random.Random(f"{seed} {name}").sample(cases, min(number, len(cases)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "h.parquet", HISTORY)
    table(tmp_path / "p.parquet", "SELECT 20 + i % 7 AS age, 'c' || i % 5 AS city FROM range(40) t(i)")
    (tmp_path / "t18.csv").write_text("7,2010/12/1,A,1.00,4\n8,2010/12/2,B,2.00,8\n", encoding="utf-8")
    table(tmp_path / "m.parquet", "SELECT 20 + i % 5 AS age, 'c' || i % 3 AS city FROM range(30) t(i)")
    return tmp_path


def assert_told(*arguments: str) -> int:
    """Run a command: it does what is asked, or says in one sentence why not."""
    result = command(*arguments)
    assert result.code in (0, 1, 2, 3), (arguments, result.err)
    for fault in ("Traceback", "please report", "The engine failed", "duckrisk failed"):
        assert fault not in result.err, (arguments, result.err)
    if result.code in (2, 3):
        assert result.err.startswith("duckrisk: "), (arguments, result.err)
        assert result.err.count("\n") == 1, (arguments, result.err)
        assert result.err.rstrip()[-1] in ".?", (arguments, result.err)
    return result.code


@contextmanager
def without_engine(word: str) -> Iterator[None]:
    """Let a command come up to where the engine is opened."""
    built = typer.main.get_command(cli.app_of(word))
    reached = mock.Mock(side_effect=SourceError("So far all was well."))
    with (
        mock.patch.object(Session, "__init__", reached),
        mock.patch.object(cli, "app_of", return_value=built),
    ):
        yield


def test_every_command_is_tried() -> None:
    assert set(GIVEN) == {name for name, _ in commands(cli.app_of(None))}
    assert len(CASES) > 1500


@pytest.mark.parametrize("name", GIVEN)
def test_every_option_is_checked(here: Path, name: str) -> None:
    """Up to where the engine is opened: what gets so far is tried below."""
    tried = [case[1:] for case in CASES if case[0] == name]
    with without_engine(name.split()[0]):
        for flag, value in drawn(tried, 4 * EXAMPLES, name):
            assert_told(*name.split(), *GIVEN[name], flag, *([] if value is None else [value]))


#: So many iterations are a search that Ctrl-C ends.
MEASURED = [
    case
    for case in CASES
    if case[2] in ("0", HUGE, ENDLESS_DIGITS, "1e300", "-1")
    and case[0] != "explain"
    and case[1] != "--iterations"
]


def test_what_is_not_refused_works(here: Path) -> None:
    made = command("pwscup", "anonymize", "h.parquet", "-o", "a.parquet", *COLUMNS, "--seed", "1")
    assert made.code == 0, made.err
    for name, flag, value in drawn(MEASURED, max(1, EXAMPLES // 4), "measured"):
        assert_told(*name.split(), *GIVEN[name], flag, str(value))


# --- standard streams, and an interrupt ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--help", "assess p.parquet --only class_sizes --format json"])
def test_closed_streams(here: Path, arguments: str) -> None:
    def run(closed: str) -> subprocess.CompletedProcess[bytes]:
        line = f"{sys.executable} -m duckrisk {arguments} {closed}"
        return subprocess.run(["sh", "-c", line], env=environment(), capture_output=True, timeout=120)

    shown = run("")
    assert (shown.returncode, shown.stderr) == (0, b"")
    some = run("<&- 2>&-")
    assert (some.returncode, some.stdout[:99]) == (0, shown.stdout[:99])
    refused = run(">&-")
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.startswith(b"duckrisk: Standard output is closed")
    assert refused.stderr.count(b"\n") == 1


def test_a_report_in_a_file_needs_no_stream(here: Path) -> None:
    line = f"{sys.executable} -m duckrisk assess p.parquet --only class_sizes -o r.json <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], env=environment(), timeout=120).returncode == 0
    assert (here / "r.json").stat().st_size > 1000


def test_an_interrupt_while_modules_are_read(here: Path) -> None:
    code = (
        "import builtins, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "real = builtins.__import__\n"
        "def load(name, *rest, **more):\n"
        "    if name == 'duckrisk.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *rest, **more)\n"
        "builtins.__import__ = load\n"
        "sys.argv = ['duckrisk', 'sql', 'list']\n"
        "from duckrisk.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"duckrisk: The run was interrupted.\n")


@pytest.mark.parametrize("module", ["duckrisk", "duckrisk.__main__"])
def test_nothing_is_read_before_an_interrupt_is_heard(module: str) -> None:
    """An interrupt before that is Python's own to tell. The package alone hears none."""
    code = (
        "import sys, _signal\n"
        "_signal.signal(_signal.SIGINT, _signal.default_int_handler)\n"
        "before, heard = set(sys.modules), _signal.getsignal(_signal.SIGINT)\n"
        f"import {module}\n"
        "print(*sorted(set(sys.modules) - before), _signal.getsignal(_signal.SIGINT) is heard)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60)
    entry = module == "duckrisk.__main__"
    assert done.stdout.decode().split() == ["duckrisk", *[module] * entry, str(not entry)]


def test_the_package_offers_what_it_reads_later() -> None:
    names = {*duckrisk.__all__} - {"__version__"}
    assert {getattr(duckrisk, name).__name__.rpartition(".")[2] for name in names} == names
    assert set(dir(duckrisk)) >= set(duckrisk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'asses'"):
        _ = duckrisk.asses  # type: ignore[attr-defined]


# --- files of settings, recipes, queries ---------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = " + "[" * 5000 + "]" * 5000, "nests more than"),
        ("[columns]\nage = " + "[" * 400 + "]" * 400, "nests more than"),
        ("[hierarchies]\nage = {tree=" + "{a=" * 400 + "[1]" + "}" * 400 + "}", "nests more than"),
        ("[measures]\nk = " + "9" * 5000, "number that is too long"),
        ("x = ", "not valid TOML"),
        ("x = \udcff", "UTF-8"),
    ],
)
def test_toml_that_nobody_means(here: Path, content: str, said: str) -> None:
    Path("t.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    for arguments in (
        ("assess", "p.parquet", "--config", "t.toml"),
        ("anonymize", "p.parquet", "-o", "o.parquet", "--recipe", "t.toml"),
        (
            "anonymize",
            "p.parquet",
            "-o",
            "o.parquet",
            "--generalize",
            "age=level1",
            "--hierarchies",
            "t.toml",
        ),
    ):
        assert assert_told(*arguments) == 2
        assert said in command(*arguments).err


#: Values of every type, and some in one another.
WRITTEN = [
    *("1", "-1", "9" * 25, "1.5", "1e300", "nan", "inf", "-inf", "true", '"x"', '""', r'"\u0000"'),
    *("[]", "[1]", "[1.5]", "[nan]", "[true]", '["x"]', '["x", "x"]', '[1, "x"]', "[[1]]", "[{a=1}]"),
    *("{}", "{a=1}", "{a={b=[1]}}", "2020-01-01", "2020-01-01T01:02:03Z", "07:32:00", "[2020-01-01]"),
]
#: What has to be written for each kind of option of a recipe.
RECIPE = {
    "a text": (str, '"age"'),
    "a whole number": (int, "3"),
    "a number": (float, "0.5"),
    "true or false": (bool, "true"),
    "a list of texts": (list[str], '["age"]'),
    "a list of numbers": (None, "[1, 2]"),
    "a list of lists of numbers": (None, "[[1, 1, 2]]"),
    "a list of lists of texts": (None, '[["a"]]'),
    "a table of numbers above 0": (None, "{age = 2}"),
}


def fits(written: str, kind: Any) -> bool:
    """Whether a value in TOML is of a type, by its own; anything may be where there is no type."""
    if kind is None:
        return True
    value = tomllib.loads(f"x = {written}")["x"]
    if typing.get_origin(kind) is list:
        return isinstance(value, list) and all(type(one) is typing.get_args(kind)[0] for one in value)
    return type(value) in ({int, float} if kind is float else {kind})


def settings_written() -> Iterator[tuple[str, bool]]:
    """Settings files, and whether what is in them can be meant."""
    for name, shape in config._SHAPE.items():
        head = f"[{name}]\n" if name else ""
        for value in WRITTEN:
            for key, kind in shape.items():
                yield f"{head}{key} = {value}", fits(value, kind)
            yield f"{head}zz = {value}", name in ("levels", "hierarchies")
            yield f"{name or 'zz'} = {value}", fits(value, dict)
            yield f"[[{name or 'zz'}]]\nage = {value}", False
            if name in ("columns", "levels", "hierarchies"):
                yield f"{head}age = {value}", name != "columns"


def recipes_written() -> Iterator[tuple[str, bool]]:
    """Recipes, likewise."""
    for method, (needed, possible) in METHODS.items():
        for key, kind in {**needed, **possible}.items():
            for value in WRITTEN:
                options = {one: RECIPE[what][1] for one, what in needed.items()} | {key: value}
                lines = "".join(f"{one} = {written}\n" for one, written in options.items())
                yield f'[[step]]\nmethod = "{method}"\n{lines}', fits(value, RECIPE[kind][0])
    shuffle, generalize = (
        '[[step]]\nmethod = "shuffle"',
        '[[step]]\nmethod="generalize"\ncolumn="age"\nlevel=1',
    )
    for value in WRITTEN:
        yield f"seed = {value}\n{shuffle}", fits(value, int)
        yield f"step = {value}", False
        yield f"[step]\nmethod = {value}", False
        yield f"[[step]]\nmethod = {value}", False
        yield f"hierarchies = {value}\n{shuffle}", fits(value, dict)
        yield f"[hierarchies]\nage = {value}\n{generalize}", fits(value, str)
        for kind in ("widths", "prefixes", "moments", "tree", "file", "zz"):
            yield f"[hierarchies]\nage = {{ {kind} = {value} }}\n{generalize}", kind != "zz"


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("assess", "p.parquet", "--config"), settings_written),
        (("anonymize", "p.parquet", "-o", "o.parquet", "--recipe"), recipes_written),
    ],
)
def test_values_of_every_type(
    here: Path, arguments: tuple[str, ...], written: Callable[[], Iterator[tuple[str, bool]]]
) -> None:
    with without_engine(arguments[0]):
        for text, possible in drawn(list(written()), 8 * EXAMPLES, arguments[0]):
            Path("t.toml").write_text(text)
            assert assert_told(*arguments, "t.toml") in ((2, 3) if possible else (2,)), text


def test_a_chart_with_cells_that_nobody_means(here: Path) -> None:
    with without_engine("assess"):
        for cell in ("", "0", "4", "-1", "1.5", "nan", "true", "[1]", "2020-01-01", "x" * 200, "\0"):
            for row in (f"age_type,{cell},1", f"age_type,1,{cell}", f"{cell.upper()}?,1,1", cell):
                Path("c.csv").write_text(f"type,economic,psychological\n{row}\n")
                assert assert_told("assess", "p.parquet", "--profile", "c.csv") == 2, row


@pytest.mark.parametrize("depth", [40, 400, 3000])
def test_a_query_of_many_queries(here: Path, depth: int) -> None:
    query = "SELECT * FROM (" * depth + "SELECT * FROM source" + ")" * depth
    code = assert_told("assess", "p.parquet", "--only", "class_sizes", "--query", query, "--format", "json")
    # How deep a query may be depends on the stack that the process has left.
    assert code in ((0,) if depth == 40 else (0, 2))


@pytest.mark.parametrize(
    "size", ["-1GB", "-1", "0", "0GB", "0.0MB", "none", "1e400GB", "9" * 40 + "GB", "nan", "12"]
)
def test_what_is_no_size_of_memory(here: Path, size: str) -> None:
    assert assert_told("assess", "p.parquet", "--only", "class_sizes", "--memory", size) == 2
