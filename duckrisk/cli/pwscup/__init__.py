"""``duckrisk pwscup``: releases of long purchase histories, as in the contest of 2017."""

from __future__ import annotations

import typer

from duckrisk.cli.pwscup import (
    anonymize,
    attack,
    check,
    partial_knowledge,
    pseudonyms,
    release,
    score,
    utility,
)
from duckrisk.cli.signature import GroupedCommand

app = typer.Typer(help="Purchase histories under pseudonyms: the contest of 2017.", no_args_is_help=True)
for command in (
    anonymize.anonymize,
    check.check,
    pseudonyms.pseudonyms,
    release.release,
    partial_knowledge.partial_knowledge,
    attack.attack,
    utility.utility,
    score.score,
):
    app.command(cls=GroupedCommand)(command)
