"""Files of SAS, Stata and SPSS, and of Arrow: read in chunks, written to private Parquet files.

Nothing in Python grows with the rows. What these programs label is read by its labels.
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
from duckrisk.source.files import engine_path
from duckrisk.source.formats import Inputs, short
from duckrisk.source.model import Opened, Place, Request
from duckrisk.source.objects import as_parquet

#: Rows of a chunk: 100 columns of numbers take 80 MB.
ROWS = 100_000
#: Whole numbers from here on are not all different as floating-point numbers.
_EXACT = 2**53


def open_program(session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
    """Open a file of another program. Raises SourceError for what its reader refuses."""
    name, files, kind, program = inputs.name, inputs.files, inputs.format.name, inputs.format.program
    if len(files) > 1:
        raise SourceError("source.several_program_files", name=name, program=program)
    path = files[0].path
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if kind == "arrow":
                names, paths = _written(session, place, _of_arrow(path), _as_it_is)
                types: dict[str, str] = {}
            else:
                columns = _Columns()
                names, paths = _written(session, place, _of_frames(kind, path, request), columns.plain)
                types = columns.types
    except (SourceError, UsageError):
        raise
    except UnicodeDecodeError:
        raise SourceError("source.program_file_encoding", name=short(name), program=program) from None
    except Exception:
        raise SourceError("source.program_file_damaged", name=short(name), program=program) from None
    if not paths:
        raise SourceError("source.program_file_empty", name=short(name))
    read = render("read_parquet", paths=[engine_path(written) for written in paths], hive=False)
    if types:
        kinds = [Sql(type_name) for type_name in types.values()]
        read = render("restored", source=read, columns=list(types), kinds=kinds)
    copy = render("read_parquet", paths=[f"{Path(short(name)).stem}.parquet"], hive=False)
    notes: list[Sentence] = [Sentence("source.read_by_program", program=program)]
    return Opened(
        short(name),
        kind,
        relation=read,
        printed_relation=copy,
        printed_names=names,
        names=names,
        paths=[str(written) for written in paths],
        files=[path],
        notes=notes,
    )


def _written(
    session: Session,
    place: Place,
    chunks: Iterator[tuple[list[str], Any]],
    plain: Callable[[Any], tuple[Any, list[int]]],
) -> tuple[list[str], list[Path]]:
    """Write chunks to Parquet files; returns the names of the columns and the files."""
    names: list[str] = []
    paths: list[Path] = []
    for number, (names, chunk) in enumerate(chunks):
        table, texts = plain(chunk)
        session.register(place.registered, table)
        relation = identifier(place.registered)
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
            selected = as_parquet([kind for _, kind in session.describe(relation)])
        path = place.folder / f"chunk-{number}.parquet"
        session.run(
            "copy_records", source=relation, selected=selected, path=str(path), parts=0, group_bytes=None
        )
        paths.append(path)
    return names, paths


def _as_it_is(table: Any) -> tuple[Any, list[int]]:
    return table, []


class _Columns:
    """What the columns of a file hold, over all chunks: whole numbers, days, or what they are."""

    def __init__(self) -> None:
        self._whole: dict[int, bool] = {}
        self._days: dict[int, bool] = {}

    @property
    def types(self) -> dict[str, str]:
        """The types of the engine for columns that every chunk agrees on, by their bindings."""
        wholes = {f"c{place}": "BIGINT" for place, whole in self._whole.items() if whole}
        return wholes | {f"c{place}": "DATE" for place, days in self._days.items() if days}

    def plain(self, frame: Any) -> tuple[Any, list[int]]:
        """Return a chunk with numbers and moments of one type each, and the places of its texts."""
        columns, texts = {}, []
        for place in range(frame.shape[1]):
            column = frame.iloc[:, place]
            if column.dtype.kind in "biuf":
                column = column.astype("float64")
                present = column.dropna()
                whole = bool(((present % 1 == 0) & (present.abs() < _EXACT)).all())
                self._whole[place] = self._whole.get(place, True) and whole
            elif column.dtype.kind == "M":
                column = column.astype("datetime64[us]")
                present = column.dropna()
                self._days[place] = self._days.get(place, True) and bool(
                    (present == present.dt.normalize()).all()
                )
            else:
                # An empty text is a missing one in these programs.
                column = column.astype(object)
                column = column.where(column.notna() & (column != ""), None)
                texts.append(place)
            columns[f"c{place}"] = column.reset_index(drop=True)
        import pandas

        return pandas.DataFrame(columns), texts


def _of_frames(kind: str, path: Path, request: Request) -> Iterator[tuple[list[str], Any]]:
    """Yield the chunks of a file of SAS, Stata or SPSS, each with the names of its columns."""
    for frame in {"sas": _of_sas, "stata": _of_stata, "spss": _of_spss}[kind](path, request.encoding):
        if len(frame):
            yield [str(name) for name in frame.columns], frame


def _of_sas(path: Path, encoding: str | None) -> Iterator[Any]:
    import pandas

    with open_bytes(path) as file:
        transport = file.read(13) == b"HEADER RECORD"
    if transport and importlib.util.find_spec("pyreadstat") is not None:  # pandas reads its days as numbers
        yield from _of_pyreadstat("read_xport", path, encoding)
        return
    form, usual = ("xport", "utf-8") if transport else ("sas7bdat", "infer")
    read: Any = pandas.read_sas
    with read(path, format=form, encoding=encoding or usual, chunksize=ROWS) as reader:
        yield from reader


def _of_stata(path: Path, _encoding: str | None) -> Iterator[Any]:
    import pandas

    with pandas.read_stata(path, chunksize=ROWS) as reader:
        yield from reader


def _of_spss(path: Path, encoding: str | None) -> Iterator[Any]:
    _module("pyreadstat", "SPSS")
    yield from _of_pyreadstat("read_sav", path, encoding, apply_value_formats=True)


def _of_pyreadstat(function: str, path: Path, encoding: str | None, **more: Any) -> Iterator[Any]:
    """Yield the chunks that a function of pyreadstat reads."""
    reader = importlib.import_module("pyreadstat")
    options = {"chunksize": ROWS, "dates_as_pandas_datetime": True, "encoding": encoding, **more}
    for frame, _ in reader.read_file_in_chunks(getattr(reader, function), str(path), **options):
        yield frame


def _of_arrow(path: Path) -> Iterator[tuple[list[str], Any]]:
    """Yield the batches of an Arrow or Feather file as tables."""
    arrow, ipc = _module("pyarrow", "Arrow"), _module("pyarrow.ipc", "Arrow")
    with arrow.memory_map(str(path)) as source, ipc.open_file(source) as reader:
        for number in range(reader.num_record_batches):
            table = arrow.Table.from_batches([reader.get_batch(number)])
            names = table.column_names
            if table.num_rows:
                yield names, table.rename_columns([f"c{place}" for place in range(len(names))])


def _module(name: str, program: str) -> Any:
    """Import a reader. Raises SourceError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise SourceError(
            "source.reader_not_installed", program=program, reader=name.partition(".")[0]
        ) from None
