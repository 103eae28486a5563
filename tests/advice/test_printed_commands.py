"""Every command that is printed is typed, over drawn tables and options, and held against its promise."""

from __future__ import annotations

import random
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cases import Cases
from tests.command import Result, command, measured_once
from tests.tables import EXAMPLES, engine, thinned

#: Drawn tables, each with options of its own.
DRAWS = 18 if EXAMPLES >= 20 else 3
#: Draws of one test: a failure names its draw, and several processes share the work.
OF_ONE_TEST = 3
#: What the verdict on a release is measured from.
JUDGED = [
    word for name in ("attribute_risk", "uniqueness", "direct_identifiers") for word in ("--only", name)
]
#: How a printed command begins, and what stands before a remark on it.
COMMAND, HINT = re.compile("duckrisk (assess|advise|anonymize|compare|init) "), "   "
KNOWN = ("gender", "department", "age", "hired")
OTHERS = ("salary", "illness", "score")
#: The option without a value: keys of people that differ in case alone are one.
FOLD = "--fold-keys"


@dataclass
class Draw:
    """A table as CSV, and the options that the verdict on it rests on."""

    table: str
    policy: str
    roles: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    settings: str = ""

    @property
    def options(self) -> list[str]:
        return [*self.policy_options, *self.roles, *self.more]

    @property
    def policy_options(self) -> list[str]:
        return [] if self.settings else ["--policy", self.policy]


def drawn(number: int) -> Draw:
    """Draw a table of staff, or of their visits, and options, by a number alone."""
    draw = random.Random(number)
    people, each = draw.choice([60, 200, 400]), draw.choice([1, 1, 2])
    columns = [
        *(["mail"] if draw.random() < 0.5 else []),
        *(["staff_id"] if each > 1 or draw.random() < 0.3 else []),
        *draw.sample(KNOWN, draw.randint(1, 4)),
        *draw.sample(OTHERS, draw.randint(0, 3)),
    ]
    rows = [",".join(columns)]
    for place in range(people * each):
        person = place % people
        cells = {
            "mail": f"p{person}@example.org",
            "staff_id": f"S{person:05d}",
            "gender": draw.choice("fm"),
            "department": draw.choice(["sales", "law", "it"]),
            "age": str(draw.choice([20, 30, 40, 50])),
            "hired": f"20{draw.randint(10, 12)}-0{draw.randint(1, 3)}-01",
            "salary": str(30_000 + draw.randint(0, 40) * 250),
            "illness": draw.choice(["none", "none", "flu", "hiv"]),
            "score": str(draw.randint(0, 5)),
        }
        rows.append(",".join(cells[name] for name in columns))
    roles = []
    if draw.random() < 0.6:
        roles.append("--user=") if "staff_id" not in columns else roles.extend(["--user", "staff_id"])
    for name in columns:
        if name in ("mail", "staff_id"):
            continue
        chances = (0.4, 0.2) if name in OTHERS else (0.1, 0.1)
        chance = draw.random()
        if chance < chances[0]:
            roles += ["--insensitive", name]
        elif chance < sum(chances):
            roles += ["--sensitive", name]
        elif chance > 0.9:
            roles += ["--quasi-identifier", name]
        if draw.random() < 0.1:
            roles += ["--keep", name]
    if draw.random() < 0.1:
        roles += ["--attribute", draw.choice([name for name in columns if name not in ("mail", "staff_id")])]
    more = ["--where", f"{columns[-1]} IS NOT NULL"] if draw.random() < 0.15 else []
    settings = "[policy]\nsmallest_class = 4\nunique_people = 0.1\n" if draw.random() < 0.2 else ""
    policy = draw.choice(["public", "shared", "internal"])
    if "staff_id" in columns:
        if draw.random() < 0.7:
            roles += [draw.choice(["--pseudonym", "--identifier"]), "staff_id"]
        if draw.random() < 0.5:
            rows[1::3] = [re.sub("S(?=[0-9]{5})", "s", row) for row in rows[1::3]]
            roles.append(FOLD)
    return Draw("\n".join(rows) + "\n", policy, roles, more, settings)


def printed(shown: str) -> list[list[str]]:
    """Return the commands that were printed, without what stands beside them."""
    lines = [line.strip() for line in re.sub(r" *\\\n +", " ", shown).splitlines()]
    return [shlex.split(line.partition(HINT)[0]) for line in lines if COMMAND.match(line)]


def pairs(words: list[str]) -> set[tuple[str, str]]:
    """Return the options among words, each with its value."""
    found = set()
    for word, following in zip(words, [*words[1:], ""], strict=False):
        flag, sign, value = word.partition("=")
        if flag.startswith("--"):
            alone = flag == FOLD or following.startswith("--")
            found.add((flag, value if sign else "" if alone else following))
    return found


def carries(words: list[str], options: list[str]) -> None:
    """Assert that a command has all options, each with its value."""
    assert pairs(options) - pairs(words) == set(), shlex.join(words)


def left(roles: list[str], columns: list[str]) -> list[str]:
    """Return the roles of the columns that a release has; the person stays none where the column is gone."""
    kept: list[str] = []
    for flag, name in zip(roles, [*roles[1:], ""], strict=False):
        if "=" in flag or (flag == FOLD and "staff_id" in columns):
            kept.append(flag)
        elif flag.startswith("--") and name in columns:
            kept += [flag, name]
    return kept


def columns_of(path: str) -> list[str]:
    return engine().sql(f"FROM '{path}'").columns


def done(words: list[str], *codes: int) -> Result:
    found = command(*words[1:])
    assert found.code in codes, (shlex.join(words), found.code, found.out[-300:], found.err)
    return found


def exceeded(verdict: dict[str, Any]) -> set[str]:
    return {finding["name"] for finding in verdict["findings"] if finding["met"] is False}


def check(draw: Draw) -> None:
    """Type each command that ``assess``, ``advise``, ``anonymize`` and ``compare`` print of a draw."""
    config = ["--config", "limits.toml"] if draw.settings else []
    Path("limits.toml").write_text(draw.settings)
    Path("t.csv").write_text(draw.table)
    with measured_once():
        shown = command("assess", "t.csv", *draw.options, *config)
        told = command("assess", "t.csv", *draw.options, *config, "--format", "json")
    assert shown.code == 0, shown.err
    check_screen(draw, shown.out, told.json["verdict"], config)
    advised = command("advise", "t.csv", *draw.options, *config)
    assert advised.code == 0, advised.err
    check_advice(draw, advised.out, config)


def check_screen(draw: Draw, shown: str, told: dict[str, Any], config: list[str]) -> None:
    """The commands of the first screen read the same records, by the same roles and limits."""
    commands = printed(shown)
    if draw.more:  # a condition is not repeated
        assert commands == []
        return
    for words in commands:
        if words[1] in ("assess", "advise"):
            carries(words, [*draw.options, *config])
        elif words[1] == "anonymize":
            done([*words, "--overwrite"], 0)
            output = words[words.index("-o") + 1]
            verdict = judged(output, draw, config)
            remains = exceeded(told) - {"identifying_columns"}
            assert "identifying_columns" not in exceeded(verdict)
            assert (output == "draft.parquet") == bool(remains)
            assert exceeded(verdict) == remains
    names = {words[1] for words in commands}
    assert "assess" in names
    assert ("advise" in names) == (told["outcome"] in ("fail", "undecided"))


def judged(path: str, draw: Draw, config: list[str], *more: str) -> dict[str, Any]:
    person = ["staff_id"] if "--original" in more else []  # the original has the column
    roles = left(draw.roles, [*columns_of(path), *person])
    asked = (*draw.policy_options, *roles, *config, *JUDGED, *more)
    told = command("assess", path, *asked, "--format", "json", "-q")
    assert told.code == 0, told.err
    verdict: dict[str, Any] = told.json["verdict"]
    return verdict


def check_advice(draw: Draw, shown: str, config: list[str]) -> None:
    """Each command that advice prints makes a release that keeps the policy."""
    for words in printed(shown):
        carries(
            words, [*draw.more, *draw.roles, *config, "--to-policy", "settings" if config else draw.policy]
        )
        made = done([*words, "--overwrite"], 0)
        # A comparison knows the people behind rows without their column, as does --original.
        lost = "staff_id" in columns_of("t.csv") and "staff_id" not in columns_of("release.parquet")
        verdict = judged("release.parquet", draw, config, *(["--original", "t.csv"] if lost else []))
        assert verdict["outcome"] in ("pass", "pass_if"), verdict
        check_comparison(draw, made.out, verdict, config)


def check_comparison(draw: Draw, shown: str, verdict: dict[str, Any], config: list[str]) -> None:
    """The comparison that is printed judges the release as an assessment does."""
    for words in printed(shown):
        assert words[1] == "compare"
        carries(words, [*draw.policy_options, *draw.roles, *config])
        found = command(*words[1:], "--format", "json", "-q")
        compared = found.json["tables"][-1]["risk"]["people"]["verdict"]
        assert compared["outcome"] == verdict["outcome"]
        assert found.code == (0 if compared["accepted"] else 1), found.err


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, DRAWS, OF_ONE_TEST))
def test_printed_commands_keep_their_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    with Cases() as case:
        for number in thinned(range(first, first + OF_ONE_TEST), 3):
            folder = tmp_path / str(number)
            folder.mkdir()
            monkeypatch.chdir(folder)
            draw = drawn(number)
            with case(f"{number}: {shlex.join(draw.options)}"):
                check(draw)
