"""Count what makes the product's language hard to read, by wing.

``python -m tests.language`` prints the findings of one wing, ``python -m tests.language --lower`` writes
the counts that have fallen into ``language_ceilings.toml``.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = Path(__file__).with_name("language_ceilings.toml")

#: Phrases of another language's syntax or in the place of a term of the field.
PHRASES = re.compile(
    r"""\b(so\ many|so\ much|such\ a\ share|of\ which|of\ whom|whom|beside|told\ apart|tells?\ apart
    |goes\ by|go\ by|as\ dear\ as|somebody\ who|nobody\ who|what\ is\ left\ out|whose\ own
    |in\ the\ place\ of|is\ to\ be|are\ to\ be|what\ it\ tells|says\ of\ itself|not\ to\ be\ had
    |stands?\ for\ itself)\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: Words that name neither an action nor a thing when they stand alone.
BARE_NAMES = frozenset(
    {
        "some",
        "told",
        "found",
        "made",
        "taken",
        "kept",
        "left",
        "each",
        "own",
        "every",
        "one",
        "here",
        "there",
        "whose",
        "also",
        "place",
        "standing",
        "together",
        "gated",
        "judged",
        "judging",
        "give",
        "say",
        "note",
        "remark",
        "asked",
        "given",
        "known",
        "seen",
        "wanted",
        "begun",
        "ended",
        "done",
        "held",
        "shown",
        "said",
        "what",
        "which",
        "who",
        "that",
        "this",
    }
)
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*$")


class Finding(NamedTuple):
    """One thing to rewrite: its kind, its file, its line, and the text."""

    kind: str
    path: Path
    line: int
    text: str


@cache
def ceilings() -> dict[str, dict[str, int]]:
    """Return the most findings of each kind that a wing may have."""
    return tomllib.loads(CEILINGS.read_text(encoding="utf-8"))


def wings() -> list[str]:
    """Return what is counted by itself: the wings, the topics of the SQL, and the documents."""
    packages = sorted(path.parent.name for path in (ROOT / "duckrisk").glob("*/__init__.py"))
    topics = sorted(f"sql/{path.name}" for path in (ROOT / "sql").iterdir() if path.is_dir())
    return [*packages, *topics, "documents"]


def files_of(wing: str) -> list[Path]:
    """Return the files of a wing."""
    if wing == "documents":
        paths = [*ROOT.glob("*.md"), *(ROOT / "duckrisk").rglob("*.md"), *(ROOT / "sql").glob("*.md")]
        paths += (ROOT / "docs").glob("*.md")
        paths = [path for path in paths if path.name not in ("CHANGELOG.md", "api.md")]  # made of docstrings
    elif wing.startswith("sql/"):
        paths = list((ROOT / wing).glob("*.sql"))
    else:
        folder = ROOT / "duckrisk" / wing
        paths = [*folder.rglob("*.py"), *(p for p in folder.rglob("*.toml") if p.name != "ja.toml")]
    return sorted(paths)


def findings(wing: str) -> list[Finding]:
    """Return everything in a wing that the page on language rules out."""
    found: list[Finding] = []
    for path in files_of(wing):
        text = path.read_text(encoding="utf-8")
        found += _of_text(path, text)
        if path.suffix == ".py":
            found += _of_python(path, text)
    return found


def counts(wing: str) -> dict[str, int]:
    """Return the findings of a wing, counted by kind."""
    counted = dict.fromkeys(KINDS, 0)
    for finding in findings(wing):
        counted[finding.kind] += 1
    return counted


#: What is counted.
KINDS = ("phrases", "names", "summaries", "constants")


def _of_text(path: Path, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        for match in PHRASES.finditer(line):
            yield Finding("phrases", path, number, match[0])


def _of_python(path: Path, text: str) -> Iterator[Finding]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name.strip("_") in BARE_NAMES:
                yield Finding("names", path, node.lineno, node.name)
            summary = (ast.get_docstring(node) or "").partition("\n")[0]
            if len(summary) > 80 or (summary and not _is_imperative(node, summary)):
                yield Finding("summaries", path, node.lineno, f"{node.name}: {summary}")
    comments = _comments(text)
    for node in tree.body:
        name = _numeric_constant(node)
        if name and not _EVIDENCE.search(_comment_of(node, comments)):
            yield Finding("constants", path, node.lineno, name)


#: First words of summaries that are no imperatives.
_NO_IMPERATIVE = re.compile(
    r"""(A|An|The|This|That|These|Those|What|Whether|Which|Who|Whose|How|Where|When|Why|All|Every|Each|One|Some
    |Several|No|None|Nothing|Nobody|Its|Their|It|They|For|Of|In|On|By|As|At|To|If|From|Without|With|Only|Also
    |True|False|Columns|Values|Rows|Records|People|Names|Statements|Tables|Sets|Text|Words|Numbers
    |[A-Z][a-z]+s)\b(?!\()""",
    re.VERBOSE,
)
_VERBS_IN_S = frozenset(
    {"Address", "Assess", "Compress", "Discuss", "Express", "Guess", "Pass", "Press", "Process"}
)


def _is_imperative(node: ast.FunctionDef | ast.AsyncFunctionDef, summary: str) -> bool:
    """Return whether a summary begins with a verb; the summary of a property is a noun phrase."""
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return True
    word = summary.partition(" ")[0]
    return word in _VERBS_IN_S or not _NO_IMPERATIVE.match(summary)


#: A constant's comment ends with its evidence in brackets: a benchmark, a source, what it is derived from.
_EVIDENCE = re.compile(r"\([^)]+\)")


def _comments(text: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def _comment_of(node: ast.stmt, comments: dict[int, str]) -> str:
    """Return the comment on the lines of a statement and directly above it."""
    first, last = node.lineno, node.end_lineno or node.lineno
    while first - 1 in comments:
        first -= 1
    return " ".join(comments.get(line, "") for line in range(first, last + 1))


def _numeric_constant(node: ast.stmt) -> str | None:
    """Return the name of a module constant that holds a number; None for any other statement."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return None
    if not (isinstance(target, ast.Name) and _CONSTANT.match(target.id)):
        return None
    parts = list(ast.walk(value))
    numbers = [p for p in parts if isinstance(p, ast.Constant) and type(p.value) in (int, float)]
    plain = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    return target.id if numbers and all(isinstance(part, plain) for part in parts) else None


def lower() -> None:
    """Write every count that has fallen into the file of ceilings; no ceiling rises."""
    kept, area = [], ""
    for line in CEILINGS.read_text(encoding="utf-8").splitlines():
        area = line.strip('["]') if line.startswith("[") else area
        kind, _, rest = line.partition(" = ")
        if kind in KINDS:
            limit, _, reason = rest.partition("  #")
            line = f"{kind} = {min(int(limit), counts(area)[kind])}" + (f"  #{reason}" if reason else "")
        kept.append(line)
    CEILINGS.write_text("\n".join(kept) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Print the findings of the wings that are named, or lower the ceilings."""
    if arguments == ["--lower"]:
        lower()
        return
    for wing in arguments or wings():
        for kind, path, line, text in findings(wing):
            print(f"{path.relative_to(ROOT)}:{line}: {kind}: {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
