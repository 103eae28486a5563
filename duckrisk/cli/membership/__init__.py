"""``duckrisk membership``: who was in the table that a release was made from."""

from __future__ import annotations

from typing import Any

import typer

from duckrisk.cli.membership import anneal, attack, exposed, risks, score, synthesize, utility
from duckrisk.cli.signature import GroupedCommand

app = typer.Typer(help="Who was in the table that a release was made from.", no_args_is_help=True)
commands: tuple[Any, ...] = (
    anneal.anneal,
    attack.attack,
    exposed.exposed,
    risks.risks,
    score.score,
    synthesize.synthesize,
    utility.utility,
)
for command in commands:
    app.command(cls=GroupedCommand)(command)
