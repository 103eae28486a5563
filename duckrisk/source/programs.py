"""Opens files of SAS, Stata, SPSS and Arrow: reads them in chunks into private Parquet files.

Memory does not grow with the number of rows. Values with labels are read as their labels.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.source.encoding import open_bytes
from duckrisk.source.files import escape_glob
from duckrisk.source.formats import Inputs, short_name
from duckrisk.source.model import OpenedInput, Request, Workspace
from duckrisk.source.objects import render_parquet_columns

#: Rows of a chunk (derived: 100 columns of numbers take 80 MB).
CHUNK_ROWS = 100_000
#: Above it different integers can be one floating-point number (derived: 53 bits of mantissa).
_MAX_EXACT = 2**53


def open_program(session: Session, workspace: Workspace, inputs: Inputs, request: Request) -> OpenedInput:
    """Open a file of another program.

    Raises:
        SourceError: Several files are named, or the file cannot be read.
    """
    name, files, kind, program = inputs.name, inputs.files, inputs.format.name, inputs.format.program
    if len(files) > 1:
        raise SourceError("source.several_program_files", name=name, program=program)
    path = files[0].path
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if kind == "arrow":
                names, paths = _write_chunks(session, workspace, _read_arrow(path), _keep_table)
                types: dict[str, str] = {}
            else:
                columns = _ColumnTypes()
                names, paths = _write_chunks(
                    session, workspace, _read_frames(kind, path, request), columns.simplify
                )
                types = columns.types
    except (SourceError, UsageError):
        raise
    except UnicodeDecodeError:
        raise SourceError("source.program_file_encoding", name=short_name(name), program=program) from None
    except Exception:
        raise SourceError("source.program_file_damaged", name=short_name(name), program=program) from None
    if not paths:
        raise SourceError("source.program_file_empty", name=short_name(name))
    read = render("read_parquet", paths=[escape_glob(written) for written in paths], hive=False)
    if types:
        kinds = [Sql(type_name) for type_name in types.values()]
        read = render("restored", source=read, columns=list(types), kinds=kinds)
    copy = render("read_parquet", paths=[f"{Path(short_name(name)).stem}.parquet"], hive=False)
    notes: list[Sentence] = [Sentence("source.read_by_program", program=program)]
    return OpenedInput(
        short_name(name),
        kind,
        relation=read,
        printed_relation=copy,
        printed_names=names,
        true_names=names,
        paths=[str(written) for written in paths],
        files=[path],
        notes=notes,
    )


def _write_chunks(
    session: Session,
    workspace: Workspace,
    chunks: Iterator[tuple[list[str], Any]],
    simplify: Callable[[Any], tuple[Any, list[int]]],
) -> tuple[list[str], list[Path]]:
    """Write chunks to Parquet files; return the column names and the files."""
    names: list[str] = []
    paths: list[Path] = []
    for number, (names, chunk) in enumerate(chunks):
        table, texts = simplify(chunk)
        session.register(workspace.table_name, table)
        relation = identifier(workspace.table_name)
        bindings = [f"c{position}" for position in range(len(names))]
        selected = render(
            "as_parquet",
            names=bindings,
            texts=[bindings[position] for position in texts],
            wholes=[],
            documents=[],
            variants=[],
        )
        if not texts:
            selected = render_parquet_columns([kind for _, kind in session.describe(relation)])
        path = workspace.folder / f"chunk-{number}.parquet"
        session.run(
            "copy_records",
            source=relation,
            selected=selected,
            path=str(path),
            many_files=False,
            group_bytes=None,
        )
        paths.append(path)
    return names, paths


def _keep_table(table: Any) -> tuple[Any, list[int]]:
    return table, []


class _ColumnTypes:
    """The types of the columns over all chunks: whole numbers, days, or others."""

    def __init__(self) -> None:
        self._whole: dict[int, bool] = {}
        self._days: dict[int, bool] = {}

    @property
    def types(self) -> dict[str, str]:
        """Types of columns of whole numbers or days in all chunks, by binding."""
        wholes = {f"c{position}": "BIGINT" for position, whole in self._whole.items() if whole}
        return wholes | {f"c{position}": "DATE" for position, days in self._days.items() if days}

    def simplify(self, frame: Any) -> tuple[Any, list[int]]:
        """Convert numbers and moments of a chunk to one type each.

        Returns:
            The chunk with columns c0, c1, ..., and the positions of its texts.
        """
        columns, texts = {}, []
        for position in range(frame.shape[1]):
            column = frame.iloc[:, position]
            if column.dtype.kind in "biuf":
                column = column.astype("float64")
                present = column.dropna()
                whole = bool(((present % 1 == 0) & (present.abs() < _MAX_EXACT)).all())
                self._whole[position] = self._whole.get(position, True) and whole
            elif column.dtype.kind == "M":
                column = column.astype("datetime64[us]")
                present = column.dropna()
                self._days[position] = self._days.get(position, True) and bool(
                    (present == present.dt.normalize()).all()
                )
            else:
                # These programs write a missing text as an empty one.
                column = column.astype(object)
                column = column.where(column.notna() & (column != ""), None)
                texts.append(position)
            columns[f"c{position}"] = column.reset_index(drop=True)
        import pandas

        return pandas.DataFrame(columns), texts


def _read_frames(kind: str, path: Path, request: Request) -> Iterator[tuple[list[str], Any]]:
    """Yield the column names and rows of each chunk of a SAS, Stata or SPSS file."""
    for frame in {"sas": _read_sas, "stata": _read_stata, "spss": _read_spss}[kind](path, request.encoding):
        if len(frame):
            yield [str(name) for name in frame.columns], frame


def _read_sas(path: Path, encoding: str | None) -> Iterator[Any]:
    import pandas

    with open_bytes(path) as file:
        transport = file.read(13) == b"HEADER RECORD"
    # pandas reads days of such files as numbers.
    if transport and importlib.util.find_spec("pyreadstat") is not None:
        yield from _read_with_pyreadstat("read_xport", path, encoding)
        return
    form, usual = ("xport", "utf-8") if transport else ("sas7bdat", "infer")
    read: Any = pandas.read_sas
    with read(path, format=form, encoding=encoding or usual, chunksize=CHUNK_ROWS) as reader:
        yield from reader


def _read_stata(path: Path, _encoding: str | None) -> Iterator[Any]:
    import pandas

    with pandas.read_stata(path, chunksize=CHUNK_ROWS) as reader:
        yield from reader


def _read_spss(path: Path, encoding: str | None) -> Iterator[Any]:
    _import_reader("pyreadstat", "SPSS")
    yield from _read_with_pyreadstat("read_sav", path, encoding, apply_value_formats=True)


def _read_with_pyreadstat(function: str, path: Path, encoding: str | None, **more: Any) -> Iterator[Any]:
    """Yield the chunks that a function of pyreadstat reads."""
    reader = importlib.import_module("pyreadstat")
    options = {"chunksize": CHUNK_ROWS, "dates_as_pandas_datetime": True, "encoding": encoding, **more}
    for frame, _ in reader.read_file_in_chunks(getattr(reader, function), str(path), **options):
        yield frame


def _read_arrow(path: Path) -> Iterator[tuple[list[str], Any]]:
    """Yield the batches of an Arrow or Feather file as tables."""
    arrow, ipc = _import_reader("pyarrow", "Arrow"), _import_reader("pyarrow.ipc", "Arrow")
    with arrow.memory_map(str(path)) as source, ipc.open_file(source) as reader:
        for number in range(reader.num_record_batches):
            table = arrow.Table.from_batches([reader.get_batch(number)])
            names = table.column_names
            if table.num_rows:
                yield names, table.rename_columns([f"c{position}" for position in range(len(names))])


def _import_reader(name: str, program: str) -> Any:
    """Import a reader; raise SourceError with the command to install it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise SourceError(
            "source.reader_not_installed", program=program, reader=name.partition(".")[0]
        ) from None
