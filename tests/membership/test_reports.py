"""The reports of membership: the curves, and the pages that commands write."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from duckrisk.base.sentences import Data
from duckrisk.contests.membership.attacks import scoring
from duckrisk.contests.membership.attacks.results import CurvePoint, Receiver, Score
from duckrisk.report.sections.roc import plot_curves
from duckrisk.report.words import Words
from tests.command import command, measured_once, refused
from tests.fitting import fit
from tests.outline import ALLOWED, Outline

pytestmark = pytest.mark.slow


def receiver(points: list[tuple[float, float]], members: int = 1000, others: int = 1000) -> Receiver:
    curve = tuple(
        CurvePoint(None, round(members * tpr), round(others * fpr), tpr, fpr) for fpr, tpr in points
    )
    return Receiver(members, others, None, None, (), curve)


def test_curves_stay_in_their_frame_and_differ() -> None:
    entries = [receiver([(0, 0), (0.5 / (i + 1), 1), (1, 1)]) for i in range(8)]
    drawing = plot_curves([(Data(f"attacker {i}" * 9), entry) for i, entry in enumerate(entries)]).draw(
        Words()
    )
    lines = [mark for mark in drawing.marks if mark.tag == "polyline"]
    assert len({mark.attributes["class"] for mark in lines}) == len(lines) == 6
    assert drawing.entries_left_out == 2
    for mark in lines:
        for point in mark.attributes["points"].split():
            x, y = map(float, point.split(","))
            assert 120 <= x <= 730
            assert 78 <= y <= 372
    # From the corner, where both rates are at most a thousandth, to the other one.
    assert lines[0].attributes["points"].startswith("120.0,372.0 ")
    assert lines[0].attributes["points"].endswith(" 730.0,78.0")


@pytest.fixture
def once() -> Iterator[None]:
    """Score once what is shown in several forms."""
    with measured_once(scoring, "score"):
        yield


@pytest.mark.usefixtures("once")
def test_the_commands_write_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    heads = ["<b>age</b>", "sex"]
    people = [[17 + i, "fm"[i % 2]] for i in range(60)]
    for name, rows in (("b.csv", people), ("c.csv", people[:30]), ("d.csv", people[:30])):
        with Path(name).open("w", newline="") as file:
            csv.writer(file).writerows([heads, *rows])
    ranked = ["record,score", *(f"{i},{-i if i != 31 else 9}" for i in range(60))]
    Path("s.csv").write_text("\n".join(ranked))
    Path("e.csv").write_text("\n".join(map(str, range(10))))
    base = ["--members", "c.csv", "-q"]
    attack = ["membership", "attack", "b.csv", "d.csv", "--guesses", "5", *base]
    utility = ["membership", "utility", "c.csv", "d.csv", "-q"]
    score = ["membership", "score", "--population", "b.csv", "--guess", "x=e.csv", *base]
    score += ["--scores", "x=s.csv"]
    for number, given in enumerate((attack, utility, score)):
        assert command(*given, "-o", f"{number}.html").code == 0
        page = Path(f"{number}.html").read_text()
        outline = Outline(page)
        assert {tag for tag, _ in outline.tags} <= ALLOWED
        assert ("svg" in {tag for tag, _ in outline.tags}) == (given is not utility)
    refused(2, "html", arguments=[*score, "--format", "csv"])
    assert command(*score, "--format", "html").out == Path("2.html").read_text()
    assert command(*attack, "-o", "guess.csv", "--format", "json").json["guesses"] == 5
    assert len(Path("guess.csv").read_text().split()) == 5
    assert command(*score, "-o", "score.json").code == 0
    data = json.loads(Path("score.json").read_text())
    fit(data, Score)
    points = [(p["false_positives"], p["true_positives"]) for p in data["scores"][0]["curve"]]
    # Record 31 is no member and has the highest score: all 30 members follow, then the others.
    assert points[:3] == [(0, 0), (1, 30), (2, 30)]
    assert points[-1] == (30, 30)
