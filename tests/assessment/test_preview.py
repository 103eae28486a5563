"""What a sample of a large table decides is what the whole assessment says, too."""

from __future__ import annotations

import io
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import DuckriskError
from duckrisk.base.options.identifiability import Options as Levels
from duckrisk.base.options.policy import Options as Policy
from duckrisk.decision import assessment
from duckrisk.decision.assessment import Settings, preview
from duckrisk.decision.assessment.preview import Preview
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.session import Resources
from duckrisk.measures.uniqueness import preview as counting
from duckrisk.report.forms import EarlyScreen
from duckrisk.roles import RoleOverrides
from duckrisk.source import Request
from tests.command import on_terminal
from tests.tables import DATASETS, LIGHT, connect, drawn_tables, make

#: Some people of 90 are alone with both values.
ALONE = pandas.DataFrame({"age": [n * n % 50 for n in range(90)], "ward": [n % 7 for n in range(90)]})


def assess_with_preview(source: Any, **options: Any) -> tuple[Assessment, Preview | None]:
    """Assess a source as a large one would be."""
    seen: list[Preview] = []
    settings = Settings(
        overrides=RoleOverrides(user=options.pop("user", None), **options.pop("roles", {})),
        policy=Policy(name=options.pop("policy", "public")),
        quick=True,
        **options,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preview, "MIN_RECORDS", 0)
        request = Request(source)
        result = assessment.run(request, settings, Resources(threads=1), None, None, None, seen.append)
    return result, seen[0] if seen else None


def check_preview(result: Assessment, early: Preview | None) -> None:
    """Check that the whole assessment says what the preview said."""
    if early is None:
        return
    assert result.verdict.outcome == early.verdict.outcome == "fail"
    known = result.uniqueness.all_attributes if result.uniqueness is not None else None
    assert known is not None
    assert 0 < early.people <= known.people
    assert known.smallest_class == 1
    whole = {finding.name: finding for finding in result.verdict.findings}
    for finding in early.verdict.findings:
        if finding.met is not None:
            assert whole[finding.name].met is finding.met
            assert whole[finding.name].certain
        if finding.lower is not None and whole[finding.name].value is not None:
            assert finding.lower <= whole[finding.name].value


@LIGHT
@given(
    drawn_tables(width=6),
    st.sampled_from(["public", "shared", "internal"]),
    st.sampled_from(["u", "", None]),
    st.sampled_from(["none", "value"]),
    st.sampled_from([1, 4, 1_000]),
)
def test_it_never_contradicts_the_whole_run(
    drawn: Any, policy: str, user: str | None, missing: Any, sample: int
) -> None:
    if not drawn.rows:
        return
    connection = connect()
    make(connection, drawn.columns, drawn.rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "SAMPLED_RECORDS", sample)
        try:
            result, early = assess_with_preview(
                connection.sql("SELECT * FROM t"),
                user=user,
                policy=policy,
                identifiability=Levels(missing=missing),
            )
        except DuckriskError:
            return
    check_preview(result, early)


@LIGHT
@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=30, max_size=60),
    st.booleans(),
)
def test_a_sample_of_everything_is_brute_force(rows: list[tuple[int, ...]], linked: bool) -> None:
    """Four attributes and a sample of every class: all people who are alone."""
    people: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
    table = [(number % 20 if linked else number, *row) for number, row in enumerate(rows)]
    for person, *values in table:
        people[tuple(values)].add(person)
    alone = {next(iter(group)) for group in people.values() if len(group) == 1}
    frame = pandas.DataFrame(table, columns=["person", *"abcd"])
    roles = {"pseudonym": "person"} if linked else {"quasi_identifiers": tuple("abcd")}
    source = frame if linked else frame[list("abcd")]
    user = None if linked else ""
    result, early = assess_with_preview(source, user=user, roles=roles)
    check_preview(result, early)
    constant = any(len({row[place] for row in rows}) == 1 for place in range(4))
    if not constant and result.source.user_confidence != "guess":
        assert (early.people if early is not None else 0) == len(alone)


def test_it_says_nothing_where_nothing_is_certain() -> None:
    """Of nobody who is alone, of a table without persons, and of a policy without such a limit."""
    twice = pandas.DataFrame({"sex": list("fm") * 40, "region": list("nnss") * 20})
    assert assess_with_preview(twice, user="")[1] is None
    assert assess_with_preview(ALONE, user="")[1] is not None
    assert assess_with_preview(ALONE, roles={"no_persons": True})[1] is None
    unlimited = Policy(name="shared", unique_people=1.0, smallest_class=1)
    seen: list[Preview] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preview, "MIN_RECORDS", 0)
        settings = Settings(overrides=RoleOverrides(user=""), policy=unlimited, quick=True)
        assessment.run(Request(ALONE), settings, Resources(), None, None, None, seen.append)
    assert seen == []


def test_small_tables_have_none() -> None:
    seen: list[Preview] = []
    settings = Settings(quick=True)
    request = Request(str(DATASETS / "retail.parquet"))
    result = assessment.run(request, settings, Resources(), None, None, None, seen.append)
    assert seen == []
    assert "surely_singled_out" not in {statement.name for statement in result.statements}


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--quick"], ["--only", "uniqueness"], ["--quick", "--full"]])
def test_a_terminal_shows_it_first_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr(preview, "MIN_RECORDS", 0)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    shown = on_terminal("assess", DATASETS / "retail.parquet", "--lang", "en", *options)
    lines = [line for line in shown.splitlines() if line.strip()]
    early = [line for line in lines if line.endswith("people are singled out")]
    if {"--only", "--full"} & {*options}:
        assert early == []
        return
    assert lines[1:2] == early
    assert lines[2].startswith("✗ Do not publish: 6 of 7 limits")
    assert sum(line.startswith("retail.parquet ") for line in lines) == 1
    assert "Next" in lines


def test_it_reads_well_in_both_languages() -> None:
    _, early = assess_with_preview(ALONE, user="", policy="shared")
    assert early is not None
    for language, words in (
        ("en", f"at least {early.people} people are"),
        ("ja", f"少なくとも{early.people}人"),
    ):
        file = io.StringIO()
        EarlyScreen(file, language, 80).print_preview(early)
        assert words in file.getvalue()
