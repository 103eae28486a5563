"""DataFrames with columns of types that the engine does not read: as pandas writes their values."""

from __future__ import annotations

from typing import Any


def as_readable(frame: Any) -> Any:
    """Return a DataFrame of pandas whose intervals, periods and complex numbers are texts, the rest as it is.

    Sparse columns are written out. The frame itself is left alone.
    """
    dtypes = getattr(getattr(frame, "dtypes", None), "values", None)
    if dtypes is None or not hasattr(frame, "iloc"):
        return frame
    changed = {place: dtype for place, dtype in enumerate(dtypes) if _is_unread(dtype)}
    if not changed:
        return frame
    import pandas

    columns = [
        _readable(frame.iloc[:, place], changed[place]) if place in changed else frame.iloc[:, place]
        for place in range(len(dtypes))
    ]
    made = pandas.concat([column.reset_index(drop=True) for column in columns], axis=1)
    made.columns, made.index = frame.columns, frame.index
    return made


def unread_column(frame: Any, readable: Any) -> tuple[str, str] | None:
    """Return the name and the type of the first column that ``readable`` refuses, if there is one."""
    dtypes = getattr(getattr(frame, "dtypes", None), "values", None)
    if dtypes is None or not hasattr(frame, "iloc"):
        return None
    for place, dtype in enumerate(dtypes):
        try:
            readable(frame.iloc[:, [place]])
        except Exception:
            return str(frame.columns[place]), str(dtype).partition("[")[0]
    return None


def _is_unread(dtype: Any) -> bool:
    """Return whether the engine does not read a column of this type of pandas."""
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return type(dtype.categories.dtype).__name__ in ("IntervalDtype", "PeriodDtype", "SparseDtype")
    return kind in ("IntervalDtype", "PeriodDtype", "SparseDtype") or getattr(dtype, "kind", "") == "c"


def _readable(column: Any, dtype: Any) -> Any:
    """Return a column of a type that the engine reads."""
    if type(dtype).__name__ == "SparseDtype":
        dense = column.sparse.to_dense()
        return _readable(dense, dense.dtype) if _is_unread(dense.dtype) else dense
    if type(dtype).__name__ == "CategoricalDtype":
        return column.cat.rename_categories([str(category) for category in dtype.categories])
    return column.map(str, na_action="ignore").astype(object)
