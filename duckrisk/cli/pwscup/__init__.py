"""``duckrisk pwscup``: releases of long purchase histories, as in the contests of 2017 and 2018."""

from __future__ import annotations

import typer

from duckrisk.cli.pwscup import (
    anonymize,
    attack,
    check,
    lifetimes,
    partial_knowledge,
    pseudonyms,
    release,
    score,
    score_2018,
    utility,
)
from duckrisk.cli.signature import GroupedCommand

app = typer.Typer(
    help="Purchase histories under pseudonyms: the contests of 2017 and 2018.", no_args_is_help=True
)
for command in (
    anonymize.anonymize,
    check.check,
    pseudonyms.pseudonyms,
    release.release,
    partial_knowledge.partial_knowledge,
    attack.attack,
    utility.utility,
    score.score,
    lifetimes.lifetimes,
    score_2018.score_2018,
):
    app.command(cls=GroupedCommand)(command)
