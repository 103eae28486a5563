"""``duckrisk pwscup``: releases of long purchase histories, as in the contest of 2017."""

from __future__ import annotations

import typer

from duckrisk.cli.pwscup import check

app = typer.Typer(help="Purchase histories under pseudonyms: the contest of 2017.", no_args_is_help=True)
for command in (check.check,):
    app.command()(command)
