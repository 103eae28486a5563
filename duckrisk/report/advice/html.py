"""Advice as one HTML page that needs no script and no network."""

from __future__ import annotations

from typing import Any

from duckrisk.report import text
from duckrisk.report.advice import figures, sentences, tables
from duckrisk.report.advice.terminal import command_lines
from duckrisk.report.html import POLICY, environment
from duckrisk.report.text import Data, say, visible


def to_html(data: dict[str, Any]) -> str:
    """One self-contained HTML page."""
    commands = [
        (sentences.what(line), "\n".join(command_lines([visible(one) for one in words])))
        for line, words in zip(data["lines"][1:], sentences.commands(data), strict=True)
    ]
    return (
        environment()
        .get_template("advice.html.j2")
        .render(
            policy=POLICY,
            language=text.LANGUAGE,
            title=sentences.title(data),
            headline=sentences.headline(data),
            ended=sentences.ended(data),
            plot=figures.plot(data),
            steps=tables.steps(data),
            commands=commands,
            reading=[sentences.about(data), *sentences.reading(data)],
            notes=[Data(note) for note in data["notes"]],
            versions=say("advice.versions", duckrisk=data["duckrisk"]),
        )
    )
