"""Finds the files of a path, a folder or a glob pattern, and writes their paths for printed SQL."""

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
from duckrisk.source.formats import PARQUET, SUFFIXES, File, detect_format, format_by_name, read_head

#: Characters that make a path a pattern.
_MAGIC = re.compile(r"[*?\[]")
#: Files; printed SQL lists at most this many, and else a pattern (a choice: a statement stays readable).
MAX_LISTED_FILES = 10


def find_files(name: str) -> tuple[list[File], list[Sentence]]:
    """Find the files of a source.

    Args:
        name: A path, a folder or a glob pattern, as a person typed it.

    Returns:
        The files in order, and notes on other files that are not read.

    Raises:
        UsageError: The name is empty, or an address on another machine.
        SourceError: There are no files, or files of several formats in a folder.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name):
        raise UsageError("source.remote_file")
    path = Path(name)
    if not name:
        raise UsageError("source.source_name_empty")
    try:
        if path.is_dir():
            return _find_in_folder(name)
        files = match_files(name)
    except (OSError, ValueError):  # too long, or with a NUL
        files = []
    if not files:
        raise SourceError("source.file_not_found", name=name, hint=_hint(path))
    return files, []


def _hint(path: Path) -> str:
    """Return the end of a sentence on a missing file: files of similar names."""
    try:
        folder = path.parent if path.parent.is_dir() else Path(".")
        stems: dict[str, list[Path]] = {}
        for entry in sorted(folder.iterdir()):
            # A file that cannot be a source would hide less similar ones that can.
            if format_by_name(entry) is not None or entry.is_dir():
                stems.setdefault(_strip_suffixes(entry), []).append(entry)
        # With their suffixes, which most files share, all names would be similar.
        likely = [
            entry
            for stem in find_similar_names(_strip_suffixes(path), list(stems), 8)
            for entry in stems[stem]
        ]
        names = [f'"{entry.name}"' for entry in likely if _is_source(entry)]
    except (OSError, ValueError):
        names = []
    return f"; did you mean {' or '.join(names[:3])}?" if names else "."


def _is_source(entry: Path) -> bool:
    """Return whether a file or folder can probably be assessed."""
    if entry.name.startswith(".") or "=" in entry.name:  # a folder key=value reveals a value of the data
        return False
    if entry.is_dir():
        return any(format_by_name(inside) is not None or "=" in inside.name for inside in entry.iterdir())
    try:
        readable = format_by_name(entry) is not None and entry.stat().st_size > 0
        return readable and entry.is_file() and detect_format(File(str(entry), entry)) is not None
    except SourceError:
        return False


def _strip_suffixes(path: Path) -> str:
    """Return the name of a file without its suffixes, also misspelled ones."""
    name = path.name
    while (suffix := Path(name).suffix) and suffix.lower() in SUFFIXES:
        name = name.removesuffix(suffix)
    return path.stem if name == path.name else name


def match_files(name: str) -> list[File]:
    """Return the file of a name, or the files of a glob pattern, each once."""
    if Path(name).is_file():
        return [File(name, Path(name).resolve())]
    if not any(character in name for character in "*?["):
        return []
    # Clusters mark unfinished files with an underscore; only a pattern with one matches them.
    marked = any(part.startswith("_") for part in Path(name).parts)
    entries = [
        entry
        for entry in sorted(glob.glob(name, recursive=True))
        if os.path.isfile(entry) and (marked or not any(part.startswith("_") for part in Path(entry).parts))
    ]
    return _resolve_links(entries)


def _resolve_links(entries: Iterable[str]) -> list[File]:
    """Return each file once, with its real path; resolve each folder once."""
    folders: dict[str, str] = {}
    names: dict[str, str] = {}
    for entry in entries:
        folder, name = os.path.split(entry)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        linked = os.path.islink(entry)
        names.setdefault(os.path.realpath(entry) if linked else os.path.join(folders[folder], name), entry)
    return [File(entry, Path(path)) for path, entry in names.items()]


def _find_in_folder(name: str) -> tuple[list[File], list[Sentence]]:
    root = Path(name)
    by_format = group_by_format(name)
    if {"parquet", "csv"} <= by_format.keys():
        raise SourceError("source.folder_mixed", name=name, root=root / "**" / "*.parquet")
    for file_format in ("parquet", "csv", "json", "text"):
        if file_format in by_format:
            passed = sum(len(files) for other, files in by_format.items() if other != file_format)
            return by_format[file_format], [
                Sentence("source.passed_over", count=format_number(passed))
            ] if passed else []
    count = sum(len(files) for files in by_format.values())
    raise SourceError("source.folder_without_tables", name=name, count=count)


def group_by_format(name: str) -> dict[str, list[File]]:
    """Return the files of a folder by the names of their formats.

    Args:
        name: The folder, as a person typed it.

    Raises:
        SourceError: The folder is empty.
    """
    root = Path(name)
    entries: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [inside for inside in folders if not inside.startswith((".", "_"))]
        here = Path(folder)
        paths = (str(here / file) for file in names if not file.startswith((".", "_")))
        entries += filter(os.path.isfile, paths)
    if not entries:
        raise SourceError("source.folder_empty", name=name)
    inside = _resolve_links(sorted(entries, key=lambda entry: entry.split(os.sep)))
    by_format: dict[str, list[File]] = {}
    for file in inside:
        by_format.setdefault(_classify(file), []).append(file)
    return by_format


def _classify(file: File) -> str:
    """Return the format of a file in a folder: "text" for notes, "other" for no data."""
    shown = Path(file.shown)
    if shown.suffix.lower() == ".txt":
        return "text"
    by_name = format_by_name(shown)
    if by_name is not None:
        return by_name.name
    return PARQUET.name if PARQUET.recognizes(read_head(file.path), by_name=False) else "other"


def escape_glob(path: str | os.PathLike[str]) -> str:
    """Escape ``*``, ``?`` and ``[`` in a path, so that it names one file to DuckDB."""
    return _MAGIC.sub(r"[\g<0>]", os.fspath(path))


def list_printed_paths(
    session: Session, name: str, files: Sequence[File], notes: list[Sentence]
) -> list[str]:
    """Return the paths of files for printed SQL, escaped for the engine.

    Many files become one pattern that matches these files and no others. A folder or file ``key=value`` shows
    a value of the data, so a pattern replaces the value unless a person typed it.

    Args:
        session: The session, which looks up what patterns match.
        name: The source, as a person typed it.
        files: Its files.
        notes: Receives a note if a pattern also matches other files.
    """
    paths, patterns = [escape_glob(file.shown) for file in files], _list_patterns(name, files)

    def match(patterns: list[str]) -> list[str]:
        # DuckDB 1.5 writes ./ before the matches of a pattern in the current folder.
        return sorted(row["file"].removeprefix("./") for row in session.run("glob_files", patterns=patterns))

    has_no_values = patterns == paths
    if not has_no_values:
        _hide_in_log(session, name, files, patterns, match)
    if has_no_values and len(files) <= MAX_LISTED_FILES:
        return paths
    pattern = _make_pattern(name, files) if has_no_values and Path(name).is_dir() else name
    if match([pattern]) == sorted(file.shown.removeprefix("./") for file in files):
        return [pattern]
    if has_no_values:
        return paths
    patterns = list(dict.fromkeys(patterns))
    if (more := len(match(patterns)) - len(files)) > 0:
        notes.append(Sentence("source.printed_more", count=format_number(more)))
    return patterns


def _list_patterns(name: str, files: Sequence[File]) -> list[str]:
    """Return the escaped paths, with patterns for values that nobody typed."""
    typed = set(name.split(os.sep))
    return [
        os.sep.join(_hide_value(part, typed) for part in file.shown.split(os.sep))
        if "=" in file.shown
        else escape_glob(file.shown)
        for file in files
    ]


def hide_paths(session: Session, name: str, files: Sequence[File]) -> None:
    """Keep paths with values that nobody typed out of the SQL log."""
    for file, pattern in zip(files, _list_patterns(name, files), strict=True):
        if pattern != escape_glob(file.shown):
            session.hidden_paths.paths |= {literal(str(file.path)), literal(escape_glob(file.path))}


def _hide_in_log(
    session: Session,
    name: str,
    files: Sequence[File],
    patterns: Sequence[str],
    match: Callable[[list[str]], list[str]],
) -> None:
    """Replace paths by patterns in the SQL log, in the order of the files."""
    if session.resources.sql_log is None:
        return
    shown, used = [file.shown for file in files], list(dict.fromkeys(patterns))
    pattern = _make_pattern(name, files) if Path(name).is_dir() else name
    if match([pattern]) == shown:
        used = [pattern]
    else:
        session.hidden_paths.extra_files += len(match(used)) - len(files)
    folder = escape_glob(Path.cwd())
    paths = [escape_glob(file.path) for file in files]
    absolute = [os.path.join(folder, pattern) for pattern in used]
    session.hidden_paths.patterns[literal(paths)] = literal(absolute)


def _make_pattern(folder: str, files: Sequence[File]) -> str:
    """Return a pattern for files below a folder, by their common suffix."""
    (suffix, *others) = {os.path.splitext(file.shown)[1] for file in files}
    below = "**/" if len({os.path.dirname(file.shown) for file in files}) > 1 else ""
    return f"{escape_glob(Path(folder))}{os.sep}{below}*{suffix if not others else ''}"


def _hide_value(part: str, typed: set[str]) -> str:
    """Escape a part of a path; replace a value that nobody typed by a pattern."""
    key, sign, value = part.partition("=")
    if not sign or part in typed:
        return escape_glob(part)
    return f"{escape_glob(key)}=*{escape_glob(''.join(Path(value).suffixes))}"


def is_hive_partitioned(files: Sequence[File], root: str) -> bool:
    """Return whether all files are in folders ``key=value`` with the same keys.

    Args:
        files: The files.
        root: The folder or the pattern that names them; folders above it do not count.
    """
    below = Path(root).resolve() if Path(root).is_dir() else None
    keys = {
        tuple(part.split("=", 1)[0] for part in _path_below(folder, below).parts if "=" in part)
        for folder in map(Path, {os.path.dirname(file.path) for file in files})
    }
    named = below is not None or any(character in root for character in "*?[")
    return named and len(keys) == 1 and keys != {()}


def _path_below(path: Path, folder: Path | None) -> Path:
    """Return a path relative to a folder, or unchanged if it is outside."""
    return path.relative_to(folder) if folder is not None and path.is_relative_to(folder) else path
