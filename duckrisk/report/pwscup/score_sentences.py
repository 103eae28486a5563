"""What a score says: headlines, and how to read the figures."""

from __future__ import annotations

from typing import Any

from duckrisk.report.comparison.tables import decimals
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.text import Data, Sentence, listed, number, say, share, word


def title(data: dict[str, Any]) -> Sentence:
    """What is scored."""
    entries = submissions(data)
    key = "score.title_of_one" if len(entries) == 1 else "score.title"
    values = {"release": Data(entries[0]["name"])} if len(entries) == 1 else {}
    return say(_kind(data, key), original=Data(data["original"]["name"]), **values)


def _kind(data: dict[str, Any], key: str) -> str:
    return f"{key}.utility" if data["kind"] == "utility" else key


def is_score(data: dict[str, Any]) -> bool:
    """Whether releases were attacked too."""
    return bool(data["kind"] == "score")


def headlines(data: dict[str, Any]) -> list[Sentence]:
    """The release in one sentence; of several, the best one."""
    entries = submissions(data)
    best = entries[0]
    values: dict[str, Any] = {"release": Data(best["name"]), "utl": decimals(best["utl"])}
    if is_score(data):
        values |= {"avg": decimals(best["avg"])}
    if len(entries) > 1:
        return [say(_kind(data, "score.winner"), **values)]
    values["loss"] = worst_loss(best)
    if is_score(data):
        values |= {"sec": decimals(best["sec"]), "attack": best_attack(best)}
    return [say(_kind(data, "score.headline"), **values)]


def worst_loss(entry: dict[str, Any], short: bool = False) -> str | Sentence:
    """The name of the largest loss, the first of equal ones."""
    found = {name: loss for name, loss in entry["utility"].items() if loss is not None}
    name = max(found, key=lambda name: found[name])
    if not found[name]:
        return say("score.nothing_lost")
    return word(f"score.{'short.' if short else ''}{name}")


def best_attack(entry: dict[str, Any]) -> Data | Sentence:
    """The name of the attack, or the guesses, that the score of safety is of."""
    if not entry["sec"]:
        return say("score.nobody_found")
    if entry["sec_of_guesses"] == entry["sec"]:
        return say("score.guesses")
    return Data(next(one["attack"] for one in entry["sec_by_attack"] if one["sec"] == entry["sec"]))


def facts(data: dict[str, Any]) -> list[Sentence]:
    """About the original and what is left of it."""
    original, entries = data["original"], submissions(data)
    made = [
        say(
            "score.original",
            records=number(original["records"]),
            users=number(original["users"]),
            periods=number(original["periods"]),
            unit=Data(original["period"]),
        )
    ]
    if original["left_out"]:
        made.append(say("score.left_out", records=number(original["left_out"])))
    if len(entries) == 1:
        kept = share(entries[0]["surviving"] / original["records"])
        made.append(say("score.surviving", release=Data(entries[0]["name"]), share=kept))
    made += [
        say("score.too_few", release=Data(entry["name"]))
        for entry in entries
        if entry["surviving"] < original["records"] // 2
    ]
    made += [_left_out(data, entry) for entry in entries if entry["users_left_out"]]
    return made


def _left_out(data: dict[str, Any], entry: dict[str, Any]) -> Sentence:
    """How many the losses by likeness leave out, because they have very many items."""
    counts = [
        say(
            "score.users_left_out_of",
            loss=word(f"score.short.{one['loss']}"),
            users=number(one["users"]),
            pseudonyms=number(one["pseudonyms"]),
        )
        for one in entry["users_left_out"]
    ]
    return say(
        "score.users_left_out",
        release=Data(entry["name"]),
        most=number(data["settings"]["most_items"]),
        counts=", ".join(one.plain() for one in counts),
    )


def reading(data: dict[str, Any]) -> list[Sentence]:
    """How the figures are to be read."""
    settings = data["settings"]
    made = [
        say("read.score.losses"),
        say("read.score.profile", profile=Data(settings["profile"]), top=number(settings["top"])),
        say("read.score.further"),
    ]
    if settings["attributes_left_out"]:
        made.append(say("read.score.attributes", names=listed(settings["attributes_left_out"])))
    if is_score(data):
        made += [say("read.score.avg"), say("read.score.safety")]
        drawn = [
            say("score.alpha", alpha=alpha(p["alpha"])) for p in settings["partials"] if p["file"] is None
        ]
        if drawn:
            names = ", ".join(one.plain() for one in drawn)
            made.append(say("read.score.drawn", seed=str(settings["seed"]), drawn=names))
        made.append(say("read.score.rates"))
        if settings["attacks"] == "all":
            made.append(say("read.score.stronger"))
    return made


def alpha(value: float) -> str:
    """A percentage without a needless decimal point."""
    return f"{value:g}"


def totals(entry: dict[str, Any]) -> Sentence:
    """UTL, SEC and AVG in one line."""
    values = {name: decimals(entry[name]) for name in ("utl", "sec", "avg")}
    if entry["sec_all"] is not None:
        return say("score.totals_of_all", **values, sec_all=decimals(entry["sec_all"]))
    return say("score.totals", **values)
