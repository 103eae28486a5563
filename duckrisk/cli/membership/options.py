"""The options that the commands that make releases share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ReleaseOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="The release: a .parquet or .csv file.")
]
BandwidthOption = Annotated[
    float | None, typer.Option("--bandwidth", help="Of the Gaussian kernel on numbers, 0 for none. [1]")
]
MatchOption = Annotated[
    bool,
    typer.Option(
        "--match-marginals", help="Draw values as often as the source has them, not rounded normal numbers."
    ),
]
ReleasedOption = Annotated[
    list[str] | None, typer.Option("--attribute", help="Release this column; repeatable. [all]")
]
DrawSeedOption = Annotated[
    int | None, typer.Option("--seed", help="The same draws again. Without it nobody can repeat them.")
]
