"""A registered attack is in the help, in the legend of its report, in both languages and in the README."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from duckrisk.base.errors import UsageError
from duckrisk.base.results import Environment, Table
from duckrisk.contests import membership as membership_face
from duckrisk.contests import pwscup as pwscup_face
from duckrisk.contests.membership.attacks import registry as membership
from duckrisk.contests.membership.attacks.results import Attack as Guesses
from duckrisk.contests.membership.attacks.results import Attacks as MembershipAttacks
from duckrisk.contests.membership.options import AttackOptions
from duckrisk.contests.pwscup import attacks as pwscup
from duckrisk.contests.pwscup.results import Attack, AttackedRelease, Attacks, AttackSettings
from duckrisk.report.words import LANGUAGES, load_catalogue
from tests.cases import Cases
from tests.command import command

REGISTRIES: dict[str, Mapping[str, membership.Attack | pwscup.Attack]] = {
    "pwscup": pwscup.REGISTRY,
    "membership": membership.REGISTRY,
}


def squeezed(text: str) -> str:
    """Return a text without its line breaks, which fall within names of attacks too."""
    return re.sub(r"\s+", "", text)


def reports() -> dict[str, Attacks | MembershipAttacks]:
    """Return the report of each contest with every attack, none of which found anything."""
    environment = Environment("1", "1")
    linked = tuple(Attack(name, 25, 0, 0, 0, 0) for name in pwscup.REGISTRY)
    settings = AttackSettings(None, None, 0, False)
    release = AttackedRelease("A.csv", 1, 1)
    nothing = (None,) * 7
    guessed = tuple(Guesses(name, (), *nothing) for name in membership.REGISTRY)
    table = Table("P.csv", 1)
    return {
        "pwscup": Attacks(
            release=release,
            original=None,
            users=1,
            periods=1,
            period="month",
            known=(),
            attacks=linked,
            settings=settings,
            environment=environment,
        ),
        "membership": MembershipAttacks(
            population=table,
            released=table,
            members=None,
            reference=None,
            attributes=(),
            guesses=1,
            weight=2.0,
            clusters=1,
            starts=1,
            standardised=True,
            shadows=2,
            seed=0,
            attacks=guessed,
            engine="1",
            duckrisk="1",
        ),
    }


def test_a_registered_attack_is_shown_everywhere() -> None:
    shown = reports()
    with Cases() as case:
        for contest, registry in REGISTRIES.items():
            help_text = squeezed(command(contest, "attack", "--help").out)
            face = pwscup_face if contest == "pwscup" else membership_face
            readme = (Path(face.__path__[0]) / "README.md").read_text(encoding="utf-8")
            pages = {lang: squeezed(shown[contest].to_text(language=lang)) for lang in LANGUAGES}
            for name, attack in registry.items():
                with case(f"{contest} {name}: its own name"):
                    assert attack.name == name
                with case(f"{contest} {name}: help"):
                    assert re.search(rf"(:|,|NAME|experiment){name}[,.]", help_text)
                with case(f"{contest} {name}: README"):
                    assert re.search(rf"[` ]{name}`", readme)
                for language in LANGUAGES:
                    with case(f"{contest} {name}: legend in {language}"):
                        assert attack.legend.key in load_catalogue(language)
                        assert squeezed(f"{name}: " if language == "en" else f"{name}：") in pages[language]


def test_unknown_names_suggest_registered_ones() -> None:
    for refuse in (lambda: pwscup.find_attack("combind"), AttackOptions(names=["liras"]).check):
        with pytest.raises(UsageError, match="did you mean"):
            refuse()


def test_groups_of_attacks_are_registered() -> None:
    assert [name[:2] for name in pwscup.COMMITTEE] == ["S1", "S2", "S3", "S4", "S5", "S6"]
    assert set(pwscup.STRONG) <= pwscup.REGISTRY.keys()
    assert (*membership.ATTACKS, membership.EXPERIMENT) == tuple(membership.REGISTRY)
