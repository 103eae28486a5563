"""The pages of docs/: those that are made are fresh, and the others show what really happens."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

import duckrisk
from tests import readme
from tests.cases import Cases
from tests.command import ROOT, command
from tests.tables import COMMANDS_FROM, EXAMPLES, thinned

DOCS = ROOT / "docs"
RETAIL = ROOT / "datasets" / "retail.parquet"
#: Where examples are few, those of the whole history are left out.
PAGES = [page for page in readme.pages() if EXAMPLES >= COMMANDS_FROM or RETAIL.name not in readme.text(page)]


def test_pages_made_of_options_and_docstrings_are_fresh() -> None:
    made = runpy.run_path(str(DOCS / "pages.py"))["make_pages"]()
    kept = {path.relative_to(DOCS) for path in [*DOCS.glob("commands/*.md"), DOCS / "api.md"]}
    assert kept == set(made)
    with Cases() as case:
        for path, text in made.items():
            with case(f"{path}: `python docs/pages.py` writes it anew"):
                assert (DOCS / path).read_text(encoding="utf-8") == text


@pytest.mark.slow
@pytest.mark.parametrize("page", thinned(PAGES, all_from=COMMANDS_FROM), ids=lambda page: page.stem)
def test_a_page_shows_what_happens(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs and commands run one after the other; an output has what is shown of it, in this order."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").mkdir()
    shutil.copy(RETAIL, tmp_path / "datasets")
    names: dict[str, object] = {}
    for kind, text, shown in readme.steps(page):
        if kind == "python":
            exec(text, names)
        elif kind != "command":
            (tmp_path / kind).write_text(text, encoding="utf-8")
        elif not text.startswith(("duckrisk open ", "duckrisk mcp ")):  # these serve until they are ended
            (line,) = readme.commands(text)
            done = command(*line.arguments)
            assert done.code == 0, (text, done.err)
            printed, begin = done.out + done.err, 0
            for part in re.split(r"^…\n", shown, flags=re.MULTILINE):
                assert part in printed[begin:], (text, printed)
                begin = printed.index(part, begin) + len(part)


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    headings = re.findall(r"^##+ .*$", readme.text(ROOT / "CHANGELOG.md"), re.MULTILINE)
    kinds = {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}
    versions = [heading for heading in headings if heading not in kinds]
    assert versions[0] == "## [Unreleased]"
    assert all(re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", version) for version in versions[1:])
    assert versions[1].startswith(f"## [{duckrisk.__version__}]")
    of_each = "\n".join(headings).split("\n## ")
    assert all(len(set(part.splitlines())) == len(part.splitlines()) for part in of_each)
