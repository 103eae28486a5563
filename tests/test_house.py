"""The layout holds: dependencies point one way, SQL runs in one place, documents tell the truth."""

from __future__ import annotations

import ast
import json
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

import duckrisk
from tests import readme
from tests.cases import Cases
from tests.command import table

ROOT = Path(__file__).resolve().parents[1]
RETAIL = ROOT / "datasets" / "retail.parquet"
PACKAGE = ROOT / "duckrisk"
#: The wings, lowest first. A wing imports only those before it.
WINGS = [
    "base",
    "engine",
    "source",
    "roles",
    "measures",
    "decision",
    "release",
    "contests",
    "report",
    "api",
    "page",
    "cli",
]


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__main__.py"]


@cache
def syntax_of(path: Path) -> list[ast.AST]:
    """Every node of a module's syntax, which is read once."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def wing(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the modules of the package that a module imports, wherever in it, without the package's name."""
    found: set[str] = set()
    for node in syntax_of(path):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.removeprefix("duckrisk.") for name in found if name.startswith("duckrisk.")}


def room(name: str) -> str:
    """Return the room of a module: its wing, and the package or module in it."""
    return ".".join(name.split(".")[:2])


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def calls(path: Path) -> Iterator[ast.Call]:
    """Every call that a module writes."""
    for node in syntax_of(path):
        if isinstance(node, ast.Call):
            yield node


@pytest.mark.slow
def test_a_wing_imports_only_wings_below_it() -> None:
    with Cases() as case:
        for path in modules():
            own = wing(path)
            for other in {name.split(".")[0] for name in imported(path)} - {own} if own != "__init__" else ():
                with case(name_of(path)):
                    assert WINGS.index(other) < WINGS.index(own), f"{own} reaches back to {other}"


def test_rooms_do_not_import_one_another_in_a_circle() -> None:
    """All but commands and forms of reports, which are found through the package that holds them."""
    uses: dict[str, set[str]] = {}
    for path in modules():
        if wing(path) not in ("__init__", "cli", "report"):
            own = room(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
            uses.setdefault(own, set()).update({room(name) for name in imported(path)} - {own})
    while free := [own for own, others in uses.items() if not others & uses.keys()]:
        for own in free:
            del uses[own]
    assert not uses, f"these import one another in a circle: {sorted(uses)}"


def test_only_the_command_line_exits_and_prints() -> None:
    with Cases() as case:
        for path in modules():
            for call in calls(path) if wing(path) != "cli" and path.name != "macros.py" else ():
                with case(f"{name_of(path)} line {call.lineno}"):
                    assert ast.unparse(call.func) not in ("print", "sys.exit", "exit", "os._exit")


def test_only_the_session_executes_sql() -> None:
    with Cases() as case:
        for path in modules():
            # a report file; another engine
            if path.name in ("session.py", "tables.py", "sqlite.py"):
                continue
            for call in calls(path):
                with case(f"{name_of(path)} line {call.lineno}"):
                    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                    assert function not in ("execute", "executemany")


#: Modules that open files themselves, and what these are; all others read by `files.read_text`.
OPENING = {
    **dict.fromkeys(("files.py", "folders.py"), "what all others use"),
    **dict.fromkeys(
        (
            *(
                "errors.py",
                "words.py",
                "statements.py",
                "templates.py",
                "includes.py",
                "sql.py",
                "bytecode.py",
            ),
            *("japanese/__init__.py", "options/japanese.py", "explaining/japanese.py"),
        ),
        "the package's own",
    ),
    **dict.fromkeys(("digest.py", "encoding.py", "sqlite.py", "formats.py"), "tables"),
    **dict.fromkeys(("parquet_names.py", "annealing.py", "sql_log.py"), "what duckrisk wrote"),
    **dict.fromkeys(("output.py", "spark.py"), "the null device"),
}


def test_files_that_are_no_tables_are_read_in_one_place() -> None:
    """It refuses devices, and files that would fill the memory."""
    for path in modules():
        if OPENING.keys() & {path.name, f"{path.parent.name}/{path.name}"}:
            continue
        for node in syntax_of(path):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                opens = name in ("open", "json.load", "tomllib.load") or name.endswith(
                    (".read_bytes", ".open")
                )
                where = f"{path.relative_to(PACKAGE)} line {node.lineno}"
                assert not opens, where
                assert not name.endswith(".read_text"), where


def test_files_keep_a_size_that_a_reader_can_hold() -> None:
    with Cases() as case:
        for path in [*modules(), *(ROOT / "sql").glob("*/*.sql")]:
            with case(path):
                assert path.stat().st_size < 25_000


def test_functions_keep_a_length_that_a_reader_can_hold() -> None:
    """Of their signatures, which name every option, and of their docstrings nothing is counted."""
    with Cases() as case:
        for path in modules():
            for node in syntax_of(path):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno is not None:
                    has_docstring = ast.get_docstring(node) is not None and len(node.body) > 1
                    lines = node.end_lineno - node.body[int(has_docstring)].lineno + 1
                    with case(f"{name_of(path)}: {node.name}"):
                        assert lines <= 60


def messages_raised() -> Iterator[tuple[str, str | None, set[str]]]:
    """Where each sentence of an error is made, the key or text that is written there, if one is, and the
    names of its values."""
    errors = {name for name in vars(duckrisk.base.errors) if name.endswith("Error")} | {
        "Interrupted",
        "format_message",
    }
    for path in modules():
        for node in syntax_of(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors:
                text = node.args[0] if node.args else None
                written = text.value if isinstance(text, ast.Constant) else None
                if isinstance(text, (ast.JoinedStr, ast.BinOp, ast.Constant)):
                    where = f"{path.relative_to(PACKAGE)} line {node.lineno}"
                    yield where, written, {str(one.arg) for one in node.keywords}


def test_sentences_of_errors_stand_in_their_catalogue() -> None:
    """Each with the placeholders that its error fills; none that nothing raises."""
    known = duckrisk.base.errors.load_messages()
    used = set()
    with Cases() as case:
        for where, key, values in messages_raised():
            with case(where):
                assert key in known
                named = {name for _, name, _, _ in string.Formatter().parse(known[str(key)]) if name}
                assert named == values
                used.add(key)
    assert known.keys() - used == {"errors.time_limit_over"}


def circles() -> list[set[str]]:
    """Modules that import each other, directly or through others, wherever in them."""
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules()
    }
    uses: dict[str, set[str]] = {}
    for name, path in names.items():
        uses[name] = set()
        tree = syntax_of(path)
        typing = {
            id(inside)
            for node in tree
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inside in ast.walk(node)
        }
        for node in tree:
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typing:
                found = {f"{node.module}.{alias.name}" for alias in node.names}
                uses[name] |= {one if one in names else node.module for one in found} & names.keys() - {name}
    reached = {name: set(found) for name, found in uses.items()}
    before = -1
    while before < (before := sum(map(len, reached.values()))):
        for found in reached.values():
            found |= set().union(*(reached[other] for other in found))
    return [
        found & {o for o in found if name in reached[o]} for name, found in reached.items() if name in found
    ]


def test_no_files_import_each_other() -> None:
    assert circles() == []


def test_what_is_not_complete_is_in_a_private_folder() -> None:
    named = [path.name for path in modules() if ".duckrisk-" in path.read_text(encoding="utf-8")]
    assert named == ["folders.py"]


def asked_of_loop(part: nodes.Node) -> set[str]:
    """What a part of a template asks of its loop: what is inside another loop asks that one."""
    if isinstance(part, nodes.Getattr) and part.node == nodes.Name("loop", "load"):
        return {part.attr}
    if isinstance(part, nodes.Filter) and part.name == "between":  # it asks for the last turn
        return {"last"}
    if isinstance(part, nodes.Name):
        return {"loop"} & {part.name}
    inside = [one for one in (part.iter, part.test) if one] if isinstance(part, nodes.For) else None
    return set().union(*map(asked_of_loop, part.iter_child_nodes() if inside is None else inside))


def wrong_loops(text: str) -> list[int]:
    """The lines of loops that leave items out and ask for places in the list that these were in."""
    return [
        one.lineno
        for one in jinja2.Environment().parse(text).find_all(nodes.For)
        if one.test is not None
        and (asked_of_loop(one.test) or set().union(*map(asked_of_loop, one.body)) - {"first", "last"})
    ]


def test_loops_that_leave_items_out_do_not_count_them() -> None:
    """In such a condition Jinja's ``loop`` is that of the loop around, and its numbers count what is left."""
    wrong = ("{% for x in y if z[loop.index0] == w %}", "{% for x in y if w %}{{ z[loop.index0] }}")
    right = ("{% for x in y if w %}{% for i in z %}{{ loop.index }}{% endfor %}{{ loop.last }}",)
    for text in (*wrong, *right):
        assert wrong_loops(f"{{% for w in v %}}{text}{{% endfor %}}{{% endfor %}}") == [1] * (text in wrong)
    templates = [*(ROOT / "sql").rglob("*.sql"), *PACKAGE.rglob("*.j2")]
    assert len(templates) > 100
    texts = {path: path.read_text(encoding="utf-8") for path in templates}
    assert {path: wrong_loops(text) for path, text in texts.items() if wrong_loops(text)} == {}


def test_wings_are_known() -> None:
    assert {wing(path) for path in modules()} - {"__init__"} == set(WINGS)


# --- documents -----------------------------------------------------------------------------------


def test_readme_holds_the_two_set_up_commands() -> None:
    commands = re.findall(r"^python3 -m venv .*$", readme.text(), re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("duckrisk assess datasets/retail.parquet")
    assert commands[1].endswith("pytest")
    assert "grep '^python3 -m venv ' README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_of_the_documents_exist() -> None:
    others = [*ROOT.glob("[C-S]*.md"), *(ROOT / "tests").rglob("README.md")]
    every = [*readme.documents(), *(ROOT / "docs").rglob("*.md"), *others]
    with Cases() as case:
        for document in every:
            for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
                with case(f"{document.relative_to(ROOT)}: {target}"):
                    assert (document.parent / target).exists()


def test_the_readme_is_short() -> None:
    assert readme.README.stat().st_size <= 10_000


def test_shell_session_of_the_documents() -> None:
    shell = shutil.which("duckdb") or shutil.which("duckdb", path=str(Path(sys.executable).parent))
    if shell is None:
        pytest.skip("the DuckDB shell (package duckdb-cli) is not installed")
    blocks = re.findall(r"```sql\n(.*?)```", readme.text(ROOT / "sql" / "README.md"), re.DOTALL)
    assert len(blocks) == 1
    done = subprocess.run(
        [shell, "-json"], input=blocks[0], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    results = [
        json.loads(text) for text in re.findall(r"^\[\{.*?\}\]$", done.stdout, re.DOTALL | re.MULTILINE)
    ]
    assert len(results) == blocks[0].count("FROM ")
    assert results[0][0]["mean_risk"] == pytest.approx(0.0925597664, rel=1e-6)


@pytest.fixture(scope="module")
def some_of_retail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of a fiftieth of the users: whatever runs on all of it takes long."""
    path = tmp_path_factory.mktemp("retail") / "retail.parquet"
    return table(path, f"SELECT * FROM '{RETAIL}' WHERE CustomerID % 50 = 0")


@pytest.mark.parametrize(
    "document",
    [one for one in readme.documents() if "```python" in readme.text(one)],
    ids=lambda one: str(one.relative_to(ROOT)),
)
def test_python_example_of_a_document(
    document: Path, some_of_retail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", readme.text(document), re.DOTALL)
    (tmp_path / "datasets").mkdir()
    shutil.copy(some_of_retail, tmp_path / "datasets")
    monkeypatch.chdir(tmp_path)
    exec(block, {})


def test_project_speaks_of_itself_alone() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    words = re.compile(rb"/wor" rb"k/|/roo" rb"t/|pypi\.or" rb"g|pythonhoste" rb"d|index-ur" rb"l")
    with Cases() as case:
        for name in listed.stdout.splitlines():
            path = ROOT / name
            if path.is_file() and path.suffix not in (".parquet",):
                with case(name):
                    assert not words.search(path.read_bytes())
