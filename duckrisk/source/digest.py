"""What a report says of the input's identity, so that a number can be traced to its bytes."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from duckrisk.base.results import Count

#: Up to this many bytes the content is hashed; beyond, names, sizes and times of the parts.
CONTENT_LIMIT = 256 * 1024 * 1024


@dataclass(frozen=True)
class Digest:
    """What identifies the bytes of the source."""

    kind: Annotated[
        Literal["sha256", "parts"],
        "Name: sha256 is the SHA-256 of the content, parts that of each part's name, size and time.",
    ]
    value: Annotated[str, "Text: the digest in hexadecimal digits."]
    files: Annotated[Count, "Files of the source."]
    bytes: Annotated[Count, "Bytes of all files."]


def of_files(files: list[Path]) -> Digest:
    """What identifies the input, whatever order the files come in.

    ``kind`` "sha256": of the content of one file, or of a list of the parts, one line for each with its
    name below their common folder and the SHA-256 of its content (folders can hold values: ``year=2024``).
    ``kind`` "parts", for large input: of a list of names, sizes in bytes and times of change.
    """
    ordered = sorted(set(files))
    root = ordered[0].parent if len(ordered) == 1 else Path(os.path.commonpath(ordered))
    details = {path: path.stat() for path in ordered}
    size = sum(detail.st_size for detail in details.values())
    by_content = size <= CONTENT_LIMIT
    combined = hashlib.sha256()
    for path in ordered:
        detail = details[path]
        said = _content(path) if by_content else f"{detail.st_size} {detail.st_mtime_ns}"
        combined.update(f"{path.relative_to(root).as_posix()}\0{said}\n".encode("utf-8", "surrogateescape"))
    alone = by_content and len(ordered) == 1
    return Digest(
        kind="sha256" if by_content else "parts",
        value=_content(ordered[0]) if alone else combined.hexdigest(),
        files=len(ordered),
        bytes=size,
    )


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
