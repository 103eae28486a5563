"""Roles that contradict each other are refused in one sentence, by every command, before anything is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from tests.cases import Cases
from tests.command import command, refused, table
from tests.tables import thinned

#: A table of people with an address each, a group and a pay.
ROWS = """
    SELECT 'p' || i || '@example.org' AS mail, 'c' || i % 4 AS city, 'j' || i % 3 AS job, 100 + i % 7 AS pay
    FROM range(200) t(i)
"""
#: The commands that take roles.
COMMANDS: dict[str, tuple[str, ...]] = {
    "assess": ("assess", "t.parquet"),
    "advise": ("advise", "t.parquet"),
    "compare": ("compare", "t.parquet", "r.parquet"),
    "to_policy": ("anonymize", "t.parquet", "-o", "o.parquet", "--to-policy", "shared"),
    "methods": ("anonymize", "t.parquet", "-o", "o.parquet", "--generalize", "pay=10"),
}
#: What settings and options say together, and what the sentence names.
CONFLICTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "two settings": ('ignore = ["city"]\n[columns]\nCITY = "sensitive"', (), ('"city"', "two roles")),
    "user and role": ('user = "city"\n[columns]\ncity = "sensitive"', (), ('"city"', "two roles")),
    "two spellings": ('[columns]\njob = "sensitive"\nJOB = "insensitive"', (), ('"job"', "two roles")),
    "unknown": ('[columns]\njobb = "sensitive"', (), ('"jobb"', '"job"')),
    "unknown to keep": ("", ("--keep", "jobb"), ('"jobb"', '"job"')),
    "keep an identifier": (
        '[columns]\njob = "identifier"',
        ("--keep", "job"),
        ('"job"', "two roles", "keep"),
    ),
    "keep what is ignored": ('ignore = ["job"]', ("--keep", "JOB"), ('"job"', "two roles", "keep")),
}
#: Options that the methods of ``anonymize`` do not take.
OF_ROLES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "two options": ("", ("--sensitive", "job", "--insensitive", "JOB"), ('"job"', "two roles")),
    "ignored and kept": ("", ("--ignore", "job", "--keep", "job"), ('"job"', "two roles", "keep")),
    "kept by settings": ('[columns]\njob = "keep"', ("--ignore", "job"), ('"job"', "two roles", "keep")),
    "ignored and assessed": ("", ("--ignore", "job", "--attribute", "job"), ('"job"', "two roles")),
    "unknown": ("", ("--insensitive", "jobb"), ('"jobb"', '"job"')),
}


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "t.parquet", ROWS)
    table(tmp_path / "r.parquet", f"SELECT city, job FROM ({ROWS})")
    return tmp_path


def unmeasured() -> Callable[..., Any]:
    """Return ``Session.run`` that fails where the columns of a source are measured."""
    real = Session.run

    def run(self: Session, statement: str, /, *given: Any, **named: Any) -> Any:
        assert statement != "profile", "measured before the roles were checked"
        return real(self, statement, *given, **named)

    return run


def test_contradictions_are_refused_by_every_command(people: Path) -> None:
    every = [(*case, one) for case in CONFLICTS.items() for one in COMMANDS.items()]
    every += [(*case, one) for case in OF_ROLES.items() for one in COMMANDS.items() if one[0] != "methods"]
    with Cases() as case:
        for name, (settings, options, words), (kind, arguments) in thinned(every, 3):
            Path("duckrisk.toml").write_text(settings)
            with case(f"{name}, {kind}"), mock.patch.object(Session, "run", unmeasured()):
                refused(2, *words, arguments=(*arguments, *options))


#: Ways to say that a column stays, and ways to remove it.
KEEPS = {"option": ("", ("--keep", "city")), "settings": ('[columns]\nCITY = "keep"', ())}
REMOVALS = {"drop": ("--drop", "City"), "suppress": ("--suppress", "city"), "recipe": ("--recipe", "r.toml")}


def test_no_method_removes_a_column_to_keep(people: Path) -> None:
    Path("r.toml").write_text('[[step]]\nmethod = "suppress"\ncolumn = "city"\ndrop = true\n')
    every = [(*keep, *removal) for keep in KEEPS.items() for removal in REMOVALS.items()]
    with Cases() as case:
        for said, (settings, keep), way, removal in every:
            Path("duckrisk.toml").write_text(settings)
            with case(f"{said}, {way}"), mock.patch.object(Session, "run", unmeasured()):
                asked = ("anonymize", "t.parquet", "-o", "o.parquet", *removal, *keep)
                refused(2, '"city"', "keep", arguments=asked)
    Path("duckrisk.toml").write_text('[columns]\ncity = "keep"\n')
    assert command("anonymize", "t.parquet", "-o", "o.parquet", "--drop", "mail", "--keep", "job").code == 0


def test_python_refuses_the_same(people: Path) -> None:
    drop = {"method": "suppress", "column": "city", "drop": True}
    with pytest.raises(UsageError, match='"city" is to stay'):
        duckrisk.anonymize("t.parquet", "o.parquet", steps=[drop], keep=["CITY"])
    with pytest.raises(UsageError, match="two roles"):
        duckrisk.advise("t.parquet", keep=["city"], ignore=["city"])
    with pytest.raises(UsageError, match="two roles"):
        duckrisk.assess("t.parquet", keep=["city"], roles={"City": "identifier"})


def test_a_role_of_the_settings_keeps_a_column_that_an_option_declares(people: Path) -> None:
    Path("duckrisk.toml").write_text('[columns]\npay = "keep"\n')
    told = command("assess", "t.parquet", "--sensitive", "pay", "--format", "json", "-q").json
    (pay,) = [column for column in told["source"]["columns"] if column["name"] == "pay"]
    assert (pay["declared"], pay["keep"]) == ("sensitive", True)


def test_an_identifier_to_keep_is_in_no_release_that_keeps_a_policy(people: Path) -> None:
    """The advice does not drop it, and says that no step leads to the policy."""
    told = command("advise", "t.parquet", "--user=", "--keep", "mail", "--format", "json").json
    assert (told["stop_reason"], told["reached"]) == ("no_step", False)
    assert "mail" not in [word for line in told["lines"] for word in line["options"]]
    asked = ("anonymize", "t.parquet", "-o", "o.parquet", "--user=", "--keep", "mail")
    refused(1, "nothing was written", arguments=(*asked, "--to-policy", "public"))
