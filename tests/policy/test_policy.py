"""Policies: the limits and the verdict on what was measured."""

from __future__ import annotations

import itertools
import math
from typing import Any, get_args

import pytest

from duckrisk.base.options import options_of
from duckrisk.base.options.policy import LimitName
from duckrisk.base.sentences import Sentence
from duckrisk.decision import policy
from duckrisk.decision.policy import Evidence, Figure, Options, judge, list_limits
from duckrisk.decision.policy.results import Verdict
from duckrisk.report.words import LANGUAGES, Words, load_catalogue
from tests.command import ROOT, command

#: The limits as they were decided, in the order of the presets; None where a preset has none.
DECIDED: dict[LimitName, tuple[float | None, ...]] = {
    "identifying_columns": (0, 0, 0),
    "unique_people": (0, 0.05, 0.2),
    "smallest_class": (11, 5, 3),
    "unique_histories": (0, None, None),
    "smallest_history": (11, None, None),
    "three_records": (None, 0.2, 0.33),
    "one_fact": (0.09, 0.2, 0.33),
    "three_facts": (0.05, 0.2, 0.33),
    "sensitive_disclosed": (0, 0.05, 0.2),
}
#: Figures that keep every limit of every preset.
SAFE: dict[LimitName, Figure] = {
    "identifying_columns": Figure(0),
    "unique_people": Figure(0.0),
    "smallest_class": Figure(40),
    "unique_histories": Figure(0.0),
    "smallest_history": Figure(40),
    "three_records": Figure(0.0),
    "one_fact": Figure(0.01),
    "three_facts": Figure(0.0),
    "sensitive_disclosed": Figure(0.0),
}
SOMETHING = Sentence("policy.source.given")
PLACES = [
    (preset, name)
    for place, preset in enumerate(policy.PRESETS)
    for name in DECIDED
    if DECIDED[name][place] is not None
]
PUBLIC = [name for preset, name in PLACES if preset == "public"]


def judged(preset: str = "public", *unsettled: Any, **changed: Figure | None) -> Verdict:
    figures: Any = {name: found for name, found in {**SAFE, **changed}.items() if found is not None}
    return judge(Options(name=preset), Evidence(figures, unsettled))


def test_the_limits_are_those_decided_and_each_has_a_source() -> None:
    for place, preset in enumerate(policy.PRESETS):
        found = {limit.name: limit.value for limit in list_limits(Options(name=preset))}
        assert found == {name: v[place] for name, v in DECIDED.items() if v[place] is not None}
        for limit, language in itertools.product(list_limits(Options(name=preset)), LANGUAGES):
            assert Words(language).format(limit.source)


def test_each_limit_is_registered_once_and_shown_everywhere() -> None:
    assert [*policy.LIMITS] == [*DECIDED] == [*get_args(LimitName)]
    fields = options_of(Options)
    readme = (ROOT / "duckrisk/report/README.md").read_text(encoding="utf-8")
    explained = command("explain", "policy").out
    texts = ("policy.definition", "policy.limit", "policy.open", "verdict")
    for name, rule in policy.LIMITS.items():
        assert fields[name].kind is (int if rule.is_count else float), name
        assert f"\n  {name}: " in explained, name
        limits = " | ".join(policy.format_limit(name, value) for value in rule.published)
        bounds = Words("en").format(Sentence(f"policy.limit.{name}"))
        assert f"\n| {name} | {bounds} | {limits} |\n" in readme, name
        for language in LANGUAGES:
            for key in texts:
                assert f"{key}.{name}" in load_catalogue(language), (key, name)


def test_columns_that_may_identify_leave_the_verdict_open() -> None:
    """What is unsettled names them; without such a reason it is no pass either."""
    for unsettled in ((SOMETHING,), ()):
        verdict = judged("public", *unsettled, identifying_columns=Figure(0, upper=1))
        assert (verdict.outcome, verdict.undecided_because) == ("undecided", unsettled)
        assert [finding.met for finding in verdict.findings] == [None] + [True] * 7
    assert judged("public", SOMETHING, identifying_columns=Figure(1, upper=2)).outcome == "fail"


@pytest.mark.parametrize(("preset", "name"), PLACES)
def test_each_limit_is_kept_at_it_and_exceeded_beyond(preset: str, name: LimitName) -> None:
    """At the limit and on the safe side of it a table passes; one step beyond it fails, for that alone."""
    limit = DECIDED[name][policy.PRESETS.index(preset)]
    assert limit is not None
    least = name in ("smallest_class", "smallest_history")
    count = least or name == "identifying_columns"
    assert (policy.LIMITS[name].is_minimum, policy.LIMITS[name].is_count) == (least, count)
    beyond = (limit - 1 if least else limit + 1) if count else math.nextafter(limit, 1)
    safer = limit + 1 if least else 0 if count else math.nextafter(limit, 0)
    for value in (limit, safer):
        assert judged(preset, **{name: Figure(value)}).outcome == "pass"
    verdict = judged(preset, **{name: Figure(beyond)})
    assert verdict.outcome == "fail"
    assert [one.name for one in verdict.exceeded] == [name]
    assert verdict.undecided_because == ()
    finding = verdict.exceeded[0]
    assert (finding.value, finding.limit, finding.met) == (beyond, limit, False)


@pytest.mark.parametrize("name", PUBLIC)
def test_what_was_not_measured_leaves_the_verdict_open(name: LimitName) -> None:
    verdict = judged(**{name: None})
    assert (verdict.outcome, verdict.exceeded, len(verdict.undecided_because)) == ("undecided", (), 1)
    assert [one.met for one in verdict.findings if one.name == name] == [None]
    other: LimitName = "one_fact" if name != "one_fact" else "three_facts"
    failed = judged(**{name: None, other: Figure(0.9)})
    assert (failed.outcome, failed.undecided_because) == ("fail", ())
    assert Sentence(f"policy.open.{name}") in failed.reservations


@pytest.mark.parametrize(
    ("least", "most", "outcome"),
    [(0.01, 0.05, "pass"), (0.01, 0.0501, "undecided"), (0.0501, 0.2, "fail"), (0.05, 0.2, "undecided")],
)
def test_an_estimate_decides_where_its_interval_lies_on_one_side(
    least: float, most: float, outcome: str
) -> None:
    verdict = judged(three_facts=Figure(0.04, least, most))
    assert verdict.outcome == outcome
    assert bool(verdict.exceeded or verdict.undecided_because) == (outcome != "pass")


def test_a_guess_leaves_open_what_it_decides_and_nothing_else() -> None:
    guessed = Figure(1.0, certain=False)
    assert judged("public", SOMETHING, unique_people=guessed).outcome == "undecided"
    assert judged("public", unique_people=guessed).outcome == "undecided"
    certain = judged("public", SOMETHING, unique_people=guessed, identifying_columns=Figure(1))
    assert certain.outcome == "fail"
    assert SOMETHING in certain.reservations
    assert judged("public", SOMETHING).outcome == "undecided"
    assert judged("public", SOMETHING).undecided_because == (SOMETHING,)


def test_a_limit_that_is_set_stands_in_place_of_the_presets() -> None:
    for name, one in options_of(Options).items():
        if name in ("name", "three_records"):
            continue
        options = Options(**{name: one.option.example})
        changed = {limit.name: limit for limit in list_limits(options)}
        assert changed[name].value == one.option.example  # type: ignore[index]
        assert [n for n, limit in changed.items() if limit.source.key == "policy.source.arguments"] == [name]
    verdict = judge(Options(smallest_class=50), Evidence(SAFE))
    assert [one.name for one in verdict.exceeded] == ["smallest_class"]


def test_every_outcome_follows_from_the_definition() -> None:
    """Four limits, each kept, exceeded, exceeded if a guess is right, open or not applicable; with and
    without an open question, an assumption and declared roles: against the definition in words."""
    values: dict[LimitName, float] = {**dict.fromkeys(DECIDED, 1.0), "smallest_class": 1}
    drawn: list[LimitName] = ["identifying_columns", "smallest_class", "unique_histories", "one_fact"]
    others = frozenset(DECIDED) - set(drawn)
    seen = set()
    ways = ("kept", "exceeded", "perhaps", "open", "inapplicable")
    for states in itertools.product(ways, repeat=4):
        figures = {
            name: SAFE[name] if state == "kept" else Figure(values[name], certain=state == "exceeded")
            for name, state in zip(drawn, states, strict=True)
            if state not in ("open", "inapplicable")
        }
        away = {name for name, state in zip(drawn, states, strict=True) if state == "inapplicable"}
        for doubt, assumed, declared in itertools.product((False, True), repeat=3):
            evidence = Evidence(
                figures,
                (SOMETHING,) if doubt else (),
                (SOMETHING,) if assumed else (),
                declared,
                others | away,
            )
            found = judge(Options(), evidence)
            if "exceeded" in states:
                expected = "fail"
            elif doubt or not {"open", "perhaps"}.isdisjoint(states):
                expected = "undecided"
            else:
                expected = "pass_if" if assumed else "pass"
            assert found.outcome == expected
            assert found.accepted == (expected == "pass" or (expected == "pass_if" and declared))
            assert found.is_kept == (expected in ("pass", "pass_if"))
            assert bool(found.assumptions) == (expected == "pass_if")
            assert [one.name for one in found.findings] == [name for name in drawn if name not in away]
            seen.add(expected)
    assert seen == {"fail", "pass", "pass_if", "undecided"}


def test_explain_tells_every_limit_with_its_source() -> None:
    told = command("explain", "policy").out
    assert max(map(len, told.splitlines())) <= 80
    for preset, expected in zip(policy.PRESETS, ("at most 9%", "at least 5", "at most 33%"), strict=True):
        own = told[told.index(f"\n{preset}: ") :].split("\n\n")[0]
        assert expected in own
        names = [name for place, name in PLACES if place == preset]
        assert all(f"  {name}: " in own for name in names)
        assert own.count("[") == len(names)
    assert "no anonymity" in told
    definitions = told[told.index("The limits:") : told.index("\npublic: ")]
    assert all(f"  {name}: " in definitions for name in DECIDED)
