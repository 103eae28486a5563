"""Opens all files of a run at once and locks the session to them.

A file of the contest has no header and is read as it is written; any other history is a source of any kind
with named columns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.common import keep_file_order
from duckrisk.contests.pwscup.options import Options, whole
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source import Request, Source, encoding, files, formats, open_sources


@dataclass(frozen=True)
class Text:
    """A file of text lines.

    Attributes:
        path: The file as UTF-8, a decoded copy if necessary.
        marked: Whether it opens with a byte order mark.
        foreign: Whether it is written in another encoding than UTF-8.
    """

    path: str
    marked: bool = False
    foreign: bool = False


@dataclass(frozen=True)
class Opened:
    """An opened file: its name for messages, and its text, or its source and the view of its records."""

    name: str
    text: Text | None = None
    source: Source | None = None
    view: str | None = None

    @property
    def source_and_view(self) -> tuple[Source, Sql]:
        """The source with named columns, and the view of its records."""
        assert self.source is not None
        assert self.view is not None
        return self.source, identifier(self.view)


def partial_role(alpha: float) -> str:
    """Return the role of the partial table of a percentage, the same for 25 and 25.0."""
    return f"partial_{whole(alpha)}"


class Files:
    """The files of one run by their roles: "original", "master", "release_0", "partial_25", "guess_0".

    Args:
        session: The session, which is locked to the files and to the `outputs`.
        options: The options, with the layout of named columns.
        original: The history that releases are made of.
        master: The master table.
        releases: The releases, numbered from 0.
        partials: The partial tables by their percentage.
        guesses: The guesses, numbered from 0.
        outputs: Files that the run writes.
        named: Whether a file that is none of the contest can be read by naming its columns.

    Raises:
        UsageError: A request is none for a file of the contest.
        SourceError: A file cannot be read.
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
        #: Whether lines must end with LF, as those of the original do.
        self.plain = False
        self._texts: list[Path] = []
        requests: dict[str, Request] = {"original": original} if original is not None else {}
        if master is not None:
            requests["master"] = master
        requests |= {f"release_{number}": request for number, request in enumerate(releases)}
        requests |= {partial_role(alpha): request for alpha, request in (partials or {}).items()}
        guessed = {f"guess_{number}": request for number, request in enumerate(guesses)}
        keep_file_order(session)
        self._opened: dict[str, Opened] = {}
        texts = guessed if options.layout is not None else requests | guessed
        for role, request in texts.items():
            self._opened[role] = self._open_text(request, _advice(role in guessed, named))
        allowed = [*self._texts, *outputs]
        if options.layout is None:
            paths = {str(path) for path in allowed}
            session.lock(sorted(paths | {files.escape_glob(path) for path in paths}))
            return
        views = {role: f"pws_file_{number}" for number, role in enumerate(requests)}
        opened = open_sources(session, [(views[role], requests[role]) for role in requests], allowed)
        for role, source in zip(requests, opened, strict=True):
            self._opened[role] = Opened(source.name, source=source, view=views[role])

    def __getitem__(self, role: str) -> Opened:
        return self._opened[role]

    def __contains__(self, role: str) -> bool:
        return role in self._opened

    def _open_text(self, request: Request, advice: str) -> Opened:
        """Open a file of text lines as UTF-8; `advice` ends the sentence of an error."""
        if not isinstance(request.source, (str, os.PathLike)) or str(request.source) == "-":
            raise UsageError("pwscup.not_a_file", otherwise=advice)
        name = os.fspath(request.source)
        paths, _ = files.find_files(name)
        if len(paths) != 1:
            raise UsageError("pwscup.several_files", name=name, count=len(paths))
        file, short = paths[0], formats.short_name(name)
        if file.path.stat().st_size == 0:
            raise SourceError("pwscup.empty_file", shown=short)
        if (file_format := formats.detect_format(file).name) != "csv":
            raise SourceError("pwscup.not_a_text_file", shown=short, kind=file_format, otherwise=advice)
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
        return Opened(short, Text(files.escape_glob(path), written == "utf-8-sig", not plain))


def _advice(is_guess: bool, named: bool) -> str:
    """Return what to do about a file that is none of the contest."""
    if is_guess:
        return "guesses are CSV files"
    return "name its columns with --user, --date and --item" if named else "the files of 2018 are CSV files"
