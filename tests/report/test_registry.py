"""A kind of report is registered once: then it has a schema, a list of its keys, and a document."""

from __future__ import annotations

import ast
from pathlib import Path

from duckrisk.base.shapes import keys_of
from duckrisk.report.registry import judged_kinds, report_kinds, section_of
from duckrisk.report.schema import schema
from tests.cases import Cases
from tests.shapes import lines

PACKAGE = Path(__file__).resolve().parents[2] / "duckrisk"
#: The keys of the JSON form of each kind of report.
SHAPES = Path(__file__).parent / "shapes"


def classes_of_results() -> set[tuple[str, str]]:
    """The module and the name of every class of results that the package defines."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and "Result" in map(ast.unparse, node.bases):
                found.add((module, node.name))
    return found


def test_every_class_of_results_is_registered_once() -> None:
    kinds = report_kinds()
    assert sorted((kind.__module__, kind.__name__) for kind in kinds) == sorted(classes_of_results())
    assert len({kind.report for kind in kinds}) == len(kinds)


def test_every_kind_has_a_document_and_keys() -> None:
    names = {kind.report for kind in report_kinds()}
    assert names == {path.stem for path in SHAPES.iterdir()}
    assert all(callable(section_of(kind).make_document) for kind in report_kinds())


def test_keys_and_types_stay() -> None:
    """One line a key: a change here is a change for everybody who reads the JSON, and raises its version."""
    with Cases() as case:
        for kind in report_kinds():
            with case(kind.report):
                told = (SHAPES / f"{kind.report}.txt").read_text(encoding="utf-8").splitlines()
                assert lines(schema(kind)) == told


def test_a_kind_that_holds_gates_is_judged() -> None:
    assert {*judged_kinds()} == {kind for kind in report_kinds() if "gates" in keys_of(kind)}
