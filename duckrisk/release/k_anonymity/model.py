"""What is asked of k-anonymity, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QuasiIdentifier:
    """A column that an attacker may know: its ``binding`` in the relation and its ``name`` for people.

    ``hierarchy`` is a table with columns ``level0`` (the values as text) to ``level{height}`` (``*``), one
    row for each value. Without one a ``numeric`` column becomes intervals, any other a value or ``*``.
    """

    binding: str
    name: str
    numeric: bool = False
    hierarchy: str | None = None
    height: int = 1


@dataclass(frozen=True)
class Outcome:
    """What a k-anonymous table is like.

    ``classes`` of ``records`` that agree on the quasi-identifiers, the ``smallest``, their ``discernibility``
    and ``average_class`` are counted in the table that was made; ``ncp`` and ``gcp`` say what it lost.
    ``levels`` of the hierarchies, one for each quasi-identifier, and ``nodes_examined`` are those of the
    full-domain search, and None elsewhere.
    """

    classes: int
    smallest: int
    records: int
    ncp: float
    gcp: float
    discernibility: int
    average_class: float
    levels: tuple[int, ...] | None = None
    nodes_examined: int | None = None
