"""Identifies the input of a report, so that a number can be traced to its bytes."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from duckrisk.base.results import Count

#: Bytes; of larger input only names, sizes and times are hashed (measured: this much takes 0.15 s of CPU).
MAX_HASHED_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Digest:
    """Identity of the files of a source."""

    kind: Annotated[
        Literal["sha256", "parts"],
        "Name: sha256 is the SHA-256 of the content, parts that of each part's name, size and time.",
    ]
    value: Annotated[str, "Text: the digest in hexadecimal digits."]
    files: Annotated[Count, "Files of the source."]
    bytes: Annotated[Count, "Bytes of all files."]


def digest_files(files: list[Path]) -> Digest:
    """Compute the digest of files, in whatever order they come.

    Kind "sha256" is the SHA-256 of one file, or of a list with a line for each file: its name below the
    common folder (folders can hold values: ``year=2024``) and the SHA-256 of its content. Kind "parts", for
    large input, is that of a list of names, sizes in bytes and times of change.

    Raises:
        OSError: A file is gone.
    """
    ordered = sorted(set(files))
    root = ordered[0].parent if len(ordered) == 1 else Path(os.path.commonpath(ordered))
    details = {path: path.stat() for path in ordered}
    size = sum(detail.st_size for detail in details.values())
    by_content = size <= MAX_HASHED_BYTES
    combined = hashlib.sha256()
    for path in ordered:
        detail = details[path]
        state = hash_file(path) if by_content else f"{detail.st_size} {detail.st_mtime_ns}"
        combined.update(f"{path.relative_to(root).as_posix()}\0{state}\n".encode("utf-8", "surrogateescape"))
    is_single = by_content and len(ordered) == 1
    return Digest(
        kind="sha256" if by_content else "parts",
        value=hash_file(ordered[0]) if is_single else combined.hexdigest(),
        files=len(ordered),
        bytes=size,
    )


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
