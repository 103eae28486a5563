"""``duckrisk pwscup``: releases of long purchase histories, as in the contest of 2017."""

from __future__ import annotations

import typer

app = typer.Typer(help="Purchase histories under pseudonyms: the contest of 2017.", no_args_is_help=True)

# Each command is a function in a module of its own, imported above and registered here.
