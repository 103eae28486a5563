"""The reports of membership in their forms: an HTML page of hostile names, the curves, the files."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from duckrisk.report.html import POLICY
from duckrisk.report.membership.figures import curves
from duckrisk.report.parts import Part, Report
from duckrisk.report.svg import Drawing
from duckrisk.report.tables import Table
from duckrisk.report.text import Data
from tests.command import command, refused
from tests.membership.test_scoring import SCHEMA
from tests.test_report_html import ALLOWED, Outline
from tests.test_report_text import HOSTILE

pytestmark = pytest.mark.slow


@dataclass(frozen=True, repr=False)
class Made(Report):
    """A report where the same name stands everywhere."""

    name: str
    data: dict[str, Any]

    def title(self) -> str:
        return self.name

    def parts(self) -> list[Part]:
        drawing = Drawing("", [Data(self.name)], Table(("a",), ((Data(self.name),),)), height=40)
        drawing.label(self.name, 0, 10)
        drawing.legend([("dot", "blue", Data(self.name))], 16, 30)
        table = Table(("name", "n"), ((Data(self.name), self.name),), (1,))
        return [
            Part(self.name),
            Part(self.name, 2),
            Part(self.name, 3),
            Part(table=table),
            Part(self.name, figure=drawing),
            Part(self.name, figure=drawing),
        ]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_on_a_page_are_only_ever_text(name: str) -> None:
    report = Made(name, {})
    page = report.to_html()
    outline = Outline(page)
    assert {tag for tag, _ in outline.tags} <= ALLOWED
    assert name in outline.names
    for _, attributes in outline.tags:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "srcset", "action")]
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert POLICY in page.replace("&#39;", "'")
    assert len([tag for tag, _ in outline.tags if tag == "svg"]) == 2
    assert "svg" not in report.to_markdown() + report.to_text()


def test_a_page_without_a_head_or_a_part() -> None:
    class Bare(Made):
        def parts(self) -> list[Part]:
            return []

    assert "<section" not in Bare("x", {}).to_html()


def entry(points: list[tuple[float, float]], members: int = 1000, others: int = 1000) -> dict[str, Any]:
    curve = [{"fpr": f, "tpr": t, "false_positives": round(others * f), "true_positives": round(members * t),
              "threshold": None} for f, t in points]  # fmt: skip
    return {"members": members, "others": others, "curve": curve}


def test_curves_stay_in_their_frame_and_differ() -> None:
    drawing = curves([(f"attacker {i}" * 9, entry([(0, 0), (0.5 / (i + 1), 1), (1, 1)])) for i in range(8)])
    assert drawing is not None
    lines = [mark for mark in drawing.marks if mark.tag == "polyline"]
    assert len({mark.attributes["class"] for mark in lines}) == len(lines) == 6
    assert drawing.left_out == 2
    for mark in lines:
        for point in mark.attributes["points"].split():
            x, y = map(float, point.split(","))
            assert 80 <= x <= 620
            assert 84 <= y <= 500
    # From the corner, where both rates are at most a thousandth, to the other one.
    assert lines[0].attributes["points"].startswith("80.0,500.0 ")
    assert lines[0].attributes["points"].endswith(" 620.0,84.0")
    assert curves([("a", entry([]))]) is None


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
    refused(2, "0.html", "--overwrite", arguments=[*attack, "-o", "0.html"])
    assert command(*score, "--format", "html").out == Path("2.html").read_text()
    assert command(*attack, "-o", "guess.csv", "--format", "json").json["guesses"] == 5
    assert len(Path("guess.csv").read_text().split()) == 5
    assert command(*score, "-o", "score.json").code == 0
    data = json.loads(Path("score.json").read_text())
    validate(data, json.loads(SCHEMA.read_text()))
    points = [(p["false_positives"], p["true_positives"]) for p in data["scores"][0]["curve"]]
    # Record 31 is no member and has the highest score: all 30 members follow, then the others.
    assert points[:3] == [(0, 0), (1, 30), (2, 30)]
    assert points[-1] == (30, 30)
