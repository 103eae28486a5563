"""Policies: the limits and the verdict on what was measured."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from duckrisk import policy
from duckrisk.options import options_of
from duckrisk.policy import Evidence, Measured, Options, judge, limits
from duckrisk.policy.results import LimitName, Verdict
from duckrisk.report.words import LANGUAGES, Words
from duckrisk.sentences import say
from tests.command import command

#: The limits as they were decided, in the order of the presets.
DECIDED: dict[LimitName, tuple[float, float, float]] = {
    "identifying_columns": (0, 0, 0),
    "unique_people": (0, 0.05, 0.2),
    "smallest_class": (11, 5, 3),
    "one_fact": (0.09, 0.2, 0.33),
    "three_facts": (0.05, 0.2, 0.33),
}
#: Figures that keep every limit of every preset.
SAFE: dict[LimitName, Measured] = {
    "identifying_columns": Measured(0),
    "unique_people": Measured(0.0),
    "smallest_class": Measured(40),
    "one_fact": Measured(0.01),
    "three_facts": Measured(0.0),
}
SOMETHING = say("policy.source.given")
PLACES = [(preset, name) for preset in policy.PRESETS for name in DECIDED]


def judged(preset: str = "public", *unsettled: Any, **changed: Measured | None) -> Verdict:
    figures: Any = {name: found for name, found in {**SAFE, **changed}.items() if found is not None}
    return judge(Options(name=preset), Evidence(figures, unsettled))


def test_the_limits_are_those_decided_and_each_has_a_source() -> None:
    for place, preset in enumerate(policy.PRESETS):
        found = {limit.name: limit.value for limit in limits(Options(name=preset))}
        assert found == {name: values[place] for name, values in DECIDED.items()}
        for limit, language in itertools.product(limits(Options(name=preset)), LANGUAGES):
            assert Words(language).plain(limit.source)


@pytest.mark.parametrize(("preset", "name"), PLACES)
def test_each_limit_is_kept_at_it_and_exceeded_beyond(preset: str, name: LimitName) -> None:
    """At the limit and on the safe side of it a table passes; one step beyond it fails, for that alone."""
    limit = DECIDED[name][policy.PRESETS.index(preset)]
    least = name == "smallest_class"
    count = name in ("identifying_columns", "smallest_class")
    beyond = (limit - 1 if least else limit + 1) if count else math.nextafter(limit, 1)
    safer = limit + 1 if least else 0 if count else math.nextafter(limit, 0)
    for value in (limit, safer):
        assert judged(preset, **{name: Measured(value)}).outcome == "pass"
    verdict = judged(preset, **{name: Measured(beyond)})
    assert verdict.outcome == "fail"
    assert [one.name for one in verdict.exceeded] == [name]
    assert verdict.undecided_because == ()
    finding = verdict.exceeded[0]
    assert (finding.value, finding.limit, finding.met) == (beyond, limit, False)


@pytest.mark.parametrize("name", DECIDED)
def test_what_was_not_measured_leaves_the_verdict_open(name: LimitName) -> None:
    verdict = judged(**{name: None})
    assert (verdict.outcome, verdict.exceeded, len(verdict.undecided_because)) == ("undecided", (), 1)
    assert [one.met for one in verdict.findings if one.name == name] == [None]
    other: LimitName = "one_fact" if name != "one_fact" else "three_facts"
    failed = judged(**{name: None, other: Measured(0.9)})
    assert (failed.outcome, failed.undecided_because) == ("fail", ())
    assert say(f"policy.open.{name}") in failed.reservations


@pytest.mark.parametrize(
    ("least", "most", "outcome"),
    [(0.01, 0.05, "pass"), (0.01, 0.0501, "undecided"), (0.0501, 0.2, "fail"), (0.05, 0.2, "undecided")],
)
def test_an_estimate_decides_where_its_interval_lies_on_one_side(
    least: float, most: float, outcome: str
) -> None:
    verdict = judged(three_facts=Measured(0.04, least, most))
    assert verdict.outcome == outcome
    assert bool(verdict.exceeded or verdict.undecided_because) == (outcome != "pass")


def test_a_guess_leaves_open_what_it_decides_and_nothing_else() -> None:
    guessed = Measured(1.0, certain=False)
    assert judged("public", SOMETHING, unique_people=guessed).outcome == "undecided"
    assert judged("public", unique_people=guessed).outcome == "undecided"
    certain = judged("public", SOMETHING, unique_people=guessed, identifying_columns=Measured(1))
    assert certain.outcome == "fail"
    assert SOMETHING in certain.reservations
    assert judged("public", SOMETHING).outcome == "undecided"
    assert judged("public", SOMETHING).undecided_because == (SOMETHING,)


def test_a_limit_that_is_set_stands_in_place_of_the_presets() -> None:
    for name, one in options_of(Options).items():
        if name == "name":
            continue
        options = Options(**{name: one.option.example})
        changed = {limit.name: limit for limit in limits(options)}
        assert changed[name].value == one.option.example  # type: ignore[index]
        assert [n for n, limit in changed.items() if limit.source.key == "policy.source.arguments"] == [name]
    verdict = judge(Options(smallest_class=50), Evidence(SAFE))
    assert [one.name for one in verdict.exceeded] == ["smallest_class"]


def test_every_outcome_follows_from_the_definition() -> None:
    """All of 3^5 · 2^5 · 2 ways a table can stand to its limits, against the definition in words."""
    values: dict[LimitName, float] = {**dict.fromkeys(DECIDED, 1.0), "smallest_class": 1}
    seen = set()
    for states in itertools.product(("kept", "exceeded", "open"), repeat=5):
        for certain, doubt in itertools.product(
            itertools.product((True, False), repeat=5), ((), (SOMETHING,))
        ):
            figures = {
                name: SAFE[name] if state == "kept" else Measured(values[name], certain=sure)
                for name, state, sure in zip(DECIDED, states, certain, strict=True)
                if state != "open"
            }
            found = judge(Options(), Evidence(figures, doubt)).outcome
            fails = any(s == "exceeded" and c for s, c in zip(states, certain, strict=True))
            clean = set(states) == {"kept"} and not doubt
            assert found == ("fail" if fails else "pass" if clean else "undecided")
            seen.add(found)
    assert seen == {"fail", "pass", "undecided"}


def test_explain_tells_every_limit_with_its_source() -> None:
    told = command("explain", "policy").out
    assert max(map(len, told.splitlines())) <= 80
    for preset, expected in zip(policy.PRESETS, ("at most 9%", "at least 5", "at most 33%"), strict=True):
        own = told[told.index(f"\n{preset}: ") :].split("\n\n")[0]
        assert expected in own
        assert all(f"  {name}: " in own for name in DECIDED)
        assert own.count("[") == len(DECIDED)
    assert "no anonymity" in told
