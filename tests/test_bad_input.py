"""What cannot be assessed is refused in one sentence, and nothing is left behind; what is odd works."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.files import write_file
from duckrisk.engine.session import Session
from duckrisk.report.forms import print_report
from duckrisk.report.render.junit import to_junit
from duckrisk.report.render.rows import to_csv
from tests.command import FEW, HISTORY, command, environment, everything, measured_once, refused, table
from tests.hostile import NAMES
from tests.opening import opened
from tests.tables import EXAMPLES, thinned


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder, and a folder for temporary files that has to be empty afterwards."""
    folder, temp = tmp_path / "work", tmp_path / "temp"
    folder.mkdir()
    temp.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DUCKRISK_TEMP", str(temp))
    yield folder
    assert list(temp.iterdir()) == []


@pytest.fixture
def history(here: Path) -> Path:
    return table(here / "history.parquet", HISTORY)


# --- sources that cannot be read -----------------------------------------------------------------


def test_no_such_file(history: Path) -> None:
    refused(3, "histry.parquet", '"history.parquet"', arguments=["assess", "histry.parquet", "-o", "r.json"])
    refused(3, "nowhere", arguments=["assess", "nowhere/at/all.csv"])
    refused(3, "*.csv", arguments=["assess", "*.csv"])
    refused(2, "SOURCE", arguments=["assess"])
    refused(2, "empty", arguments=["assess", ""])
    refused(2, "machine", arguments=["assess", "https://example.org/a.parquet"])


@pytest.mark.parametrize("name", ["e.csv", "e.parquet", "e.json", "e.txt"])
def test_empty_file(here: Path, name: str) -> None:
    (here / name).touch()
    refused(3, "empty" if "parquet" not in name else "damaged", arguments=["assess", name])


def test_no_records(here: Path) -> None:
    table(here / "none.parquet", f"SELECT * FROM ({HISTORY}) LIMIT 0")
    refused(3, "none.parquet", "no records", arguments=["assess", "none.parquet", "-o", "r.html"])
    (here / "head.csv").write_text("customer_id,item\n")
    refused(3, "header", "no records", arguments=["assess", "head.csv"])
    table(here / "some.parquet", HISTORY)
    refused(3, "condition", arguments=["assess", "some.parquet", "--where", "quantity > 99"])


@pytest.mark.parametrize("keep", [0.02, 0.5, 0.98])
def test_truncated_parquet(history: Path, keep: float) -> None:
    content = history.read_bytes()
    Path("cut.parquet").write_bytes(content[: int(len(content) * keep)])
    refused(3, "arquet", arguments=["assess", "cut.parquet", "-o", "r.json"])


def test_parquet_damaged_within(history: Path) -> None:
    content = bytearray(history.read_bytes())
    content[200:600] = b"\xff" * 400
    Path("bad.parquet").write_bytes(content)
    refused(3, arguments=["assess", "bad.parquet"])


#: The arguments of commands that read all of a small source, which stands for None, and are quick.
READERS = [
    ["assess", None, "--quiet", *FEW, "--samples", "0"],
    ["sql", "show", "attribute_risk", None, "--user", "customer_id", "--attribute", "item"],
    ["anonymize", None, "-o", "out.parquet", "--generalize", "quantity=2", "--quiet"],
    ["compare", "whole.parquet", None, "--quiet", "--only", "information"],
]


def reading(arguments: list[str | None], source: Path | str) -> list[str]:
    return [str(source) if argument is None else argument for argument in arguments]


@pytest.mark.parametrize("codec", thinned(["snappy", "zstd", "uncompressed"]))
def test_parquet_damaged_anywhere(here: Path, codec: str) -> None:
    """Whatever the engine comes upon, if anything, the sentence says that the file is damaged."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({HISTORY}) TO 'whole.parquet' (FORMAT parquet, COMPRESSION {codec})")
    whole, chance = Path("whole.parquet").read_bytes(), random.Random(codec)
    for number in thinned(range(16), 3):
        damaged = bytearray(whole)
        at = chance.randrange(len(whole) - 900 if number % 2 else 0, len(whole))
        if number % 4 < 2:
            damaged[at] ^= 1 << chance.randrange(8)
        elif number % 4 == 2:
            del damaged[at : at + chance.randrange(1, 400)]
        else:
            damaged[at : at + 40] = chance.randbytes(40)
        Path("bad.parquet").write_bytes(damaged)
        result = command(*reading(READERS[1 if number % 3 else 0], "bad.parquet"))
        if result.code != 0:
            sentence = "damaged" if result.code == 3 else "has no column"  # whose name is not what it was
            assert sentence in result.err, (number, result.err)
            assert "perhaps" not in result.err  # of a fault of the engine itself
            assert len(result.err.splitlines()) == 1


#: Every command with every change; where examples are few, each with another one.
CHANGED = thinned(itertools.product(READERS, ["cut", "removed", "replaced", "rewritten"]), 5)


@pytest.mark.parametrize(
    ("arguments", "how"), CHANGED, ids=lambda one: one if isinstance(one, str) else one[0]
)
def test_parquet_changed_while_it_is_read(
    history: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str | None], how: str
) -> None:
    """Two tables must not mix in one report, not even where both can be read."""
    shutil.copy(history, "whole.parquet")
    shutil.copy(history, "s.parquet")
    statements, real = itertools.count(), Session.run_in_worker

    def call(*given: Any) -> Any:
        if next(statements) == 8:
            if how == "cut":
                os.truncate("s.parquet", 500)
            elif how == "removed":
                Path("s.parquet").unlink()
            elif how == "replaced":
                table(Path("other.parquet"), HISTORY.replace("range(400)", "range(300)")).replace("s.parquet")
            else:
                Path("s.parquet").write_bytes(Path("s.parquet").read_bytes())
        return real(*given)

    monkeypatch.setattr(Session, "run_in_worker", call)
    result = command(*reading(arguments, "s.parquet"))
    assert (result.code, result.out) == (3, ""), result.err
    assert "changed, replaced or removed while it was read" in result.err
    assert len(result.err.splitlines()) == 1
    assert not list(Path().glob("out.*"))


@pytest.mark.parametrize(("name", "code"), [("copy_records", 3), ("attribute_risk", 0)])
def test_text_may_change_once_it_is_copied(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    source = table(here / "s.csv", HISTORY)
    real = Session.run

    def run(session: Session, statement: str, /, **given: Any) -> Any:
        done = real(session, statement, **given)
        if statement == name:
            source.write_bytes(source.read_bytes() + b"half a line")
        return done

    monkeypatch.setattr(Session, "run", run)
    result = command(*reading(READERS[0], "s.csv"))
    assert result.code == code
    assert ("changed, replaced or removed" in result.err) == (code == 3)


@pytest.mark.parametrize("line", ["1,2", "1,2,3,4", "1"])
@pytest.mark.parametrize("number", [7, 30_000])
def test_ragged_lines(here: Path, line: str, number: int) -> None:
    lines = ["customer_id,item,city"] + ["1,2,3"] * 40_000
    lines[number - 1] = line
    (here / "ragged.csv").write_text("\n".join(lines) + "\n")
    refused(3, f"{number}", arguments=["assess", "ragged.csv", "-o", "r.md"])


def test_mixed_folders(here: Path) -> None:
    (here / "mixed").mkdir()
    table(here / "mixed" / "a.parquet", "SELECT 1 AS x")
    table(here / "mixed" / "b.parquet", "SELECT 1 AS y")
    refused(3, "b.parquet", "mixed", arguments=["assess", "mixed"])
    (here / "texts").mkdir()
    (here / "texts" / "a.csv").write_text("x,y\n1,2\n")
    (here / "texts" / "b.csv").write_text("x,z\n1,2\n")
    refused(3, "b.csv", "texts", arguments=["assess", "texts"])
    (here / "empty").mkdir()
    refused(3, "empty", arguments=["assess", "empty"])


def test_a_file_name_that_is_no_text(here: Path) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    Path(name).write_text("customer_id,item\n" + "1,2\n2,3\n3,4\n" * 9)
    refused(2, "UTF-8", arguments=["assess", name])


# --- names that are not there --------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["--user", "custmer_id"],
        ["--attribute", "custmer_id"],
        ["--attribute", "item+custmer_id"],
        ["--attribute", "custmer_id.prefix(2)"],
        ["--ignore", "custmer_id"],
    ],
)
def test_no_such_column(history: Path, arguments: list[str]) -> None:
    refused(2, "custmer_id", '"customer_id"', arguments=["assess", history, *arguments])


@pytest.mark.parametrize(
    "content",
    [
        'user = "custmer_id"',
        'attributes = ["custmer_id"]',
        'ignore = ["custmer_id"]',
        '[columns]\ncustmer_id = "attribute"',
    ],
)
def test_no_such_column_in_the_settings(history: Path, content: str) -> None:
    Path("duckrisk.toml").write_text(content)
    refused(2, "custmer_id", '"customer_id"', arguments=["assess", history])


def test_no_such_attribute_in_a_gate(history: Path) -> None:
    gate = "attribute_risk[itm].mean_risk > 0.5"
    refused(2, "itm", '"item"', arguments=["assess", history, "--fail-on", gate, "-o", "r.json"])


@pytest.mark.parametrize(
    ("attributes", "words"),
    thinned(
        [
            (["item", "item"], "twice"),
            (["item", "ITEM"], "twice"),
            (["item+city", "city+item"], "twice"),
            (["item+item"], "twice"),
            (["item+ITEM"], "twice"),
            (["customer_id"], "user"),
            (["item+customer_id"], "user"),
            (["item.week"], "type"),
            (["bought.band(5)"], "type"),
            (["item.prefix"], "prefix(2)"),
            (["item.prefix(0)"], "above 0"),
            (["item.prefix(1.5)"], "integer"),
            ([f"item.prefix({2**32})"], "below 2 to the power of 32"),
            ([f"item.prefix({2**70})"], "below 2 to the power of 32"),
            (["bought.date(3)"], "bought.date"),
            (["bought.wek"], "week"),
            ([""], "column"),
            (["+"], "column"),
            (["item+"], "column"),
        ]
    ),
)
def test_attributes_that_make_no_sense(history: Path, attributes: list[str], words: str) -> None:
    options = [part for name in attributes for part in ("--attribute", name)]
    refused(2, words, arguments=["assess", history, *options])


def test_user_without_values(here: Path) -> None:
    table(here / "a.parquet", f"SELECT * REPLACE (NULL::VARCHAR AS customer_id) FROM ({HISTORY})")
    refused(3, "customer_id", "empty", "--user", arguments=["assess", "a.parquet", "--user", "customer_id"])
    result = command("assess", "a.parquet", "--user", "", "--format", "json", *FEW)
    assert result.code == 0
    assert result.json["source"]["users"] == 400


# --- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--memory", "lots"], "lots"),
        (["--memory", ""], "size"),
        (["--threads", "0"], "--threads must be"),
        (["--threads", "many"], "--threads"),
        (["--threads", "99999999"], "1,024"),
        (["--seed", "x"], "--seed must be a whole number; see"),
        (["--rare-below", "1.5"], "--rare-below must be a whole number; see"),
        (["--fraction", "half"], "--fraction must be a number; see"),
        (["--temp", "/nowhere/at/all"], "--temp"),
        (["--format", "pdf"], "pdf"),
        (["-o", "report.pdf"], "--format"),
        (["-o", "report"], "--format"),
        (["--format", "parquet"], "-o"),
        (["--known-records", "99"], "16"),
        (["--known-records", "-1"], "16"),
        (["--confidence", "0.7"], "0.8"),
        (["--rare-below", "1"], "k"),
        (["--draws", "1"], "draws"),
        (["--samples", "-1"], "samples"),
        (["--samples", "1", "--sample-only"], "--samples"),
        (["--seed", "-1"], "seed"),
        (["--seed", "x"], "--seed"),
        (["--approximate", "--sample-only"], "both"),
        (["--fail-on", "mean_risk"], "gate"),
        (["--fail-on", "attribute_risk.mean_rsk > 0.5"], "mean_risk"),
        (["--fail-on", "atribute_risk.mean_risk > 0.5"], "attribute_risk"),
        (["--fail-on", "attribute_risk.mean_risk > lots"], "number"),
        (["--fail-on", "attribute_risk.mean_risk > nan"], "number"),
        (["--fail-on", "attribute_risk.mean_risk == 1"], "gate"),
        (["--fail-on", "source[item].users > 1"], "no brackets"),
        (["--fail-on", "known_records.risk > 1", "--known-records", "0"], "measure"),
        (["--where", "nothing > 3"], "columns"),
        (["--where", "quantity > "], "condition"),
        (["--where", "1=1) UNION SELECT * FROM (SELECT 1"], "condition"),
        (["--where", "quantity > 1; DROP TABLE x"], "condition"),
        (["--query", "SELECT 1; SELECT 2"], "SELECT"),
        (["--query", "COPY source TO 'stolen.csv'"], "SELECT"),
        (["--query", "DELETE FROM source"], "SELECT"),
        (["--query", "SELECT nothing FROM source"], "query"),
        (["--query", "FROM '/etc/passwd'"], ""),
        (["--table", "t"], "--table"),
        (["--nonsense"], "--nonsense"),
        (["more.parquet"], "more.parquet"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--encoding", "klingon"], ""),
    ],
)
def test_options_that_make_no_sense(history: Path, arguments: list[str], words: str) -> None:
    source = history
    if "--encoding" in arguments:
        source = table(history.parent / "a.csv", HISTORY)
    refused(2, words, arguments=["assess", source, *arguments])


def test_a_value_that_no_cast_takes(history: Path) -> None:
    refused(3, "TRY_CAST", arguments=["assess", history, "--where", "CAST(item AS INTEGER) > 3"])
    sentence = refused(
        3, arguments=["assess", history, "--query", "SELECT CAST(item AS DATE) AS d FROM source"]
    )
    assert "item 1" not in sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("usr = 'a'", '"user"'),
        ("user = 3", "text"),
        ("user = ['a']", "text"),
        ("attributes = 'a'", "list"),
        ("attributes = [1]", "list"),
        ("[measures]\nk = 'x'", "whole number"),
        ("[measures]\nk = 2.5", "whole number"),
        ("[measures]\nk = true", "whole number"),
        ("[measures]\nkk = 3", '"k"'),
        ("[mesures]\nk = 3", '"measures"'),
        ("columns = 3", "columns"),
        ("[columns]\nitem = 'atribute'", "item"),
        ("[columns]\nitem = 3", "item"),
        ("[columns]\nitem = 'user'\ncity = 'user'", "user"),
        ("user = 'item'\n[columns]\ncity = 'user'", "user"),
        ("[columns]\nitem = 'date_time'", "dates or times"),
        ("[columns]\nquantity = 'date_time'", "dates or times"),
        ("fail_on = ['nonsense']", "gate"),
        ("[measures]\nmethod = 'guess'", "guess"),
        ("[measures]\ninterval = 'wide'", "wide"),
        ("[measures]\nconfidence = 0.5", "0.8"),
        ("user = ", "TOML"),
        ("user = 'a'\nuser = 'b'", "TOML"),
        ("[[columns]]\na = 1", "columns"),
    ],
)
def test_settings_that_make_no_sense(history: Path, content: str, words: str) -> None:
    Path("my.toml").write_text(content)
    refused(2, words, arguments=["assess", history, "--config", "my.toml"])


def test_settings_that_are_no_text(history: Path) -> None:
    Path("duckrisk.toml").write_bytes(b"user = '\xff'")
    refused(2, "UTF-8", arguments=["assess", history])
    Path("duckrisk.toml").unlink()
    Path("duckrisk.toml").mkdir()
    refused(2, "it is a folder", arguments=["assess", history, *FEW])
    refused(2, "duckrisk.toml", arguments=["assess", history, "--config", "duckrisk.toml"])


# --- outputs -------------------------------------------------------------------------------------


def test_outputs_that_cannot_be_written(history: Path) -> None:
    Path("folder").mkdir()
    Path("target.json").write_text("kept")
    Path("link.json").symlink_to("target.json")
    refused(3, "folder", arguments=["assess", history, "-o", "folder", "--format", "json"])
    refused(3, "none", arguments=["assess", history, "-o", "none/report.json"])
    refused(3, "none", arguments=["assess", history, "--junit", "none/report.xml"])
    refused(3, "none", arguments=["init", history, "-o", "none/duckrisk.toml"])
    refused(3, "link", arguments=["assess", history, "-o", "link.json"])
    refused(3, "folder", arguments=["init", history, "-o", "folder", "--overwrite"])
    refused(2, "same", arguments=["assess", history, "-o", "a.json", "--junit", "./a.json"])


def test_a_device_is_never_replaced(here: Path, history: Path) -> None:
    os.mkfifo(here / "pipe.json")
    result = command("assess", history, "-o", "pipe.json")
    assert result.code == 3
    assert "device" in result.err
    assert (here / "pipe.json").is_fifo()


@pytest.mark.parametrize(
    "arguments",
    [
        ["assess", "data/a.parquet", "-o", "data/a.parquet"],
        ["assess", "data", "-o", "data/../data/a.parquet"],
        ["assess", "data/*.parquet", "-o", "data/a.parquet"],
        ["assess", "--query", "FROM 'data/a.parquet'", "-o", "data/a.parquet"],
        ["assess", "data/a.parquet", "-o", "hard.parquet"],
        ["assess", "data/a.parquet", "--junit", "data/a.parquet"],
        ["assess", "--attach", "wh.duckdb", "-o", "wh.duckdb", "--format", "json"],
        ["assess", "wh.duckdb", "-o", "wh.duckdb", "--format", "json"],
        ["init", "data/a.parquet", "--overwrite", "-o", "data/a.parquet"],
    ],
)
def test_the_source_is_never_overwritten(here: Path, arguments: list[str]) -> None:
    (here / "data").mkdir()
    table(here / "data" / "a.parquet", HISTORY)
    os.link(here / "data" / "a.parquet", here / "hard.parquet")
    with duckdb.connect(str(here / "wh.duckdb")) as made:
        made.execute(f"CREATE TABLE t AS {HISTORY}")
    refused(2, "part of the source", arguments=arguments)


READ = ["duckrisk.toml", "own.toml", "city.csv", "earlier.json", "linked.json"]
#: Every file in place of every output; where examples are few, each in place of one.
REPLACED = [*zip(READ, itertools.cycle(["-o", "--junit"])), *zip(READ, itertools.cycle(["--junit", "-o"]))]


@pytest.mark.parametrize(("file", "output"), REPLACED if EXAMPLES >= 20 else REPLACED[: len(READ)])
def test_nothing_that_is_read_is_overwritten(history: Path, output: str, file: str) -> None:
    """The settings, a file of theirs and an earlier report are read as the source is."""
    Path("duckrisk.toml").write_text('[hierarchies]\nitem = "city.csv"\n')
    Path("own.toml").write_text('[hierarchies]\nitem = "city.csv"\n')
    Path("city.csv").write_text("a;*\n")
    assert command("assess", history, "-o", "earlier.json", *FEW).code == 0
    os.link("earlier.json", "linked.json")
    before = everything(Path())
    asked = ["assess", history, "--config", "own.toml", "--baseline", "earlier.json", *FEW]
    refused(2, "reads", file, arguments=[*asked, output, file, "--format", "json"])
    assert everything(Path()) == before


def test_a_recipe_and_a_guess_are_not_overwritten(history: Path) -> None:
    """Whether a file is named by itself or after a name and a sign."""
    Path("r.toml").write_text('[[step]]\nmethod = "shuffle"\n')
    asked = ["anonymize", history, "--recipe", "r.toml", "--overwrite"]
    refused(2, "reads", "r.toml", arguments=[*asked, "-o", "out.csv", "--junit", "r.toml"])
    Path("guess.csv").write_text("0\n")
    scored = ["membership", "score", "--population", history, "--members", history, "--guess", "x=guess.csv"]
    refused(2, "guess.csv", arguments=[*scored, "--junit", "guess.csv"])
    assert Path("guess.csv").read_text() == "0\n"


def test_an_earlier_report_is_replaced_and_init_asks(history: Path) -> None:
    Path("report.json").write_text("old")
    assert command("assess", history, "-o", "report.json", *FEW).code == 0
    assert Path("report.json").read_text().startswith("{")
    assert command("init", history).code == 0
    refused(2, "--overwrite", arguments=["init", history])
    assert command("init", history, "--overwrite").code == 0


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(history: Path) -> None:
    Path("fixed").mkdir(mode=0o500)
    refused(3, "fixed", arguments=["assess", history, "-o", "fixed/r.json"])


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A folder with little room; skips where nothing can be mounted."""
    folder.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True
        )
        if os.geteuid() == 0
        else None
    )
    if mounted is None or mounted.returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_the_disk_of_the_output_is_full(here: Path, history: Path) -> None:
    with small_disk(here / "disk", "8k") as disk, measured_once():
        for form in ("json", "html", "parquet"):
            (disk / "filling").write_bytes(b"x" * 8192)
            before = everything(disk)
            result = command("assess", history, "-o", disk / f"report.{form}", *FEW)
            assert result.code == 3
            assert result.err.count("\n") == 1
            assert "full" in result.err
            assert f'"{disk}/report.{form}"' in result.err
            assert everything(disk) == before


@pytest.mark.slow
def test_the_disk_for_spilling_is_full(here: Path, tmp_path: Path) -> None:
    table(
        here / "large.parquet",
        "SELECT 'user ' || hash(i) AS customer_id, 'v ' || hash(-i) AS a FROM range(900000) t(i)",
    )
    with small_disk(tmp_path / "disk", "2m") as disk:
        refused(
            3,
            "disk",
            "--temp",
            arguments=["assess", "large.parquet", "--memory", "40MB", "--threads", "1", "--temp", disk],
        )
        assert list(disk.iterdir()) == []
        (here / "copied.csv").write_text("customer_id,item\n" + "1,'abcdefghijklmnopqrstuvwxyz\n" * 2)
        refused(
            3,
            "--temp",
            arguments=["assess", "--query", "SELECT hash(i) AS a FROM range(900000) t(i)", "--temp", disk],
        )
        assert list(disk.iterdir()) == []


def test_a_write_that_fails_leaves_nothing(here: Path) -> None:
    for error in (KeyboardInterrupt, ValueError):

        def fail(path: Path, error: type[BaseException] = error) -> None:
            path.write_text("half")
            raise error

        with pytest.raises(error):
            write_file(here / "report.json", fail, private=False)
        assert list(here.iterdir()) == []


def test_a_long_name_of_a_report(history: Path) -> None:
    name = "報" * 80 + ".json"
    assert command("assess", history, "-o", name, *FEW).code == 0
    assert Path(name).is_file()


# --- what is odd and works -----------------------------------------------------------------------


def test_one_record(here: Path) -> None:
    table(here / "one.parquet", "SELECT 'u' AS customer_id, 1 AS a, TIMESTAMP '2024-01-01' AS t, 'x' AS b")
    with measured_once():
        for form in ("table", "markdown", "html", "csv", "json"):
            result = command("assess", "one.parquet", "--format", form)
            assert result.code == 0, result.err
    found = result.json
    assert (found["source"]["records"], found["source"]["users"]) == (1, 1)


ODD = {
    "nan": "CASE WHEN i % 3 = 0 THEN 'nan'::DOUBLE "
    "WHEN i % 3 = 1 THEN 'infinity'::DOUBLE ELSE '-infinity'::DOUBLE END",
    "zero": "CASE WHEN i % 2 = 0 THEN 0.0::DOUBLE ELSE -0.0::DOUBLE END",
    "real": "(i % 7 / 3)::FLOAT",
    "wide": "(i % 5)::DECIMAL(38, 10)",
    "huge": "(i % 5)::HUGEINT * 170141183460469231731687303715884105727 // 5",
    "uhuge": "(i % 5)::UHUGEINT",
    "bytes": "encode('b' || i % 4)",
    "items": "[i % 3, i % 2]",
    "texts": "['a' || i % 3, NULL]",
    "fixed": "[i % 3, 1]::INTEGER[2]",
    "pair": "{'a': i % 3, 'b c': 'x'}",
    "mapped": "MAP {'k' || i % 2: i % 3}",
    "kind": "CASE WHEN i % 2 = 0 THEN 'on' ELSE 'off' END::ENUM('on', 'off')",
    "unique_id": "md5((i % 8)::VARCHAR)::UUID",
    "length": "INTERVAL (i % 5) DAY",
    "zoned": "TIMESTAMPTZ '2024-01-01 23:30:00+09' + INTERVAL (i % 90) HOUR",
    "nano": "(TIMESTAMP '2024-01-01' + INTERVAL (i % 90) HOUR)::TIMESTAMP_NS",
    "seconds": "(TIMESTAMP '2024-01-01' + INTERVAL (i % 90) HOUR)::TIMESTAMP_S",
    "day": "DATE '2024-01-01' + (i % 9)::INTEGER",
    "ancient": "CASE WHEN i % 2 = 0 THEN DATE '-infinity' ELSE DATE '0044-03-15 (BC)' END",
    "clock": "TIME '08:00:00' + INTERVAL (i % 90) MINUTE",
    "clocktz": "('08:00:0' || i % 9 || '+09')::TIMETZ",
    "truth": "i % 2 = 0",
    "bits": "('10' || i % 2)::BIT",
    "document": "('{\"a\": ' || i % 3 || '}')::JSON",
    "union": "union_value(n := i % 3)",
    "nothing": "NULL::INTEGER",
    "bignum": "(i % 5)::BIGNUM",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", thinned(["duckdb", "parquet", "json"]))
def test_every_type_works(here: Path, form: str) -> None:
    source = here / f"odd.{form}"
    kept = []
    with duckdb.connect() as trial:
        for kind, select in ODD.items():
            query = f"SELECT {select} AS {kind} FROM range(120) t(i)"
            with contextlib.suppress(duckdb.Error):  # not every engine has every type
                if form == "duckdb":
                    trial.execute(f"CREATE OR REPLACE TABLE t AS {query}")
                else:
                    trial.execute(f"COPY ({query}) TO 'trial' (FORMAT {form})")
                kept.append(f"{select} AS {kind}")
    Path("trial").unlink(missing_ok=True)
    assert len(kept) > 20
    query = f"SELECT 'u' || i % 10 AS customer_id, {', '.join(kept)} FROM range(120) t(i)"
    with duckdb.connect(str(source) if form == "duckdb" else ":memory:") as made:
        made.execute(
            f"CREATE TABLE odd AS {query}"
            if form == "duckdb"
            else f"COPY ({query}) TO '{source}' (FORMAT {form})"
        )
    # Neither who knows several records nor attribute sets depend on how risk is counted.
    few = ["--only", "attribute_risk", "--known-records", "0"]
    ways: list[list[str]] = [few]
    if form == "duckdb":
        ways = [
            ["--show-values"],
            ["--approximate", *few],
            ["--sample-only", *few],
            ["--user", "", *few],
        ]
    with measured_once():
        for options in thinned(ways):
            result = command("assess", source, "--format", "json", *options)
            assert result.code == 0, (options, result.err)
            assert len(result.json["source"]["columns"]) == len(kept) + 1
        for shown in ("table", "html") if form == "duckdb" else ():
            assert command("assess", source, "--format", shown, "--show-values").code == 0
    assert command("sql", "show", "attribute_risk", source).code == 0


OURS = (
    "assessed",
    "source",
    "history",
    "knowledge",
    "records",
    "readable",
    "totals",
    "opened",
    "attached",
    "t",
)


@pytest.mark.slow
def test_tables_named_like_ours(here: Path) -> None:
    table(here / "a.parquet", HISTORY)
    light = ["--format", "json", *FEW]
    expected = command("assess", "a.parquet", *light).json["attribute_risk"]
    records = opened("a.parquet").rows
    with duckdb.connect(str(here / "wh.duckdb")) as made:
        for name in thinned(OURS):
            made.execute(f'CREATE TABLE "{name}" AS {HISTORY}')
    for number, name in enumerate(thinned(OURS)):
        # What is measured has names of its own, however the table is read; each name is read in both ways.
        ways = [["--query", f'SELECT * FROM "{name}"'], ["--table", name]]
        options = ways.pop(number % 2)
        result = command("assess", "wh.duckdb", *options, *light)
        assert result.code == 0, (options, result.err)
        assert result.json["attribute_risk"] == expected
        (other,) = ways
        assert sorted(opened("wh.duckdb", **{other[0].lstrip("-"): other[1]}).rows, key=repr) == records


# --- hostile names -------------------------------------------------------------------------------


@pytest.fixture
def hostile(here: Path) -> Path:
    """A database's table whose columns have all the hostile names; the last is the user."""
    columns = ", ".join(
        f"'v' || ((i + {number}) % {number % 9 + 4}) AS " + '"' + name.replace('"', '""') + '"'
        for number, name in enumerate(NAMES)
    )
    with duckdb.connect(str(here / "hostile.duckdb")) as made:
        made.execute(f'CREATE TABLE t AS SELECT {columns}, i % 20 AS "the person" FROM range(100) r(i)')
    return here / "hostile.duckdb"


@pytest.mark.slow
def test_hostile_names_in_every_form(hostile: Path) -> None:
    report = duckrisk.assess(hostile, user="the person", known_records=0, samples=0)
    names = {column["name"] for column in json.loads(report.to_json())["source"]["columns"]}
    assert names == {*NAMES, "the person"}
    text = io.StringIO()
    print_report(report, text)
    cases = to_junit(report, report.source.name)
    for shown in (text.getvalue(), report.to_text(full=True), report.to_markdown(), cases):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert len(to_csv(report).splitlines()) > len(NAMES)
    assert ElementTree.fromstring(cases).tag
    assert "<script" not in report.to_html()
    light = ["--known-records", "0", "--samples", "0", "--only", "attribute_risk"]
    assert command("assess", hostile, "--user", "the person", "-o", "r.parquet", *light).code == 0


@pytest.mark.slow
def test_hostile_names_in_settings_are_read_back(hostile: Path) -> None:
    assert command("init", hostile, "--user", "the person").code == 0
    Path("empty.toml").touch()
    alone = ["--format", "json", "--known-records", "0", "--samples", "0", "--only", "attribute_risk"]
    plain = command("assess", hostile, "--config", "empty.toml", "--user", "the person", *alone).json
    again = command("assess", hostile, *alone)
    assert again.code == 0, again.err
    assert again.json["attribute_risk"] == plain["attribute_risk"]
    # The proposed line with the attributes is right as well.
    text = Path("duckrisk.toml").read_text(encoding="utf-8").replace("# attributes = ", "attributes = ", 1)
    Path("duckrisk.toml").write_text(text, encoding="utf-8")
    again = command("assess", hostile, *alone)
    assert again.code == 0, again.err
    assert {e["attribute"] for e in again.json["attribute_risk"]} == {
        e["attribute"] for e in plain["attribute_risk"]
    }


def test_hostile_names_as_options_and_gates(hostile: Path) -> None:
    options = [f"--attribute={name}" for name in NAMES]
    gates = [f"--fail-on=attribute_risk[{name}].mean_risk > 1" for name in NAMES]
    result = command(
        "assess",
        hostile,
        "--user",
        "the person",
        "--format",
        "json",
        "--known-records",
        "0",
        "--only",
        "attribute_risk",
        *options,
        *gates,
    )
    assert result.code == 0, result.err
    assert {entry["attribute"] for entry in result.json["attribute_risk"]} == set(NAMES)
    assert all(gate["passed"] for gate in result.json["gates"])


@pytest.mark.parametrize("name", ["select", NAMES[0], "{{ 7 * 7 }}"])
def test_hostile_names_in_printed_sql(hostile: Path, name: str) -> None:
    with duckdb.connect(str(hostile), read_only=True) as made:
        made.execute("COPY t TO 'hostile.parquet' (FORMAT parquet)")
    result = command(
        "sql", "show", "attribute_risk", "hostile.parquet", "--user", "the person", f"--attribute={name}"
    )
    assert result.code == 0, result.err
    with duckdb.connect() as shell:
        (found,) = shell.execute(result.out).df().to_dict("records")
    assert found["records"] == 100


def test_names_that_collide(here: Path) -> None:
    (here / "a.csv").write_text(
        "customer_id,Age,age,AGE,Age,\n"
        + "".join(f"u{i % 9},{i % 2},{i % 3},{i % 5},{i % 7},{i % 4}\n" for i in range(200))
    )
    found = command("assess", "a.csv", "--format", "json", "--known-records", "0").json
    names = [column["name"] for column in found["source"]["columns"]]
    assert len(set(names)) == 6
    distinct = {e["attribute"]: e["distinct_values"] for e in found["attribute_risk"]}
    assert [distinct[name] for name in names[1:]] == [2, 3, 5, 7, 4]
    refused(2, "differ only in case", arguments=["assess", "a.csv", "--attribute", "aGE"])


def test_a_crash_of_ours_is_one_sentence_without_its_text(here: Path) -> None:
    code = (
        "import sys; from unittest import mock; from duckrisk import cli; sys.argv = ['duckrisk', "
        "'assess', 'x']\n"
        "with mock.patch('duckrisk.decision.assessment.run', side_effect=KeyError('secret')): cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60)
    assert done.returncode == 3
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"secret" not in done.stderr
    assert b"KeyError" in done.stderr
