"""The files of one state: all that another person needs to make the release again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.files import read_text
from duckrisk.page import settings as files
from duckrisk.page.bench import Bench
from duckrisk.page.state import State

#: Bytes of an SQL log (a choice: that of a release has some hundred kB).
_MAX_LOG = 256 * 2**20


@dataclass(frozen=True)
class Exported:
    """The files of a state by their names, in the private folder."""

    files: Mapping[str, Path]


def export(bench: Bench, state: State) -> Exported:
    """Write the files of a state: settings, commands, report, SQL log, release.

    Args:
        bench: What makes them.
        state: The state.

    Raises:
        DuckriskError: One of them cannot be made.
    """
    bench.check_source()
    folder = bench.make_export_folder()
    try:
        return _write_files(bench, state, folder)
    except BaseException:  # it was cancelled, too: nobody gets what is there of it
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_files(bench: Bench, state: State, folder: Path) -> Exported:
    texts = {
        files.SETTINGS: files.write_settings(bench.given, state),
        files.COMMANDS: files.write_commands(bench.given, state),
    }
    log = folder / files.LOG if bench.given.has_log else None
    if state.is_treated:
        release = bench.release(state, folder, log)
        texts[files.RECIPE] = release.recipe
        report = bench.assess_release(state, folder, quick=False)
    else:
        report = bench.assess_source(state, log)
    texts[files.REPORT] = report.to_html(bench.given.report_language)
    texts[files.FIGURES] = report.to_json()
    # The log names files by their paths, and the commands are typed in their folder.
    if log is not None:
        texts[files.LOG] = read_text(log, _MAX_LOG).replace(f"{folder}{os.sep}", "")
    for name, text in texts.items():
        files.write_text(folder / name, text)
    names = (
        files.RELEASE,
        files.RECIPE,
        files.SETTINGS,
        files.COMMANDS,
        files.LOG,
        files.REPORT,
        files.FIGURES,
    )
    return Exported({name: folder / name for name in names if (folder / name).exists()})
