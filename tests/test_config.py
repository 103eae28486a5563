"""Settings files: read, checked, and written so that they are read back as they were meant."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.api import config
from duckrisk.base.errors import UsageError
from duckrisk.base.options import options_of
from duckrisk.base.options.output import SettingsFile
from duckrisk.cli.settings import read_settings
from duckrisk.cli.signature import CommandLine
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.measures import attribute
from duckrisk.source import Column, Request, Source, open_source
from tests.command import FEW, HISTORY, command, table
from tests.tables import EXAMPLES, thinned


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_that_can_be_set(tmp_path: Path) -> None:
    found = config.load(
        written(
            tmp_path / "a.toml",
            """
        user = "U"
        attributes = ["A", "B.week"]
        ignore = ["C"]
        fail_on = ["source.users < 5"]
        [columns]
        "d e" = "free_text"
        [source]
        table = "s.t"
        query = "SELECT 1"
        where = "a > 1"
        encoding = "cp932"
        header = false
        beside = ["b=b.csv"]
        [measures]
        method = "approximate"
        k = 3
        samples = 7
        confidence = 0.95
        interval = "paper"
        known_records = 2
        draws = 99
        detailed = 1
        models_of = "A"
        seed = 5
    """,
        )
    )
    assert found.overrides == roles.RoleOverrides("U", ("A", "B.week"), ("C",), (("d e", "free_text"),))
    assert found.measures == attribute.Options("approximate", 3, 7, 0.95, "paper", 2, 99, 1, "A", 5)
    assert found.source == Request(None, "s.t", None, "SELECT 1", "a > 1", "cp932", False, ("b=b.csv",))
    assert config.read_gates(tmp_path / "a.toml") == ("source.users < 5",)


def test_nothing_set_is_the_default(tmp_path: Path) -> None:
    found = config.load(written(tmp_path / "a.toml", "\ufeff# only a remark\n"))
    assert found.overrides == roles.RoleOverrides()
    assert found.measures == attribute.Options()
    assert config.read_gates(tmp_path / "a.toml") == ()
    assert found.source == Request()


@pytest.mark.parametrize("key", list(config._SHAPE["measures"]))
def test_types_of_measures(tmp_path: Path, key: str) -> None:
    for value in ("true", "[1]", "{a = 1}", "1979-05-27"):
        with pytest.raises(UsageError, match=key):
            config.load(written(tmp_path / "a.toml", f"[measures]\n{key} = {value}\n"))


@pytest.mark.parametrize("key", list(config._SHAPE["source"]))
def test_types_of_the_source(tmp_path: Path, key: str) -> None:
    wrong = '"true"' if key == "header" else "true"
    for value in ("[1]", "1979-05-27", wrong, *(["1"] if key != "skip_lines" else ["1.5"])):
        with pytest.raises(UsageError, match=key):
            config.load(written(tmp_path / "a.toml", f"[source]\n{key} = {value}\n"))


def test_an_address_is_no_setting(tmp_path: Path) -> None:
    for key in ("attach", "source"):
        with pytest.raises(UsageError, match=f'unknown key "{key}"'):
            config.load(written(tmp_path / "a.toml", f'[source]\n{key} = "postgres:password=secret"\n'))


@given(
    st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=5, unique=True
    )
)
@settings(max_examples=150 if EXAMPLES >= 20 else 30, deadline=None)
def test_any_name_is_read_back(names: list[str]) -> None:
    columns = [Column(i, name, "BIGINT") for i, name in enumerate(names)]
    source = Source("a\nb.csv", "csv", columns, Sql(""), names)
    decisions = [roles.Decision(column, "attribute", f'determined by "{column.name}"') for column in columns]
    made = [a for decision in decisions for a in roles.default_attributes(decision)]
    found = roles.Roles(decisions, columns[0], 1, 1, 0, 0, 1, made)
    address = "postgres:password=the secret of a database"
    request = Request("a\nb.csv", names[0], address, None, names[-1], names[0], True)
    text = config.propose(source, found, request)
    config.check_proposal(text)
    read = tomllib.loads(text)
    assert read["user"] == names[0]
    assert list(read["columns"]) == names
    assert read["source"] == {"table": names[0], "where": names[-1], "encoding": names[0], "header": True}
    assert "the secret of a database" not in text
    attributes = tomllib.loads(text.replace("# attributes = ", "attributes = ", 1))["attributes"]
    assert attributes == names


def test_options_win_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", HISTORY)
    written(
        tmp_path / "duckrisk.toml",
        """
        user = "city"
        attributes = ["item"]
        ignore = ["bought"]
        fail_on = ["source.users < 2"]
        [columns]
        quantity = "free_text"
        [measures]
        k = 3
        seed = 9
    """,
    )
    light = ["--only", "attribute_risk", "--known-records", "0"]
    plain = command("assess", "a.parquet", "--format", "json", *light).json
    assert plain["source"]["user"] == "city"
    assert (plain["settings"]["k"], plain["environment"]["seed"]) == (3, 9)
    assert [entry["attribute"] for entry in plain["attribute_risk"]] == ["item"]
    changed = command(
        "assess",
        "a.parquet",
        "--format",
        "json",
        "--user",
        "customer_id",
        "--attribute",
        "city",
        "--rare-below",
        "4",
        "--ignore",
        "item",
        "--fail-on",
        "source.users > 1000",
        *light,
    ).json
    assert changed["source"]["user"] == "customer_id"
    assert changed["settings"]["k"] == 4
    assert changed["environment"]["seed"] == 9
    assert [entry["attribute"] for entry in changed["attribute_risk"]] == ["city"]
    assert len(changed["gates"]) == 2
    decided = {column["name"]: column["role"] for column in changed["source"]["columns"]}
    assert decided["item"] == decided["bought"] == "ignored"
    assert decided["quantity"] == "free_text"


def test_levels_of_the_command_win_over_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Column by column: the same one can be written in another case."""
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", "SELECT i % 7 AS Age, i % 5 AS city, i % 3 AS job FROM range(30) t(i)")
    settled = '[levels]\nAge = "date_of_birth"\nCITY = [1, 2]\n'
    written(tmp_path / "duckrisk.toml", settled)
    every = ["assess", "a.parquet", "--only", "identifiability", "--format", "json"]

    def levels(*options: str) -> dict[str, tuple[int, int]]:
        found = command(*every, *options)
        assert found.code == 0, found.err
        entries = found.json["identifiability"]["attributes"]
        return {e["attribute"]: (e["economic"], e["psychological"]) for e in entries}

    assert levels() == {"Age": (1, 1), "city": (1, 2), "job": (1, 1)}
    assert levels("--level", "age=2,2", "--level", "job=1,3") == {
        "Age": (2, 2),
        "city": (1, 2),
        "job": (1, 3),
    }
    changed = command(*every, "--level", "AGE=2,2").json["settings"]["levels"]
    assert changed == {"CITY": [1, 2], "AGE": "2,2"}
    shown = command("sql", "show", "identifiability", "a.parquet").out
    assert "['1,1', '1,2', '1,1']" in shown
    # Twice in one place is a mistake.
    for options in (
        ["--level", "age=1,1", "--level", "Age=2,2"],
        ["--level", "age=1,1", "--level", "age=2,2"],
    ):
        twice = command(*every, *options)
        assert (twice.code, "two levels" in twice.err) == (2, True)
    # What the file says of a column that was given another level is not looked at.
    written(tmp_path / "duckrisk.toml", settled + 'age = [2, 2]\njob = "of another chart"\n')
    for options in ([], ["--level", "job=1,3"]):
        twice = command(*every, *options)
        assert (twice.code, "two levels" in twice.err) == (2, True)
    wins = ("--level", "age=1,1", "--level", "job=1,3")
    assert levels(*wins) == {"Age": (1, 1), "city": (1, 2), "job": (1, 3)}
    assert command(*every, *wins).json["settings"]["levels"] == {"CITY": [1, 2], "age": "1,1", "job": "1,3"}


def test_columns_that_differ_in_case_keep_their_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("age,Age\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(30)))
    written(tmp_path / "duckrisk.toml", "[levels]\nage = [1, 2]\n")
    found = command(
        "assess", "a.csv", "--only", "identifiability", "--level", "Age=2,1", "--format", "json"
    ).json
    assert found["settings"]["levels"] == {"age": [1, 2], "Age": "2,1"}
    entries = found["identifiability"]["attributes"]
    assert [(e["attribute"], e["economic"], e["psychological"]) for e in entries] == [
        ("age", 1, 2),
        ("Age", 2, 1),
    ]


def test_a_role_of_the_file_gives_way_to_the_user_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", HISTORY)
    written(tmp_path / "duckrisk.toml", '[columns]\ncity = "user"\n')
    every = ["assess", "a.parquet", "--format", "json", "--only", "attribute_risk", "--known-records", "0"]
    assert command(*every).json["source"]["user"] == "city"
    given_user = command(*every, "--user", "customer_id").json
    assert given_user["source"]["user"] == "customer_id"
    assert "city" in {entry["attribute"] for entry in given_user["attribute_risk"]}


@pytest.mark.parametrize(
    "select",
    thinned(
        [
            HISTORY,
            "SELECT i AS a, i % 3 AS b FROM range(90) t(i)",
            "SELECT 'p' || i % 9 AS patient_id, DATE '2024-01-01' + i::INTEGER AS day, "
            "'2024-01-01 10:00:0' || i % 9 AS seen, 'x@y' || i || '.org' AS email, i % 2 AS sex, "
            "7 AS fixed, NULL::INTEGER AS none FROM range(90) t(i)",
        ]
    ),
)
def test_what_init_writes_changes_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, select: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", select)
    every = ["assess", "a.parquet", "--format", "json", "--only", "attribute_risk", "--draws", "60"]
    before = command(*every).json
    done = command("init", "a.parquet")
    assert (done.code, done.out) == (0, "")
    assert "duckrisk.toml" in done.err
    after = command(*every).json
    for part in ("attribute_risk", "known_records", "coarser_knowledge", "single_values"):
        assert after[part] == before[part]
    assert [c["role"] for c in after["source"]["columns"]] == [c["role"] for c in before["source"]["columns"]]


def test_what_init_was_told_of_the_source_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = duckdb.connect("wh.duckdb")
    made.execute(f"CREATE SCHEMA s; CREATE TABLE s.t AS {HISTORY}; CREATE TABLE other AS SELECT 1 AS a")
    made.close()
    told = ["--table", "s.t", "--where", "item <> 'item \"3\"'\n AND quantity > 1"]
    every = ["assess", "wh.duckdb", "--format", "json", *FEW, "--samples", "0"]
    before = command(*every, *told).json
    assert command("init", "wh.duckdb", *told).code == 0
    after = command(*every).json
    settings_read = 'Settings were read from "duckrisk.toml".'
    assert after["source"].pop("notes") == [settings_read, *before["source"].pop("notes")]
    assert after["source"]["records"] == before["source"]["records"] < 400
    assert after["source"]["where"] == before["source"]["where"] == "item <> ?\n AND quantity > ?"
    assert after["attribute_risk"] == before["attribute_risk"]
    assert (after["settings"]["table"], after["settings"]["config"]) == ("s.t", "duckrisk.toml")
    # Options win, each for itself.
    assert command(*every, "--where", "TRUE").json["source"]["records"] == 400
    query = ["--query", "SELECT * FROM s.t WHERE quantity > 3"]
    narrower = command(*every, *query).json["source"]["records"]
    assert 0 < narrower < after["source"]["records"]
    query = ["--table", "s.t", "--query", "SELECT * FROM source WHERE quantity > 3"]
    assert command(*every, *query).json["source"]["records"] == narrower
    assert "quantity > 1" in command("sql", "show", "attribute_risk", "wh.duckdb").out
    # Where the file does not fit, the sentence names it.
    table(tmp_path / "a.parquet", HISTORY)
    for arguments in (["assess", "a.parquet"], ["sql", "show", "attribute_risk", "a.parquet"]):
        unfit = command(*arguments)
        assert unfit.code == 2
        assert "--table needs a database" in unfit.err
        assert settings_read in unfit.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "顧客,品目,数\n".encode("cp932") + "甲,茶,1\n乙,酒,2\n".encode("cp932") * 30,
            ["--encoding", "cp932"],
        ),
        (b"ann,tea,red\nbob,rum,blue\n" * 30, ["--no-header"]),
        (b"ann,tea,red\nbob,rum,blue\n" * 30, ["--header"]),
    ],
)
def test_how_text_is_read_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, told: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_bytes(content)
    every = ["assess", "a.csv", "--format", "json", "--only", "attribute_risk", "--known-records", "0"]
    before = command(*every, *told).json
    assert command("init", "a.csv", *told).code == 0
    after = command(*every).json
    assert after["attribute_risk"] == before["attribute_risk"]
    for key in ("encoding", "header"):
        assert after["settings"][key] == before["settings"][key]


def test_an_output_over_a_file_of_the_kept_query_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", HISTORY)
    assert command("init", "--query", "SELECT * FROM 'a.parquet'").code == 0
    assert command("assess", "--format", "json", *FEW).json["source"]["records"] == 400
    refused = command("assess", "-o", "a.parquet")
    assert refused.code == 2
    assert "part of the source" in refused.err


#: What options and a settings file say of the columns, and what holds of both together: the user, the
#: columns that are assessed, and those that are ignored. A table has the columns u, city, age, day.
_BOTH = [
    ("--ignore city", 'attributes = ["city", "age"]', (None, {"age"}, {"city"})),
    ("--ignore CITY", 'attributes = ["city+age", "age"]', (None, {"age"}, {"city"})),
    ("--ignore day", 'attributes = ["day.week", "age"]', (None, {"age"}, {"day"})),
    ("--ignore city", 'attributes = ["city"]', (None, {"u", "age", "day"}, {"city"})),
    ("--ignore u", 'user = "u"', (None, {"city", "age", "day"}, {"u"})),
    ("--ignore u", '[columns]\nu = "user"', (None, {"city", "age", "day"}, {"u"})),
    ("--ignore city", '[columns]\ncity = "attribute"', (None, {"u", "age", "day"}, {"city"})),
    ("--ignore city", 'ignore = ["age"]', (None, {"u", "day"}, {"city", "age"})),
    ("--user u", 'user = "city"', ("u", {"city", "age", "day"}, set())),
    ("--user u", 'ignore = ["u", "age"]', ("u", {"city", "day"}, {"age"})),
    ("--user u", 'attributes = ["u", "age"]', ("u", {"age"}, set())),
    ("--user u", 'attributes = ["u+age", "city"]', ("u", {"city"}, set())),
    ("--user u", '[columns]\nu = "ignored"', ("u", {"city", "age", "day"}, set())),
    ("--user u", '[columns]\ncity = "user"', ("u", {"city", "age", "day"}, set())),
    ("--user ''", 'user = "u"', (None, {"u", "city", "age", "day"}, set())),
    ("--attribute city", 'user = "city"', (None, {"city"}, set())),
    ("--attribute city", 'attributes = ["age"]', (None, {"city"}, set())),
    ("--attribute city+age", 'ignore = ["age", "day"]', (None, {"city", "age"}, {"day"})),
    ("--attribute day.week", '[columns]\nday = "ignored"\nage = "ignored"', (None, {"day"}, {"age"})),
    ("--attribute city", '[columns]\ncity = "user"', (None, {"city"}, set())),
]


@pytest.mark.parametrize(("options", "file", "expected"), _BOTH)
def test_column_by_column_an_option_wins_over_the_file(
    options: str, file: str, expected: tuple[str | None, set[str], set[str]], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    lines = [f"{n % 9},c{n % 4},{20 + n % 7},2020-01-{1 + n % 11:02}" for n in range(40)]
    path.write_text("\n".join(["u,city,age,day", *lines]) + "\n", encoding="utf-8")
    given = shlex.split(options)
    said: dict[str, list[str]] = {"--user": [], "--attribute": [], "--ignore": []}
    said[given[0]].append(given[1])
    sets = (roles.RoleOverrides, SettingsFile)
    values: dict[str, Any] = {"attribute": said["--attribute"], "ignore": said["--ignore"], "user": None}
    values |= {name: [] for name in ("quasi_identifier", "sensitive", "insensitive", "identifier", "keep")}
    values |= {"count": None, "no_persons": None, "pseudonym": None, "fold_keys": None}
    values |= {"user": said["--user"][0]} if said["--user"] else {}
    values |= {"config": written(tmp_path / "a.toml", file)}
    settings = read_settings(CommandLine({kind: list(options_of(kind).values()) for kind in sets}, values))
    with Session() as session:
        found = roles.infer(session, open_source(session, Request(path)), settings.overrides)
    user = found.user.name if found.user is not None else None
    known = {decision.column.name for decision in roles.known_columns(found)}
    ignored = {decision.column.name for decision in found.decisions if decision.role == "ignored"}
    assert (user, known, ignored) == expected


def test_a_name_of_the_file_that_is_not_there_is_refused_beside_options_too(tmp_path: Path) -> None:
    table(tmp_path / "a.parquet", HISTORY)
    file = written(tmp_path / "a.toml", 'ignore = ["cyti"]')
    refused = command("assess", str(tmp_path / "a.parquet"), "--config", str(file), "--ignore", "city")
    assert refused.code == 2
    assert 'no column "cyti"' in refused.err
