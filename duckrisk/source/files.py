"""Files: what a path, a folder or a glob pattern stands for, and their paths in SQL that people see."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError, find_similar_names
from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import literal
from duckrisk.source.formats import PARQUET, SUFFIXES, File, format_by_name, format_of, read_head

#: What makes a path a pattern.
_MAGIC = re.compile(r"[*?\[]")
#: SQL that people see lists no more files than these one by one.
LISTED_FILES = 10


def find(name: str) -> tuple[list[File], list[Sentence]]:
    """The files that a path, a folder or a glob pattern stands for, in order, and notes on what was left
    out. Raises SourceError where there are none."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name):
        raise UsageError("source.remote_file")
    path = Path(name)
    if not name:
        raise UsageError("source.source_name_empty")
    try:
        if path.is_dir():
            return _in_folder(name)
        files = existing(name)
    except (OSError, ValueError):  # too long, or with a NUL
        files = []
    if not files:
        raise SourceError("source.file_not_found", name=name, hint=_hint(path))
    return files, []


def _hint(path: Path) -> str:
    """The end of a sentence on a file that is not there: the sources that it may stand for."""
    try:
        folder = path.parent if path.parent.is_dir() else Path(".")
        stems: dict[str, list[Path]] = {}
        for entry in sorted(folder.iterdir()):
            stems.setdefault(_stem(entry), []).append(entry)
        # Without their endings, which most of them have in common.
        likely = [entry for stem in find_similar_names(_stem(path), list(stems), 8) for entry in stems[stem]]
        names = [f'"{entry.name}"' for entry in likely if _is_source(entry)]
    except (OSError, ValueError):
        names = []
    return f"; did you mean {' or '.join(names[:3])}?" if names else "."


def _is_source(entry: Path) -> bool:
    """Whether a file or folder looks as if it could be assessed."""
    if entry.name.startswith(".") or "=" in entry.name:  # a folder key=value tells a value of the data
        return False
    if entry.is_dir():
        return any(format_by_name(inside) is not None or "=" in inside.name for inside in entry.iterdir())
    try:
        readable = format_by_name(entry) is not None and entry.stat().st_size > 0
        return readable and entry.is_file() and format_of(File(str(entry), entry)) is not None
    except SourceError:
        return False


def _stem(path: Path) -> str:
    """The name of a file without what tells its kind, also where that is misspelled."""
    name = path.name
    while (suffix := Path(name).suffix) and suffix.lower() in SUFFIXES:
        name = name.removesuffix(suffix)
    return path.stem if name == path.name else name


def existing(name: str) -> list[File]:
    """The files of that name or, where there is none, of that glob pattern; each only once."""
    if Path(name).is_file():
        return [File(name, Path(name).resolve())]
    if not any(character in name for character in "*?["):
        return []
    # What clusters leave half done starts with an underscore, and is read only if the pattern says so.
    marked = any(part.startswith("_") for part in Path(name).parts)
    entries = [
        entry
        for entry in sorted(glob.glob(name, recursive=True))
        if os.path.isfile(entry) and (marked or not any(part.startswith("_") for part in Path(entry).parts))
    ]
    return _each_once(entries)


def _each_once(entries: Iterable[str]) -> list[File]:
    """Files with where they truly are, each under its first name; a folder is looked up but once."""
    folders: dict[str, str] = {}
    found: dict[str, str] = {}
    for entry in entries:
        folder, name = os.path.split(entry)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        linked = os.path.islink(entry)
        found.setdefault(os.path.realpath(entry) if linked else os.path.join(folders[folder], name), entry)
    return [File(entry, Path(path)) for path, entry in found.items()]


def _in_folder(name: str) -> tuple[list[File], list[Sentence]]:
    root = Path(name)
    entries: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [inside for inside in folders if not inside.startswith((".", "_"))]
        here = Path(folder)
        paths = (str(here / file) for file in names if not file.startswith((".", "_")))
        entries += filter(os.path.isfile, paths)
    if not entries:
        raise SourceError("source.folder_empty", name=name)
    inside = _each_once(sorted(entries, key=lambda entry: entry.split(os.sep)))
    by_format: dict[str, list[File]] = {}
    for file in inside:
        by_format.setdefault(_kind_in_folder(file), []).append(file)
    if {"parquet", "csv"} <= by_format.keys():
        raise SourceError("source.folder_mixed", name=name, root=root / "**" / "*.parquet")
    for file_format in ("parquet", "csv", "json", "text"):
        if file_format in by_format:
            passed = sum(len(files) for other, files in by_format.items() if other != file_format)
            return by_format[file_format], [
                Sentence("source.passed_over", count=format_number(passed))
            ] if passed else []
    raise SourceError("source.folder_without_tables", name=name, count=len(inside))


def _kind_in_folder(file: File) -> str:
    """Return the format of a file in a folder, "text" for a possible remark, "other" for what is no data."""
    shown = Path(file.shown)
    if shown.suffix.lower() == ".txt":
        return "text"
    by_name = format_by_name(shown)
    if by_name is not None:
        return by_name.name
    return PARQUET.name if PARQUET.recognizes(read_head(file.path), by_name=False) else "other"


def engine_path(path: str | os.PathLike[str]) -> str:
    """A path as DuckDB must be given it: ``*``, ``?`` and ``[`` are escaped, so it names one file."""
    return _MAGIC.sub(r"[\g<0>]", os.fspath(path))


def readable_paths(session: Session, name: str, files: Sequence[File], notes: list[Sentence]) -> list[str]:
    """The paths of the files for SQL that people see, as the engine takes them: of many files a pattern that
    finds these and no others. What stands after the ``=`` of a folder or a file is a value of the data, so
    patterns take its place where nobody typed it; a note says what these find beside the files."""
    written, hidden = [engine_path(file.shown) for file in files], _patterns(name, files)

    def found(patterns: list[str]) -> list[str]:
        # DuckDB 1.5 writes ./ before what a pattern of the first folder matches.
        return sorted(row["file"].removeprefix("./") for row in session.run("glob_files", patterns=patterns))

    as_they_are = hidden == written
    if not as_they_are:
        _hide(session, name, files, hidden, found)
    if as_they_are and len(files) <= LISTED_FILES:
        return written
    pattern = _pattern(name, files) if as_they_are and Path(name).is_dir() else name
    if found([pattern]) == sorted(file.shown.removeprefix("./") for file in files):
        return [pattern]
    if as_they_are:
        return written
    patterns = list(dict.fromkeys(hidden))
    if (more := len(found(patterns)) - len(files)) > 0:
        notes.append(Sentence("source.printed_more", count=format_number(more)))
    return patterns


def _patterns(name: str, files: Sequence[File]) -> list[str]:
    """The path of each file as the engine takes it, with patterns for values that nobody typed."""
    typed = set(name.split(os.sep))
    return [
        os.sep.join(_hidden(part, typed) for part in file.shown.split(os.sep))
        if "=" in file.shown
        else engine_path(file.shown)
        for file in files
    ]


def hide_paths(session: Session, name: str, files: Sequence[File]) -> None:
    """Keep paths that hold values which nobody typed out of a script of the run."""
    for file, pattern in zip(files, _patterns(name, files), strict=True):
        if pattern != engine_path(file.shown):
            session.hidden_paths.paths |= {literal(str(file.path)), literal(engine_path(file.path))}


def _hide(
    session: Session,
    name: str,
    files: Sequence[File],
    patterns: Sequence[str],
    found: Callable[[list[str]], list[str]],
) -> None:
    """Let patterns stand for the paths of these files in a script of the run, if possible in their order."""
    if session.resources.sql_log is None:
        return
    shown, each = [file.shown for file in files], list(dict.fromkeys(patterns))
    pattern = _pattern(name, files) if Path(name).is_dir() else name
    if found([pattern]) == shown:
        each = [pattern]
    else:
        session.hidden_paths.extra_files += len(found(each)) - len(files)
    here = engine_path(Path.cwd())
    paths, everywhere = [engine_path(file.path) for file in files], [os.path.join(here, one) for one in each]
    session.hidden_paths.patterns[literal(paths)] = literal(everywhere)


def _pattern(folder: str, files: Sequence[File]) -> str:
    """A pattern for files below a folder, by what their names end with."""
    (suffix, *others) = {os.path.splitext(file.shown)[1] for file in files}
    below = "**/" if len({os.path.dirname(file.shown) for file in files}) > 1 else ""
    return f"{engine_path(Path(folder))}{os.sep}{below}*{suffix if not others else ''}"


def _hidden(part: str, typed: set[str]) -> str:
    """A part of a path as the engine takes it, with a pattern in place of a value that was not typed."""
    key, sign, value = part.partition("=")
    if not sign or part in typed:
        return engine_path(part)
    return f"{engine_path(key)}=*{engine_path(''.join(Path(value).suffixes))}"


def is_hive(files: Sequence[File], root: str) -> bool:
    """Whether folders below the named one are called ``key=value``, with the same keys for all files."""
    below = Path(root).resolve() if Path(root).is_dir() else None
    keys = {
        tuple(part.split("=", 1)[0] for part in _below(folder, below).parts if "=" in part)
        for folder in map(Path, {os.path.dirname(file.path) for file in files})
    }
    named = below is not None or any(character in root for character in "*?[")
    return named and len(keys) == 1 and keys != {()}


def _below(path: Path, folder: Path | None) -> Path:
    """A path from a folder on, or all of it where it is elsewhere."""
    return path.relative_to(folder) if folder is not None and path.is_relative_to(folder) else path
