"""What a report says of the input's identity, so that a number can be traced to its bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

#: Up to this many bytes the content is hashed; beyond, names, sizes and times of the parts.
CONTENT_LIMIT = 256 * 1024 * 1024


def of_files(files: list[Path]) -> dict[str, Any]:
    """``kind`` "sha256" (of the content, parts in the order of their names) or "parts" (SHA-256 of
    each part's name, size in bytes and time of change), ``value``, ``files``, ``bytes``."""
    ordered = sorted(files)
    size = sum(path.stat().st_size for path in ordered)
    made = hashlib.sha256()
    by_content = size <= CONTENT_LIMIT
    for path in ordered:
        if by_content:
            with path.open("rb") as file:
                while chunk := file.read(1 << 20):
                    made.update(chunk)
        else:
            details = path.stat()
            made.update(f"{path.name}\0{details.st_size}\0{details.st_mtime_ns}\n".encode())
    return {
        "kind": "sha256" if by_content else "parts",
        "value": made.hexdigest(),
        "files": len(ordered),
        "bytes": size,
    }
