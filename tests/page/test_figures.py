"""The figures of the sliders: of large tables first from a sample, and the page says which they are."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from duckrisk.page import view
from duckrisk.report.words import LANGUAGES
from tests.page.opened import Page, opened, patients, text_of

SAID = {
    "en": ("from a sample, 95% interval", "about ", "the exact figure follows"),
    "ja": ("標本による推定、95%信頼区間", "約", "正確な値は計算中"),
}


@pytest.fixture(params=LANGUAGES)
def large(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page of a table that counts as a large one, of whose 240 people every second is drawn."""
    monkeypatch.setattr("duckrisk.measures.uniqueness.published.SAMPLED_FROM", 200)
    monkeypatch.setattr("duckrisk.measures.uniqueness.published._DRAWN", 120)
    with opened(patients(tmp_path), language=request.param) as page:
        page.post("/role", column=page.position("patient_id"), role="user")
        yield page


def show(page: Page) -> str:
    """What the page says while exact figures are still missing."""
    figures = page.board.figures
    rows = view._list_figures(dataclasses.replace(figures, together=None), page.board.state)
    words = view.Words(page.board.opening.report_language)
    return " ".join(words.format(part) for row in rows for part in row if part)


@pytest.mark.slow
def test_a_sample_comes_first_and_says_so(large: Page) -> None:
    page, said = large, SAID[large.board.opening.report_language]
    page.slide("zip", "prefix2")
    text = text_of(page.settle())
    figures = page.board.figures
    assert figures.sample is not None
    assert figures.is_complete
    assert said[0] not in text
    assert said[2] not in text
    assert all(words in show(page) for words in said)
    assert figures.sample.smallest_class_at_most >= figures.together.smallest_class
    assert figures.sample.share_lower <= figures.together.share <= figures.sample.share_upper


@pytest.mark.slow
def test_who_is_alone_in_a_sample_is_alone(large: Page) -> None:
    """A smallest class of one person is exact, so it is not called a bound."""
    large.settle()
    assert large.board.figures.sample.smallest_class_at_most == 1
    assert ("at most" in show(large), "1以下" in show(large)) == (False, False)


def test_a_small_table_has_no_sample(tmp_path: Path) -> None:
    with opened(patients(tmp_path)) as page:
        assert page.board.figures.sample is None
        assert page.board.figures.is_complete


@pytest.mark.slow
def test_a_table_without_users_and_one_without_quasi_identifiers(large: Page) -> None:
    large.post("/role", column=large.position("patient_id"), role="insensitive")
    large.settle()
    assert large.board.figures.sample.people <= 240
    for column in large.board.columns:
        large.post("/role", column=column.position, role="insensitive")
    large.settle()
    assert large.board.figures.sample is None
