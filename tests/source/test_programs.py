"""Files of other programs and layouts: read as they are meant, or one sentence that helps."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.source import programs
from tests.tables import EXAMPLES, thinned

_ROWS = 60
FRAME = pd.DataFrame(
    {
        "member_id": range(1000, 1000 + _ROWS),
        "sex": ["M", "F"] * (_ROWS // 2),
        "birth": pd.date_range("1950-01-01", periods=_ROWS, freq="97D"),
        "income": [None if i % 9 == 0 else i * 1.5 for i in range(_ROWS)],
        "note": [None if i % 3 else "é日本" for i in range(_ROWS)],
    }
)


def _seen(source: Any) -> Any:
    """Types, roles and missing cells of the columns, the risk of each attribute, and what cells look like."""
    only = ["direct_identifiers", "attribute_risk"]
    result = duckrisk.assess(source, only=only, samples=0, known_records=0)
    columns = {c.name: (c.type, c.role, c.missing) for c in result.source.columns}
    return columns, ({a.attribute: a.mean_risk for a in result.attribute_risk}, result.direct_identifiers)


def test_files_of_programs_are_read_like_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same table as CSV is the oracle; chunks end within it."""
    monkeypatch.setattr(programs, "CHUNK_ROWS", 25)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    expected = _seen(str(tmp_path / "a.csv"))
    FRAME.to_stata(tmp_path / "a.dta", write_index=False, version=118)
    pyreadstat.write_sav(FRAME, str(tmp_path / "a.sav"))
    days = FRAME.astype({"birth": "datetime64[us]"}).assign(birth=FRAME["birth"].dt.date)
    pyarrow.feather.write_feather(pa.Table.from_pandas(days), tmp_path / "a.feather", chunksize=25)
    (tmp_path / "named_otherwise").write_bytes((tmp_path / "a.sav").read_bytes())
    for name in ("a.dta", "a.sav", "a.feather", "named_otherwise"):
        assert _seen(str(tmp_path / name)) == expected, name


def test_transport_files_of_sas(tmp_path: Path) -> None:
    """Its names have eight letters at most, and its texts are ASCII."""
    frame = FRAME.rename(columns={"member_id": "MEMBERID"}).drop(columns="note")
    frame.to_csv(tmp_path / "a.csv", index=False)
    for version in (5, 8):
        pyreadstat.write_xport(frame, str(tmp_path / "a.xpt"), file_format_version=version)
        assert _seen(str(tmp_path / "a.xpt")) == _seen(str(tmp_path / "a.csv"))


def test_labels_are_read_and_missing_texts_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"code": [0, 1] * 30, "word": ["", "x", "y"] * 20})
    labels = {"code": {0: "low", 1: "high"}}
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_value_labels=labels)
    columns, risks = _seen(str(tmp_path / "a.sav"))
    assert columns["code"][0] == "VARCHAR"
    assert (columns["word"][2], risks[0]["word"]) == (20, 2 / 40)


def test_refused_files_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.to_stata(tmp_path / "a.dta", write_index=False, version=118)
    (tmp_path / "cut.dta").write_bytes((tmp_path / "a.dta").read_bytes()[:900])
    (tmp_path / "b.dta").write_bytes((tmp_path / "a.dta").read_bytes())
    (tmp_path / "no.sav").write_bytes(b"no file of SPSS")
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(20))
    pyreadstat.write_sav(FRAME, str(tmp_path / "a.sav"))
    for name, words in {
        "cut.dta": "damaged",
        "[ab].dta": "one by one",
        "no.sav": "SPSS",
        "old.feather": "version 1",
    }.items():
        with pytest.raises(SourceError, match=words):
            duckrisk.assess(str(tmp_path / name), only=["direct_identifiers"])
    monkeypatch.setattr(programs.importlib, "import_module", _absent)
    with pytest.raises(SourceError, match=r"duckrisk\[files\]"):
        duckrisk.assess(str(tmp_path / "a.sav"), only=["direct_identifiers"])


def _absent(name: str) -> Any:
    raise ImportError(name)


_PEOPLE = "".join(f"{i};F;{i % 80};A\n" for i in range(50))
#: Lines above the names, and how many there are.
_TITLES = {
    "Report 2023;;;\n\n": 2,
    "Report 2023\n": 1,
    "# exported\n# by me\n": 2,
    "Report;2023;;\n;;;\n": 2,
    "Export date 2023;;;\n": 1,
}


@pytest.mark.slow
def test_a_title_above_the_names(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;sex;age;ward\n" + _PEOPLE, encoding="utf-8")
    expected = _seen(str(path))
    for title, lines in thinned(_TITLES.items()):
        path.write_text(title + "id;sex;age;ward\n" + _PEOPLE, encoding="utf-8")
        with pytest.raises(SourceError, match=f"--skip-lines {lines}\\b"):
            duckrisk.assess(str(path))
        (tmp_path / "a.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
        (tmp_path / "b.csv").write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))
        for name in ("a.csv", "a.csv.gz", "b.csv"):
            result = duckrisk.assess(str(tmp_path / name), skip_lines=lines, only=["direct_identifiers"])
            assert {column.name for column in result.source.columns} == expected[0].keys()
    with pytest.raises(SourceError, match="at most 99 lines"):
        duckrisk.assess(str(path), skip_lines=99)


def test_sparse_first_records_are_no_title(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    commas = "".join(f"{i};1.{i}00,50;F\n" for i in range(10, 60))
    for text in (
        "5;;;\n" + _PEOPLE,
        "id;sex;age;ward\n1;;;\n" + _PEOPLE,
        "id;sex\n" + "1;F\n2;\n" * 9,
        "id;pay;sex\n" + commas,
        "id\tpay\n" + commas.replace(";", "\t").replace("\tF", ""),
        ("id;sex;age;ward\n" + _PEOPLE).replace("\n", "\r"),
        "id;remark\n" + f"1;{'x' * 140_000}\n" * 2,
    ):
        path.write_text(text, encoding="utf-8")
        duckrisk.assess(str(path), only=["direct_identifiers"], user="")


def test_an_index_without_a_name_stands_before_names(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    records = "".join(f"{i},{'MF'[i % 2]},{'AB'[i % 3 // 2]}\n" for i in range(40))
    path.write_text(",sex,ward\n" + records, encoding="utf-8")
    source = duckrisk.assess(str(path), only=["direct_identifiers"]).source
    assert (source.records, [column.name for column in source.columns][1:]) == (40, ["sex", "ward"])
    path.write_text(",F,ward nine\n" + records.replace(",B", ",ward two"), encoding="utf-8")
    with pytest.raises(SourceError, match="--header or --no-header"):
        duckrisk.assess(str(path))
    path.write_text(",F,,A\n" + _PEOPLE.replace(";", ","), encoding="utf-8")
    assert duckrisk.assess(str(path), only=["direct_identifiers"]).source.records == 51


#: Files whose fields no delimiter parts, and the words that say so; None for those that are read.
_PARTED = {
    "id  age sex\n"
    + "".join(f"{i:3} {i % 80:3}   {'MF'[i % 2]}\n" for i in range(40)): "separate the 3 fields",
    "".join(f"{i % 20}::{i}::{i % 5 + 1}::978307\n" for i in range(40)): '"::" seems to separate the 4',
    "id~age\n" + "".join(f"{i}~{i % 7}\n" for i in range(40)): '"~" seems to separate the 2',
    "full name\n" + "Anna Smith\nJohn Brown\n" * 20: None,
    "remark\n" + "ward 5 was full\nno bed\n" * 20: None,
    "at,temp\n" + "2020-01-01 10:00:00,5\n" * 20: None,
}


def test_fields_that_no_delimiter_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for text, words in _PARTED.items():
        path.write_text(text, encoding="utf-8")
        if words is None:
            duckrisk.assess(str(path), only=["direct_identifiers"], header=True)
        else:
            with pytest.raises(SourceError, match=words):
                duckrisk.assess(str(path), only=["direct_identifiers"])


def test_columns_of_frames_that_the_engine_does_not_read() -> None:
    """The same values as pandas writes them are the oracle."""
    periods = pd.period_range("2020-01", periods=_ROWS, freq="M")
    odd: dict[str, Any] = {
        "cut": pd.cut([20 + i % 50 for i in range(_ROWS)], 5),
        "interval": pd.arrays.IntervalArray.from_breaks(range(_ROWS + 1)),
        "period": periods,
        "of_periods": pd.Categorical(periods),
        "sparse": pd.arrays.SparseArray([i % 3 for i in range(_ROWS)]),
        "complex": [complex(i % 4, 1) for i in range(_ROWS)],
    }
    frame = pd.DataFrame({"member_id": range(_ROWS), **odd})
    frame.loc[3, "cut"] = None
    plain = pd.DataFrame({name: frame[name].astype(object) for name in frame})
    for name in ("cut", "interval", "period", "of_periods", "complex"):
        plain[name] = [None if pd.isna(value) else str(value) for value in frame[name]]
    plain["sparse"] = [i % 3 for i in range(_ROWS)]
    before = frame.dtypes.to_dict()
    (columns, risks), (expected, same) = _seen(frame), _seen(plain)
    assert risks[0] == same[0]
    assert {name: found[1:] for name, found in columns.items()} == {n: e[1:] for n, e in expected.items()}
    assert frame.dtypes.to_dict() == before


def test_a_column_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from duckrisk.source import frames

    monkeypatch.setattr(frames, "_is_unread", lambda dtype: False)
    frame = pd.DataFrame({"a": [1, 2], "when": pd.period_range("2020-01", periods=2, freq="M")})
    with pytest.raises(UsageError, match='The column "when" has the type period'):
        duckrisk.assess(frame)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10**8, 10**8 + 60)), min_size=60, max_size=80))
def test_numbers_are_scanned_alike(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    """INT32, BIGINT and CSV: the same cells have the same roles, identifiers and figures."""
    folder = tmp_path_factory.mktemp("numbers")
    frame = pd.DataFrame(rows, columns=["ward", "code"]).assign(member_id=range(5000, 5000 + len(rows)))
    frame["bed"] = [300 + i % 7 for i in range(len(rows))]
    frame["tel"] = [900_000_000 + 7 * i for i in range(len(rows))]
    frame.to_csv(folder / "a.csv", index=False)
    found = []
    for kind in ("int32", "int64"):
        frame.astype(kind).to_parquet(folder / f"{kind}.parquet")
    for name in ("a.csv", "int32.parquet", "int64.parquet"):
        columns, risks = _seen(str(folder / name))
        found.append(({column: entry[1:] for column, entry in columns.items()}, risks))
    assert found[0] == found[1] == found[2]
