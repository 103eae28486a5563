"""How the memory of the engine is divided among its threads."""

from __future__ import annotations

#: Threads with less memory each than this do little else than write and read what the others need: what takes
#: a second had not ended after a minute. The engine starts one a processor, however little memory there is.
_THREAD_BYTES = 32_000_000
#: Row groups of a Parquet file that fit into the memory of a thread: of 60,000 texts of 4 KB under 512 MB,
#: a quarter of that memory is too much for a group, and an eighth is not. One thread has groups as of two:
#: an eighth of its 200 MB is too much of 20,000 texts of 4 KB.
_GROUPS = 8
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def read_size(limit: str) -> float | None:
    """Return the bytes of a size as the engine writes it, such as 18.8 GiB; None if it has another form."""
    size, _, unit = limit.partition(" ")
    return float(size) * _UNITS[unit] if unit in _UNITS else None


def divide(limit: str, threads: int) -> tuple[int, int | None]:
    """Return how many threads the memory is enough for, and the bytes of a row group of a Parquet file.

    Args:
        limit: The memory limit as the engine writes it, such as 18.8 GiB.
        threads: The threads of the engine.

    Returns:
        The threads, at least 1; the bytes, None if the limit is in another form.
    """
    memory = read_size(limit)
    if memory is None:
        return threads, None
    threads = min(threads, max(1, int(memory / _THREAD_BYTES)))
    return threads, int(memory / max(threads, 2) / _GROUPS)
