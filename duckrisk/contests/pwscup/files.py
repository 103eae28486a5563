"""Opens the files of a run, all at once: then the session is locked to them.

A file of the contest has no header and is read as it is written; any other history is a source of any kind
with named columns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.pwscup.options import Options
from duckrisk.engine.session import Session
from duckrisk.source import Request, Source, encoding, files, formats, open_sources


@dataclass(frozen=True)
class Text:
    """A file of text lines: where it is, as UTF-8, and how it was written."""

    path: str
    marked: bool = False
    foreign: bool = False


@dataclass(frozen=True)
class Opened:
    """An opened file: its name for people, and its text or the view of its records."""

    name: str
    text: Text | None = None
    source: Source | None = None
    view: str | None = None


class Files:
    """The files of one run, opened at once: the session is locked to them and to ``outputs``.

    ``releases`` and ``guesses`` are told by their place, ``partials`` by their percentage. ``named`` says
    that columns can be named of what is no file of the contest.
    """

    def __init__(
        self,
        session: Session,
        options: Options,
        original: Request | None = None,
        master: Request | None = None,
        releases: Sequence[Request] = (),
        partials: Mapping[float, Request] | None = None,
        guesses: Sequence[Request] = (),
        outputs: Sequence[str | Path] = (),
        named: bool = True,
    ) -> None:
        options.check()
        self.session, self.options = session, options
        #: Whether lines have to end with LF, as those of the original do.
        self.plain = False
        self._texts: list[Path] = []
        asked: dict[str, Request] = {"original": original} if original is not None else {}
        if master is not None:
            asked["master"] = master
        asked |= {f"release_{number}": request for number, request in enumerate(releases)}
        asked |= {f"partial_{alpha}": request for alpha, request in (partials or {}).items()}
        guessed = {f"guess_{number}": request for number, request in enumerate(guesses)}
        # Records have places: they are read in the order of the file.
        session.run("set_option", option="preserve_insertion_order", setting=True)
        self._opened: dict[str, Opened] = {}
        texts = guessed if options.layout is not None else asked | guessed
        for role, request in texts.items():
            self._opened[role] = self._text(request, _otherwise(role in guessed, named))
        allowed = [*self._texts, *outputs]
        if options.layout is None:
            paths = {str(path) for path in allowed}
            session.lock(sorted(paths | {files.engine_path(path) for path in paths}))
            return
        views = {role: f"pws_file_{number}" for number, role in enumerate(asked)}
        opened = open_sources(session, [(views[role], asked[role]) for role in asked], allowed)
        for role, source in zip(asked, opened, strict=True):
            self._opened[role] = Opened(source.name, source=source, view=views[role])

    def __getitem__(self, role: str) -> Opened:
        return self._opened[role]

    def __contains__(self, role: str) -> bool:
        return role in self._opened

    def _text(self, request: Request, otherwise: str) -> Opened:
        """A file of text lines, as UTF-8; else a sentence that says what to do ``otherwise``."""
        if not isinstance(request.source, (str, os.PathLike)) or str(request.source) == "-":
            raise UsageError("pwscup.not_a_file", otherwise=otherwise)
        name = os.fspath(request.source)
        paths, _ = files.find(name)
        if len(paths) != 1:
            raise UsageError("pwscup.several_files", name=name, count=len(paths))
        file, short = paths[0], formats.short(name)
        if file.path.stat().st_size == 0:
            raise SourceError("pwscup.empty_file", shown=short)
        if (file_format := formats.format_of(file).name) != "csv":
            raise SourceError("pwscup.not_a_text_file", shown=short, kind=file_format, otherwise=otherwise)
        try:
            written = request.encoding or encoding.sniff_encoding(file.path)
            plain = written in ("utf-8", "utf-8-sig") and request.encoding is None
            path = file.path
            if not plain or encoding.is_gzip(path):
                path = self.session.folder / f"text-{len(self._texts)}"
                encoding.transcode(file.path, written, path)
        except SourceError:
            raise SourceError("pwscup.unknown_encoding", shown=short) from None
        self._texts.append(path)
        return Opened(short, Text(files.engine_path(path), written == "utf-8-sig", not plain))


def _otherwise(guess: bool, named: bool) -> str:
    if guess:
        return "guesses are CSV files"
    return "name its columns with --user, --date and --item" if named else "the files of 2018 are CSV files"
