"""Converts columns of DataFrames that the engine does not read into texts, as pandas writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


def convert_unread_types(frame: Any) -> Any:
    """Return a DataFrame with intervals, periods and complex numbers as texts.

    Sparse columns become dense. The given frame stays unchanged; other objects are returned as they are.
    """
    dtypes = getattr(getattr(frame, "dtypes", None), "values", None)
    if dtypes is None or not hasattr(frame, "iloc"):
        return frame
    changed = {position: dtype for position, dtype in enumerate(dtypes) if _is_unread(dtype)}
    if not changed:
        return frame
    import pandas

    columns = [
        _convert(frame.iloc[:, position], changed[position])
        if position in changed
        else frame.iloc[:, position]
        for position in range(len(dtypes))
    ]
    converted = pandas.concat([column.reset_index(drop=True) for column in columns], axis=1)
    converted.columns, converted.index = frame.columns, frame.index
    return converted


def find_unread_column(frame: Any, read: Callable[[Any], object]) -> tuple[str, str] | None:
    """Return the name and the type of the first column that cannot be read.

    Args:
        frame: A DataFrame of pandas or polars; None is returned for other objects.
        read: Reads a frame with one column, and raises for an unsupported type.
    """
    if type(frame).__name__ != "DataFrame":
        return None
    columns = getattr(frame, "iloc", frame)
    for position, dtype in enumerate(frame.dtypes):
        try:
            read(columns[:, [position]])
        except Exception:
            return str(frame.columns[position]), re.split(r"[\[(]", str(dtype))[0]
    return None


def _is_unread(dtype: Any) -> bool:
    """Return whether the engine cannot read a type of pandas."""
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return type(dtype.categories.dtype).__name__ in ("IntervalDtype", "PeriodDtype", "SparseDtype")
    return kind in ("IntervalDtype", "PeriodDtype", "SparseDtype") or getattr(dtype, "kind", "") == "c"


def _convert(column: Any, dtype: Any) -> Any:
    """Convert a column to a type that the engine reads."""
    if type(dtype).__name__ == "SparseDtype":
        dense = column.sparse.to_dense()
        return _convert(dense, dense.dtype) if _is_unread(dense.dtype) else dense
    if type(dtype).__name__ == "CategoricalDtype":
        return column.cat.rename_categories([str(category) for category in dtype.categories])
    return column.map(str, na_action="ignore").astype(object)
