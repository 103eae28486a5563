"""Evidence of an assessment: a folder that another person can sign, check and repeat.

Its manifest holds the words of the command, the digests of what was read and of what is in the folder, and
the versions. :func:`verify` repeats the command and compares the two reports figure by figure.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.errors import UsageError
from duckrisk.base.files import read_text
from duckrisk.base.results import Count, Result, Truncation, Version
from duckrisk.decision.assessment.results import Assessment, Environment
from duckrisk.source.digest import hash_file

#: Files of the folder.
MANIFEST, REPORT = "evidence.json", "report.json"
#: Days until an assessment has to be made again (a choice: ISO/IEC 27559 asks for a date and names none).
DAYS_VALID = 365
#: Differences that a verification lists (a choice: a screen).
_MAX_DIFFERENCES = 20
#: The version of the manifest (the number of the first that was written).
_VERSION = 1
#: Parts of a report that say what was read, where that was said, and what measured it.
_NOT_COMPARED = re.compile(
    r"source\.(digest|name)|environment|settings\.config|notices\[\d+\]\.(origin|text)"
)
#: Lists of the manifest.
_LISTS = ("arguments", "hidden", "hidden_settings")

FileState = Literal["same", "changed", "missing"]


@dataclass(frozen=True)
class Manifest:
    """What the folder says of the run.

    Attributes:
        source: The source as it was given; None if its words can hold a password.
        arguments: The other words of the command that make a difference.
        hidden: Options that the words lack, because they can hold values or passwords.
        hidden_settings: Keys of [source] that the copy of the settings file lacks, for the same reason.
        settings: The path of the settings file, whose copy has the same name; None without one.
        inputs: By path, the SHA-256 of each other file that the command read.
        files: By name, the SHA-256 of each other file of the folder.
        created: The day, as YYYY-MM-DD.
        reevaluate_by: The day by which the assessment has to be made again.
        python: The version of Python.
        system: The operating system and the processor.
    """

    source: str | None
    arguments: tuple[str, ...]
    hidden: tuple[str, ...]
    hidden_settings: tuple[str, ...]
    settings: str | None
    inputs: Mapping[str, str]
    files: Mapping[str, str]
    created: str
    reevaluate_by: str
    python: str = platform.python_version()
    system: str = f"{platform.system()} {platform.machine()}"

    def to_json(self) -> str:
        """Return the text of the manifest's file."""
        data = {"kind": "evidence", "version": _VERSION, **asdict(self)}
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class CheckedFile:
    """A file of the folder, or one that the command read."""

    name: Annotated[str, "Text: its name in the folder, or its path."]
    state: Annotated[FileState, "Name of what became of it: same, changed since the assessment, or missing."]


@dataclass(frozen=True)
class Difference:
    """A figure that another run found to be another."""

    path: Annotated[str, "Text: its keys in the report, with the places of entries in lists."]
    before: Annotated[
        str | None, "Text: the figure in the folder; null without one, … where values may not be shown."
    ]
    now: Annotated[
        str | None, "Text: the figure of this run; null without one, … where values may not be shown."
    ]


@dataclass(frozen=True, repr=False, kw_only=True)
class Verification(Result):
    """What became of an assessment when it was repeated."""

    report: ClassVar[str] = "verify"

    version: Version = 1
    folder: Annotated[str, "Text: the name of the folder."]
    created: Annotated[str, "Text: the day of the assessment, as YYYY-MM-DD."]
    reevaluate_by: Annotated[str, "Text: the day by which it has to be made again, as YYYY-MM-DD."]
    files: Annotated[tuple[CheckedFile, ...], "The files of the folder, and those that were read."]
    source: Annotated[str, "Text: the name of the source that was assessed again."]
    source_state: Annotated[
        Literal["same", "changed", "unknown"],
        "Name of what became of the source: same bytes, changed, or unknown where it has no digest.",
    ]
    outcome_before: Annotated[str, "Name of the outcome of the verdict in the folder."]
    outcome: Annotated[str, "Name of the outcome of the verdict now."]
    equal: Annotated[Count, "Figures and texts that are equal in both reports."]
    differences: Annotated[tuple[Difference, ...], "The first of those that are not."]
    listed: Annotated[Truncation, "How many differ in all."]
    environment_before: Annotated[Environment, "What made the report of the folder."]
    environment: Annotated[Environment, "What made the report now."]

    @property
    def passed(self) -> bool:
        """Whether the files, the source and all figures are the same."""
        is_whole = all(file.state == "same" for file in self.files)
        return is_whole and self.source_state != "changed" and not self.listed.total


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder.

    Raises:
        UsageError: The folder holds none, or one of another version.
    """
    try:
        data = json.loads(read_text(folder / MANIFEST))
    except OSError:
        raise UsageError("evidence.no_folder", folder=folder, file=MANIFEST) from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.pop("kind", None) != "evidence":
        raise UsageError("evidence.no_manifest", folder=folder, file=MANIFEST)
    if data.pop("version", None) != _VERSION:
        raise UsageError("evidence.other_version", folder=folder, file=MANIFEST)
    if set(data) != set(Manifest.__dataclass_fields__) or not all(map(_is_valid, data.items())):
        raise UsageError("evidence.no_manifest", folder=folder, file=MANIFEST)
    entries: dict[str, Any] = {
        name: tuple(value) if name in _LISTS else value for name, value in data.items()
    }
    return Manifest(**entries)


def _is_valid(entry: tuple[str, Any]) -> bool:
    """Return whether an entry has its type, and each file is one of the folder."""
    name, value = entry
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    if name in ("inputs", "files"):
        return isinstance(value, dict) and all(
            isinstance(digest, str) and (name == "inputs" or Path(path).name == path)
            for path, digest in value.items()
        )
    return isinstance(value, str) or (name in ("source", "settings") and value is None)


def verify(folder: Path, manifest: Manifest, repeat: Callable[[], Assessment]) -> Verification:
    """Check the files of a folder, repeat its assessment, and compare the two reports.

    Args:
        folder: The folder.
        manifest: Its manifest.
        repeat: Makes the assessment again.

    Returns:
        What is the same and what differs.

    Raises:
        UsageError: The folder's report cannot be read.
        DuckriskError: As `repeat` does.
    """
    files = [_check_file(name, folder / name, digest) for name, digest in manifest.files.items()]
    files += [_check_file(path, Path(path), digest) for path, digest in manifest.inputs.items()]
    before = _read_report(folder)
    report = repeat()
    now = report.data
    pairs = list(_pair_leaves(before, now))
    differing = [(path, old, new) for path, old, new in pairs if not _is_equal(old, new)]
    shows = not before["settings"]["show_values"]
    listed = [
        Difference(path, _as_shown(old, shows), _as_shown(new, shows))
        for path, old, new in differing[:_MAX_DIFFERENCES]
    ]
    return Verification(
        folder=folder.name or str(folder),
        created=manifest.created,
        reevaluate_by=manifest.reevaluate_by,
        files=tuple(files),
        source=report.source.name,
        source_state=_compare_digests(before["source"]["digest"], now["source"]["digest"]),
        outcome_before=before["verdict"]["outcome"],
        outcome=report.verdict.outcome,
        equal=len(pairs) - len(differing),
        differences=tuple(listed),
        listed=Truncation(len(differing), 0),
        environment_before=Environment(**before["environment"]),
        environment=report.environment,
    )


def _check_file(name: str, path: Path, digest: str) -> CheckedFile:
    try:
        return CheckedFile(name, "same" if hash_file(path) == digest else "changed")
    except (OSError, ValueError):
        return CheckedFile(name, "missing")


def _read_report(folder: Path) -> dict[str, Any]:
    """Read the report of a folder.

    Raises:
        UsageError: It is no assessment.
    """
    try:
        data: dict[str, Any] = json.loads(read_text(folder / REPORT))
        Environment(**data["environment"])
        for part, key in (("settings", "show_values"), ("source", "digest"), ("verdict", "outcome")):
            data[part][key]
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        raise UsageError("evidence.no_report", folder=folder, file=REPORT) from None
    return data


def _compare_digests(before: Any, now: Any) -> Literal["same", "changed", "unknown"]:
    if before is None or now is None or before["kind"] != "sha256" or now["kind"] != "sha256":
        return "unknown"
    return "same" if before["value"] == now["value"] else "changed"


def _pair_leaves(before: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the path of each figure and text with its values, None for none."""
    if _NOT_COMPARED.fullmatch(path):
        return
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys((*before, *now)):
            yield from _pair_leaves(before.get(key), now.get(key), f"{path}.{key}" if path else str(key))
    elif _is_list(before) and _is_list(now):
        for place in range(max(len(before), len(now))):
            old, new = (values[place] if place < len(values) else None for values in (before, now))
            yield from _pair_leaves(old, new, f"{path}[{place + 1}]")
    else:
        yield path, before, now


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_equal(before: Any, now: Any) -> bool:
    return type(before) is type(now) and bool(before == now)


def _as_shown(value: Any, shows_texts: bool) -> str | None:
    """Return a value as it is listed: a whole list by its size."""
    if isinstance(value, Mapping) or _is_list(value):
        return f"({len(value)})"
    if isinstance(value, str):
        return value if shows_texts else "…"
    return None if value is None else json.dumps(value)
