"""A quick assessment has the verdict and the figures of the whole one, and says what it left out."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.decision.assessment.results import NOT_LOOKED_AT, Assessment
from duckrisk.decision.assessment.verdict import KNOWN_FACTS
from tests.command import command, measured_once
from tests.hostile import NAMES
from tests.shared_data import shared
from tests.tables import DATASETS, LIGHT, connect, drawn_tables, make, thinned

POLICIES = ("public", "shared", "internal")
#: Fields that both runs fill alike.
_SAME = (
    *("verdict", "known_records", "direct_identifiers", "sensitive", "class_sizes", "plausible_attacks"),
    *("gates", "notices", "environment"),
)


def compare_runs(source: Any, **options: Any) -> Assessment:
    """Assess a source quickly and as a whole, compare both, and return the quick one."""
    whole, quick = duckrisk.assess(source, **options), duckrisk.assess(source, quick=True, **options)
    for name in _SAME:
        assert getattr(quick, name) == getattr(whole, name), name
    assert dataclasses.replace(quick.source, notes=()) == dataclasses.replace(whole.source, notes=())
    assert set(map(str, quick.source.notes)) <= set(map(str, whole.source.notes))
    sampled = whole.settings.method == "sample"
    assert quick.attribute_risk == tuple(
        entry if sampled else dataclasses.replace(entry, sampled=None) for entry in whole.attribute_risk
    )
    if quick.uniqueness is not None and whole.uniqueness is not None:
        facts = tuple(known for known in whole.uniqueness.facts if known.facts <= KNOWN_FACTS)
        assert quick.uniqueness == dataclasses.replace(whole.uniqueness, facts=facts)
    assert (quick.identifiability, quick.coarser_knowledge, quick.checklist) == (None, (), ())
    assert (quick.model_errors, quick.single_values) == ((), None)
    assert (quick.not_looked_at, whole.not_looked_at) == (NOT_LOOKED_AT, None)
    return quick


@LIGHT
@given(
    drawn_tables(width=3),
    st.sampled_from(POLICIES),
    st.sampled_from(["u", ""]),
    st.sampled_from(["none", "value"]),
    st.lists(st.sampled_from(NAMES), min_size=3, max_size=3, unique_by=str.lower),
)
def test_drawn_tables_get_the_same_verdict(
    drawn: Any, policy: str, user: str, missing: str, names: list[str]
) -> None:
    """Values that are compared with care, missing ones, hostile names, one row, histories."""
    if not drawn.rows:
        return
    connection = connect()
    kinds = list(drawn.columns.values())
    columns = dict(zip(["u", *(name for name in names if name != "u")], kinds, strict=False))
    make(connection, columns, [cells[: len(columns)] for cells in drawn.rows])
    table = connection.sql("SELECT * FROM t")
    options = {"policy": policy, "missing": missing, "user": user or ""}
    try:
        duckrisk.assess(table, quick=True, **options)
    except duckrisk.DuckriskError as refused:
        with pytest.raises(type(refused)):
            duckrisk.assess(table, **options)
        return
    compare_runs(table, **options)


def make_visits(people: int, visits: int) -> pandas.DataFrame:
    """Make a table of visits of people, with a sensitive column and missing cells."""
    draw = random.Random(people)
    rows = [
        (person, draw.randrange(20), draw.choice("abc"), draw.choice(["x", "y", None]), draw.random() < 0.1)
        for person in range(people)
        for _ in range(draw.randrange(visits) + 1)
    ]
    return pandas.DataFrame(rows, columns=["patient", "ward", "sex", "region", "hiv"])


#: Each changes what is measured of a history.
OPTIONS: list[dict[str, Any]] = [
    {"user": "patient"},
    {"user": "patient", "sensitive": ["hiv"]},
    {"user": "", "ignore": ["patient"]},
    {"user": "patient", "method": "sample"},
    {"user": "patient", "method": "approximate", "known_records": 0},
    {"user": "patient", "class_sizes": [3]},
    {"no_persons": True},
    {"user": "patient", "missing_tokens": ["x"]},
]


# Every sixth pair has each of the policies, and every second one of the options.
@pytest.mark.slow
@pytest.mark.parametrize(("policy", "options"), thinned(itertools.product(POLICIES, OPTIONS), 6))
def test_histories_get_the_same_verdict(policy: str, options: dict[str, Any]) -> None:
    compare_runs(make_visits(60, 4), policy=policy, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    thinned(
        [
            *("adult.parquet", "diabetes130.parquet"),
            *("online_retail_clean.parquet", "pwscup/2017_final/T_Final.csv"),
        ]
    ),
)
def test_public_tables_get_the_same_verdict(name: str) -> None:
    compare_runs(str(shared(name)))


@pytest.mark.slow
def test_a_quick_run_says_what_it_left_out() -> None:
    source = str(DATASETS / "retail.parquet")
    with measured_once():
        quick = json.loads(command("assess", source, "--quick", "--format", "json").out)
        whole = json.loads(command("assess", source, "--format", "json").out)
        forms = ([], ["--full"], ["--format", "markdown"], ["--format", "html"], ["--lang", "ja"])
        shown = [command("assess", source, "--quick", *form).out for form in forms]
    assert quick["not_looked_at"] == list(NOT_LOOKED_AT)
    assert "not_looked_at" not in whole
    assert quick["verdict"] == whole["verdict"]
    assert "identifiability" not in quick["settings"]["only"]
    for form, said in zip(forms, shown, strict=True):
        assert "--quick" in said, form
    screen = " ".join(shown[0].split())
    assert (
        "Not looked at (--quick; the verdict needs none of it): the value of a leak, coarser values, four "
        "facts, samples and the rules." in screen
    )
    # What a suggested command measures is everything.
    assert "--quick" not in screen.partition("Next")[2]


@pytest.mark.parametrize(
    "options",
    [
        {"only": ["uniqueness"]},
        {"records": "records.parquet"},
        {"fail_on": ["identifiability.singled_out > 0"]},
        {"fail_on": ["coarser_knowledge.mean_risk > 0.1"]},
        {"fail_on": ["attribute_risk.sampled.upper > 0.1"]},
        {"fail_on": ["facts[4].typical > 0.1"]},
    ],
)
def test_a_quick_run_refuses_what_it_would_leave_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        duckrisk.assess(str(DATASETS / "retail.parquet"), quick=True, **options)


@pytest.mark.slow
def test_gates_on_figures_of_the_verdict_are_judged() -> None:
    gates = ["facts[3].typical > 0.9", "attribute_risk.mean_risk > 0.0001", "policy"]
    source = str(DATASETS / "retail.parquet")
    quick = duckrisk.assess(source, quick=True, fail_on=gates)
    assert quick.gates == duckrisk.assess(source, fail_on=gates).gates
