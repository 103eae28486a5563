"""``duckrisk init``: a settings file to correct."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, printable, watched, write_text
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.options.output import Language, Output
from duckrisk.options.roles import RoleOverrides
from duckrisk.options.source import Request, Resources


@command(
    Request,
    Resources,
    some(RoleOverrides, "user"),
    some(
        Output,
        *("output", "overwrite"),
        output={"help": "The file to write.", "shown": "duckrisk.toml"},
        overwrite={"formerly": ("--force",)},
    ),
)
def init(args: CommandLine, source: SourceArgument = None) -> None:
    """Write duckrisk.toml: who is who in a source, with the reasons, ready to correct."""
    from duckrisk import config as settings_file
    from duckrisk import roles
    from duckrisk.files import refuse_overwriting, write_file
    from duckrisk.session import Session
    from duckrisk.source import open_source

    out = args.options(Output)
    output = out.output or Path(settings_file.NAME)
    request = args.options(Request, source=source)
    check_outputs(args, [request], output=output)
    refuse_overwriting(output, out.overwrite)

    def propose(progress: Any) -> str:
        with Session(args.options(Resources), progress) as session:
            session.steps.plan("source", "roles")
            opened = open_source(session, request)
            session.steps.begin("roles")
            decided = roles.infer(session, opened, args.options(RoleOverrides))
            return settings_file.propose(opened, decided, request)

    text = watched(propose, quiet=False, language=Language().spoken)
    settings_file.check_written(text)
    write_file(output, lambda path: write_text(path, text), private=False)
    config = "" if output == Path(settings_file.NAME) else f" --config {output}"
    print(
        printable(f"Wrote {output}; correct it and run `duckrisk assess{config}` with the same source."),
        file=sys.stderr,
    )
