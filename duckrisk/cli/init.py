"""``duckrisk init``: a settings file to correct."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from duckrisk.cli.options import (
    AttachOption,
    EncodingOption,
    HeaderOption,
    MemoryOption,
    QueryOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    UserOption,
    WhereOption,
)
from duckrisk.cli.output import printable, watched, write_text
from duckrisk.errors import UsageError


def init(
    source: SourceArgument = None,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    user: UserOption = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "duckrisk.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write duckrisk.toml: who is who in a source, with the reasons, ready to correct."""
    from duckrisk import config as settings_file
    from duckrisk import roles
    from duckrisk.files import check_target, write_file
    from duckrisk.session import Resources, Session
    from duckrisk.source import Request, open_source, spare_source

    request = Request(source, table, attach, query, where, encoding, header)
    check_target(output)
    spare_source(output, request)
    if output.exists() and not force:
        raise UsageError(f'"{output}" is there already; add --force to replace it.')

    def propose(watch: Any) -> str:
        with Session(Resources(memory, threads, temp), watch) as session:
            opened = open_source(session, request)
            found = roles.infer(session, opened, roles.RoleOverrides(user=user))
            return settings_file.propose(opened, found, request)

    text = watched(propose, quiet=False)
    settings_file.check_written(text)
    write_file(output, lambda path: write_text(path, text), private=False)
    config = "" if output == Path(settings_file.NAME) else f" --config {output}"
    print(
        printable(f"Wrote {output}; correct it and run `duckrisk assess{config}` with the same source."),
        file=sys.stderr,
    )
