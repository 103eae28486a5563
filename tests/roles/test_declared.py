"""Declared roles: what counts as known, against brute force and tables without the other columns."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.decision.assessment.results import Assessment
from duckrisk.measures.uniqueness.results import Together
from tests.command import command, refused
from tests.disclosure_oracle import written
from tests.histories_oracle import class_of, histories_of
from tests.tables import LIGHTER, thinned

Rows = Sequence[tuple[Any, ...]]
NAMES = ("city", "job", "colour", "tone")
ROLES = ("quasi_identifier", "sensitive", "insensitive")
#: The argument of Python for each role.
ARGUMENTS = {"quasi_identifier": "quasi_identifiers", "sensitive": "sensitive", "insensitive": "insensitive"}
PARTS = ("attribute_risk", "uniqueness")
COLUMNS = {"customer_id": "VARCHAR", **dict.fromkeys(NAMES, "VARCHAR")}
#: Two records that differ everywhere, so that no column is constant.
FIRST = [("p0", "n", "x", "k", "v"), ("p1", "e", "y", "l", "w")]


def people_of(rows: Rows, places: Sequence[int]) -> list[set[Any]]:
    """Return the people of each class: of the records with the same values in these places."""
    classes: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for cells in rows:
        classes[tuple(cells[place] for place in places)].add(cells[0])
    return list(classes.values())


def check_together(found: Together | None, rows: Rows, places: Sequence[int]) -> None:
    classes = people_of(rows, places)
    assert found is not None
    assert found.people == len(set().union(*(people for people in classes if len(people) == 1)))
    assert found.share == pytest.approx(found.people / len({cells[0] for cells in rows}))
    assert found.smallest_class == min(map(len, classes))


def declared(roles: dict[str, str]) -> dict[str, list[str]]:
    """Return the arguments that declare the roles of columns."""
    return {
        argument: [name for name, given in roles.items() if given == role]
        for role, argument in ARGUMENTS.items()
    }


def figures(report: Assessment) -> dict[str, float | None]:
    """Return the figures of the findings but for those on sensitive values."""
    found = {finding.name: finding.value for finding in report.verdict.findings}
    found.pop("sensitive_disclosed", None)
    return found


RECORDS = st.lists(
    st.tuples(
        st.integers(0, 11).map("p{}".format),
        st.sampled_from(["n", "e", "s", None]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["k", "l"]),
        st.sampled_from(["v", "w", "é", None]),
    ),
    min_size=6,
    max_size=40,
)
ASSIGNMENTS = st.fixed_dictionaries({}, optional={name: st.sampled_from(ROLES) for name in NAMES}).filter(
    lambda roles: any(roles.get(name, ROLES[0]) == ROLES[0] for name in NAMES)
)


@LIGHTER
@given(RECORDS, ASSIGNMENTS, st.booleans(), st.sampled_from(["public", "shared"]))
def test_figures_are_those_of_a_table_without_the_others(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[Any, ...]],
    roles: dict[str, str],
    by_user: bool,
    policy: str,
) -> None:
    """A column that is sensitive or insensitive is not known; one without a role is."""
    folder, rows = tmp_path_factory.mktemp("drawn"), [*FIRST, *drawn]
    if not by_user:
        rows = [(number, *cells[1:]) for number, cells in enumerate(rows)]
    asked: dict[str, Any] = {"only": PARTS, "samples": 0, "detailed": 0, "policy": policy}
    asked["user"] = "customer_id" if by_user else ""
    known = [place for place, name in enumerate(NAMES, 1) if roles.get(name, ROLES[0]) == ROLES[0]]

    def assessed(places: Sequence[int], name: str, **more: Any) -> Assessment:
        kept = [*([0] if by_user else []), *places]
        columns = {column: kind for place, (column, kind) in enumerate(COLUMNS.items()) if place in kept}
        table = written(folder, columns, [tuple(cells[place] for place in kept) for cells in rows], name)
        return duckrisk.assess(table, **asked, **more)

    report = assessed((1, 2, 3, 4), "whole", **declared(roles))
    found = report.uniqueness
    assert found is not None
    assert found.attributes == tuple(NAMES[place - 1] for place in known)
    check_together(found.all_attributes, rows, known)
    if len(known) < len(NAMES):
        check_together(found.all_columns, rows, (1, 2, 3, 4))
        whole = assessed((1, 2, 3, 4), "undeclared").uniqueness
        assert whole is not None
        assert found.all_columns == whole.all_attributes
    else:
        assert found.all_columns is None
    histories = class_of(histories_of([(cells[0], *(cells[place] for place in known)) for cells in rows]))
    if found.histories is not None:
        assert found.histories.unique_people == sum(people == 1 for people in histories.values())
        assert found.histories.smallest_class == min(histories.values())
    else:
        assert len({cells[0] for cells in rows}) == len(rows)
    # All that is measured of the known columns is what a table of these alone gives.
    alone = assessed(known, "alone")
    assert figures(report) == figures(alone)
    assert alone.uniqueness is not None
    for part in ("all_attributes", "histories", "whole_records", "facts", "known_records", "people"):
        assert getattr(found, part) == getattr(alone.uniqueness, part)


EVEN = [
    (f"p{i:03d}", "ns"[i % 2], "xyz"[i % 3], "kl"[i // 2 % 2], "vw"[(i % 2 + i // 7) % 2]) for i in range(240)
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "roles",
    thinned(
        [
            {"city": "quasi_identifier", "job": "sensitive", "colour": "insensitive"},
            {"tone": "sensitive", "job": "sensitive"},
            {"tone": "insensitive"},
            {"city": "quasi_identifier"},
        ]
    ),
)
def test_options_settings_and_python_say_the_same(tmp_path: Path, roles: dict[str, str]) -> None:
    table = written(tmp_path, COLUMNS, EVEN)
    settings = tmp_path / "roles.toml"
    lines = ["[columns]", *(f'{name} = "{role}"' for name, role in roles.items())]
    settings.write_text("\n".join(lines), encoding="utf-8")
    options = [part for name, role in roles.items() for part in (f"--{role.replace('_', '-')}", name)]
    asked = ["assess", table, "--user", "customer_id", "--format", "json"]
    asked += [part for name in PARTS for part in ("--only", name)]
    by_option, by_file = command(*asked, *options), command(*asked, "--config", settings)
    assert (by_option.code, by_file.code) == (0, 0), by_option.err + by_file.err
    in_python = duckrisk.assess(table, user="customer_id", only=PARTS, **declared(roles)).data
    given = duckrisk.assess(table, user="customer_id", only=PARTS, roles=roles).data
    for part in ("verdict", "uniqueness", "sensitive"):
        assert by_option.json[part] == by_file.json[part] == in_python[part] == given[part]
    columns = {column["name"]: column["declared"] for column in by_option.json["source"]["columns"]}
    assert columns == {name: roles.get(name) for name in COLUMNS}


def test_an_option_wins_over_the_settings(tmp_path: Path) -> None:
    table = written(tmp_path, COLUMNS, EVEN)
    settings = tmp_path / "roles.toml"
    settings.write_text('[columns]\njob = "sensitive"\ntone = "insensitive"\n', encoding="utf-8")
    asked = ["assess", table, "--config", settings, "--format", "json", "--only", "uniqueness"]
    told = command(*asked, "--insensitive", "job", "--quasi-identifier", "tone").json
    columns = {column["name"]: column["declared"] for column in told["source"]["columns"]}
    assert (columns["job"], columns["tone"]) == ("insensitive", "quasi_identifier")
    assert told["sensitive"] == []


FLAGS = ("--user", "--ignore", "--quasi-identifier", "--sensitive", "--insensitive")


@pytest.mark.parametrize(("first", "second"), thinned(itertools.permutations(FLAGS, 2), 3))
def test_two_roles_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, COLUMNS, EVEN)
    refused(2, '"job"', "two roles", arguments=["assess", "t.parquet", first, "job", second, "JOB"])


@pytest.mark.parametrize("flag", [*FLAGS[2:], "--keep", "--ignore", "--user"])
def test_unknown_columns_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, COLUMNS, EVEN)
    refused(2, '"jobb"', '"job"', arguments=["assess", "t.parquet", flag, "jobb"])


def test_unknown_columns_and_roles_of_settings_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, COLUMNS, EVEN)
    for line, word in (('jobb = "sensitive"', '"jobb"'), ('job = "secret"', '"job"')):
        Path("duckrisk.toml").write_text(f"[columns]\n{line}\n", encoding="utf-8")
        refused(2, word, arguments=["assess", "t.parquet"])


@pytest.mark.slow
def test_keep(tmp_path: Path) -> None:
    """A column that a treatment keeps is known as before; in a settings file, too."""
    table = written(tmp_path, COLUMNS, EVEN)
    asked: dict[str, Any] = {"user": "customer_id", "only": PARTS}
    plain = duckrisk.assess(table, **asked)
    kept = duckrisk.assess(table, keep=["job"], **asked)
    by_role = duckrisk.assess(table, roles={"job": "keep"}, **asked)
    for report in (kept, by_role):
        assert {column.name for column in report.source.columns if column.keep} == {"job"}
        assert report.uniqueness == plain.uniqueness
        assert figures(report) == figures(plain)
    both = duckrisk.assess(table, keep=["job"], sensitive=["job"], **asked)
    (job,) = [column for column in both.source.columns if column.name == "job"]
    assert (job.keep, job.declared) == (True, "sensitive")


def test_all_roles_declared_are_accepted(tmp_path: Path) -> None:
    """A gate accepts a pass under assumptions only where each column has a declared role."""
    rows = [cells[1:] for cells in EVEN * 2]
    table = written(tmp_path, dict.fromkeys(NAMES, "VARCHAR"), rows)
    gate = ["assess", table, "--user", "", "--fail-on", "policy", "--format", "json"]
    every = ["--quasi-identifier", "city", "--quasi-identifier", "job", "--quasi-identifier", "colour"]
    one_open, none_open = command(*gate, *every), command(*gate, *every, "--insensitive", "tone")
    outcomes = [
        (told.json["verdict"]["outcome"], told.json["verdict"]["accepted"]) for told in (one_open, none_open)
    ]
    assert outcomes == [("pass_if", False), ("pass_if", True)]
    assert (one_open.code, none_open.code) == (1, 0)


UNKNOWN = st.fixed_dictionaries({name: st.sampled_from(ROLES[1:]) for name in NAMES})


@LIGHTER
@given(RECORDS, UNKNOWN, st.booleans(), st.sampled_from(["public", "shared", "internal"]))
def test_without_quasi_identifiers_all_people_are_one_class(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[Any, ...]],
    roles: dict[str, str],
    by_user: bool,
    policy: str,
) -> None:
    """Nobody is singled out, nothing is disclosed, and the figure of all columns stands beside it.

    Linked records leave one thing to know of a history: how many records it has.
    """
    folder, rows = tmp_path_factory.mktemp("drawn"), [*FIRST, *drawn]
    if not by_user:
        rows = [(number, *cells[1:]) for number, cells in enumerate(rows)]
    table = written(
        folder,
        COLUMNS if by_user else dict(list(COLUMNS.items())[1:]),
        [cells if by_user else cells[1:] for cells in rows],
    )
    asked: dict[str, Any] = {"samples": 0, "detailed": 0, "policy": policy}
    asked["user"] = "customer_id" if by_user else ""
    report = duckrisk.assess(table, **asked, **declared(roles))
    found = report.uniqueness
    assert found is not None
    check_together(found.all_attributes, rows, ())
    check_together(found.all_columns, rows, (1, 2, 3, 4))
    people = len({cells[0] for cells in rows})
    assert found.all_attributes is not None
    assert (found.all_attributes.people, found.all_attributes.smallest_class) == (0, people)
    assert all(column.disclosed_people == 0 for column in report.sensitive)
    assert len(report.sensitive) == sum(role == "sensitive" for role in roles.values())
    counts = class_of(histories_of([(cells[0],) for cells in rows]))
    if found.histories is not None:
        assert found.histories.unique_people == sum(many == 1 for many in counts.values())
    measured = {finding.name for finding in report.verdict.findings if finding.value is not None}
    assert measured == {finding.name for finding in report.verdict.findings}
    assert not {"one_fact", "three_facts"} & measured
    exceeded = bool(report.verdict.exceeded)
    assert report.verdict.outcome == ("fail" if exceeded else "undecided" if people < 20 else "pass_if")


@pytest.mark.parametrize("form", thinned(["json", "table", "markdown", "html"]))
def test_one_sensitive_column_beside_an_identifier(tmp_path: Path, form: str) -> None:
    """A table of a number and an illness: all people are one class, and the number identifies them."""
    rows = [(f"P{number:04d}", ["flu", "none", "hiv"][number % 3]) for number in range(60)]
    table = written(tmp_path, {"id": "VARCHAR", "illness": "VARCHAR"}, rows)
    asked = ("--sensitive", "illness", "--identifier", "id", "--format", form)
    told = command("assess", table, *asked, *(["--full"] if form == "table" else []))
    assert told.code == 0, told.err
    if form != "json":
        assert "all people are one class" in " ".join(told.out.split())
        return
    verdict = told.json["verdict"]
    assert (verdict["outcome"], told.json["uniqueness"]["all_attributes"]["smallest_class"]) == ("fail", 60)
    assert told.json["attribute_disclosure"]["attributes"] == []
    assert told.json["sensitive"][0]["disclosed_people"] == 0
    released = duckrisk.assess(table, sensitive=["illness"], query="SELECT illness FROM source", user="")
    assert released.verdict.outcome == "pass_if"


def test_a_release_without_quasi_identifiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What advice prints is made, and the release gets the verdict that was promised."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"P{number:04d}", ["flu", "none", "hiv"][number % 3]) for number in range(60)]
    written(tmp_path, {"id": "VARCHAR", "illness": "VARCHAR"}, rows)
    roles = ("--user=", "--sensitive", "illness")
    advised = command("advise", "t.parquet", *roles, "--format", "json").json
    assert advised["lines"][-1]["people"]["verdict"]["outcome"] == "pass_if"
    assert advised["lines"][-1]["people"]["verdict"]["accepted"] is True
    made = command("anonymize", "t.parquet", "-o", "o.parquet", "--to-policy", "public", *roles)
    assert made.code == 0, made.err
    assert command("assess", "o.parquet", *roles, "--format", "json").json["verdict"]["outcome"] == "pass_if"


def test_disclosure_takes_no_unknown_column_for_known(tmp_path: Path) -> None:
    """The classes of the part on sensitive attributes are those of the verdict."""
    table = written(tmp_path, COLUMNS, EVEN)
    roles: dict[str, Any] = {"sensitive": ["tone"], "insensitive": ["job"]}
    report = duckrisk.assess(table, user="customer_id", only=["attribute_disclosure"], **roles)
    assert report.attribute_disclosure is not None
    assert report.attribute_disclosure.attributes[0].quasi_identifiers == ("city", "colour")
