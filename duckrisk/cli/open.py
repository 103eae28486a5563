"""``duckrisk open``: a local page in the browser to decide in."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import Language, Output, SettingsFile
from duckrisk.base.options.page import Options
from duckrisk.base.options.source import Resources
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import print_result, run_with_progress
from duckrisk.cli.settings import find_settings_file, report_language
from duckrisk.cli.signature import CommandLine, command


@command(
    SettingsFile,
    select_options(Resources, "memory", "threads", "temp"),
    select_options(
        Output, "show_values", show_values={"help": "Show values of people's records on the page."}
    ),
    Options,
    Language,
)
def open(args: CommandLine, source: SourceArgument = None) -> None:
    """Open a local page to decide in: roles, policy, levels of columns, releases.

    Only this machine reaches it. It ends with Ctrl-C or after 30 minutes without a request, and leaves
    nothing.
    """
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise UsageError("page.not_installed")
    from duckrisk.api import config
    from duckrisk.base import toml
    from duckrisk.page.board import Board
    from duckrisk.page.serving import serve
    from duckrisk.page.settings import Given

    if source in (None, "-"):
        raise UsageError("page.source_missing")
    path, content = find_settings_file(args), {}
    table = None
    if path is not None:
        config.load(path)
        content = toml.read_toml(path, "settings file")
        # A release is no table of the database, so that commands name it, and no settings.
        table = content.get("source", {}).pop("table", None)
    given = Given(
        source=str(source),
        content=content,
        folder=path.parent if path is not None else Given.folder,
        language=args.options(Language).language,
        show_values=args.options(Output).show_values,
        table=table,
    )
    language, options = report_language(args), args.options(Options)
    board = Board(given, args.options(Resources))

    def announce(address: str) -> None:
        _print_address(address, language)
        if not options.no_browser:
            _open_browser(write_entrance(board.bench.folder, address))

    try:
        run_with_progress(board.open_source, quiet=False, language=language, command="open")
        serve(board, announce, options.port)
    finally:
        board.close()


def _print_address(address: str, language: str) -> None:
    from duckrisk.base.sentences import Data, Sentence
    from duckrisk.report.words import Words

    words = Words(language)
    lines = (Sentence("page.address", address=Data(address)), Sentence("page.ends"))
    print_result("".join(f"{words.format(line)}\n" for line in lines))


def write_entrance(folder: Path, address: str) -> Path:
    """Write a file that leads to the page, for this user alone.

    The arguments of a browser can be read by all users of the machine; the ticket must not be among them.

    Args:
        folder: The private folder of the run.
        address: The first address.
    """
    from duckrisk.page.settings import write_text

    path = folder / "open.html"
    write_text(path, f'<!DOCTYPE html>\n<meta http-equiv="refresh" content="0;url={address}">\n')
    return path


def _open_browser(path: Path) -> None:
    import threading
    import webbrowser

    # A browser in the terminal would wait for its end.
    threading.Thread(target=webbrowser.open, args=(path.as_uri(),), daemon=True).start()
