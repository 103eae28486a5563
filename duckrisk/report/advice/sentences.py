"""What advice says: the steps in words, the commands, how it ended, and how its figures are to be read."""

from __future__ import annotations

import shlex
from typing import Any

from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.text import Data, Sentence, number, say, share


def title(data: dict[str, Any]) -> Sentence:
    """What the advice is about."""
    return say("advice.title", source=Data(data["source"]))


def is_history(data: dict[str, Any]) -> bool:
    """Whether users with several records are told apart from records."""
    return data["lines"][0]["users"] is not None


def what(line: dict[str, Any]) -> Sentence:
    """The step that leads to a line."""
    method, among = line["method"], line["among"]
    if method is None:
        return say("advice.whole")
    if method != "delete-classes":
        return say(f"advice.{method}", name=Data(line["attribute"]), form=Data(line["form"] or ""))
    if len(among) == 1:
        return say("advice.delete_one", name=Data(among[0]))
    if line["together"] == len(among):
        return say("advice.delete_all", count=number(len(among)))
    if line["together"] == 1:
        return say("advice.delete_any", count=number(len(among)))
    return say("advice.delete_some", together=number(line["together"]), count=number(len(among)))


def headline(data: dict[str, Any]) -> Sentence:
    """The first line and the last in one sentence."""
    first, last = data["lines"][0], data["lines"][-1]
    before, currency = short_amount(first["total_value"]), Data(data["currency"])
    steps = len(data["lines"]) - 1
    if steps == 0:
        return say("advice.headline_none", before=before, currency=currency)
    return say(
        "advice.headline",
        steps=say("advice.steps.one") if steps == 1 else say("advice.steps", count=number(steps)),
        before=before,
        after=short_amount(last["total_value"]),
        currency=currency,
        left=share(last["information"]),
    )


def ended(data: dict[str, Any]) -> list[Sentence]:
    """Why the steps ended, and whether the target was missed."""
    made = []
    if data["target"] is not None and not data["reached"]:
        made.append(say("advice.missed", target=Data(data["target"])))
    return [*made, say(f"advice.ended.{data['ended']}")]


def about(data: dict[str, Any]) -> Sentence:
    """How a step is chosen."""
    return say("read.advice_history" if is_history(data) else "read.advice")


def reading(data: dict[str, Any]) -> list[Sentence]:
    """How the columns are to be read."""
    made = [say("read.advice.users")] if is_history(data) else []
    made.append(say("read.advice.left"))
    if is_history(data):
        made.append(say("read.advice.links"))
    if any(line["method"] == "delete-classes" for line in data["lines"]):
        kept = data["lines"][-1]["records"]
        made.append(say("read.advice.deleted", kept=number(kept), records=number(data["records"])))
    return made


def commands(data: dict[str, Any]) -> list[list[str]]:
    """The command that makes each line but the first, as words of a shell; an option is one with its
    value."""
    made = []
    for line in data["lines"][1:]:
        options = list(zip(line["options"][::2], line["options"][1::2], strict=True))
        opening = [["duckrisk"], ["anonymize"], [data["source"]], *data["source_options"]]
        words = [*opening, ["-o", "release.parquet"], *options]
        made.append([shlex.join(word) for word in words])
    return made
