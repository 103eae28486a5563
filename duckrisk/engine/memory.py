"""Divides the memory limit of the engine among its threads."""

from __future__ import annotations

#: Bytes; threads with less memory each spend their time on spilling: what takes a second had not ended
#: after a minute (tests/test_session.py, test_threads_have_memory). The engine starts a thread a processor.
_MIN_THREAD_BYTES = 32_000_000
#: Row groups that share the memory of a thread (tests/anonymization/test_row_groups.py: 60,000 texts of 4 KB
#: under 512 MB; a quarter of a thread's memory is too much for a group, an eighth fits).
_ROW_GROUPS_PER_THREAD = 8
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def read_size(limit: str) -> float | None:
    """Parse a size that the engine wrote.

    Args:
        limit: A number and a unit, such as "18.8 GiB".

    Returns:
        The size in bytes; None for text of another form.
    """
    size, _, unit = limit.partition(" ")
    return float(size) * _UNITS[unit] if unit in _UNITS else None


def divide_memory(limit: str, threads: int) -> tuple[int, int | None]:
    """Compute the thread count and Parquet row group size that fit the memory limit.

    Args:
        limit: The memory limit as the engine writes it, such as "18.8 GiB".
        threads: The threads of the engine.

    Returns:
        The threads, at least 1; the bytes of a row group, None if the limit has another form.
    """
    memory = read_size(limit)
    if memory is None:
        return threads, None
    threads = min(threads, max(1, int(memory / _MIN_THREAD_BYTES)))
    # One thread gets groups as of two: an eighth of its 200 MB is too much for 20,000 texts of 4 KB.
    return threads, int(memory / max(threads, 2) / _ROW_GROUPS_PER_THREAD)
