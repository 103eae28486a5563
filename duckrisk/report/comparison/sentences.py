"""What a comparison says: headlines, what is not valid, and how to read the figures."""

from __future__ import annotations

from typing import Any

from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.text import Data, Sentence, listed, number, say, share


def title(data: dict[str, Any]) -> Sentence:
    """What is compared with what."""
    tables = data["tables"]
    if len(tables) == 2:
        return say("compare.title_of_two", original=Data(tables[0]["name"]), release=Data(tables[1]["name"]))
    return say("compare.title", original=Data(tables[0]["name"]))


def headline(data: dict[str, Any]) -> Sentence:
    """The first release in one sentence."""
    return headlines(data)[0]


def headlines(data: dict[str, Any]) -> list[Sentence]:
    """Each release in one sentence: the value of a leak, and what is left."""
    return [
        say("compare.headline", release=Data(entry["name"]), value=_value(data, entry), left=_left(entry))
        for entry in data["tables"][1:]
    ]


def _value(data: dict[str, Any], entry: dict[str, Any]) -> Sentence:
    before, after = leak(data["tables"][0]), leak(entry)
    if before is None or after is None:
        return say("compare.value_unknown")
    values = {
        "before": short_amount(before),
        "after": short_amount(after),
        "currency": Data(data["tables"][0]["risk"]["identifiability"]["currency"]),
    }
    if after == before:
        return say("compare.value_same", before=values["before"], currency=values["currency"])
    part = share(abs(after - before) / before) if before else "-"
    return say("compare.value_falls" if after < before else "compare.value_rises", part=part, **values)


def leak(entry: dict[str, Any], key: str = "total_value") -> float | None:
    """The value of a leak of a table, ours or by "jo_total_value"."""
    section = (entry["risk"] or {}).get("identifiability")
    return None if section is None else section[key]


def _left(entry: dict[str, Any]) -> Sentence:
    found = entry["information"]
    if found is None or found["information"] is None:
        return say("compare.left_unknown")
    return say("compare.left", part=share(found["information"]))


def problems(data: dict[str, Any]) -> list[Sentence]:
    """What makes figures invalid, or kept them from being computed."""
    made = []
    for entry in data["tables"][1:]:
        name, found = Data(entry["name"]), entry["information"]
        if entry["records"] < data["tables"][0]["records"]:
            missing = number(data["tables"][0]["records"] - entry["records"])
            made.append(say("compare.fewer", release=name, records=missing))
        if found is None:
            for one in (entry["utility"] or {}).get("attributes", ()):
                if one["false_cells"]:
                    cells, attribute = number(one["false_cells"]), Data(one["attribute"])
                    made.append(say("compare.false_left", release=name, attribute=attribute, cells=cells))
            continue
        for attribute, cells in found["false_cells"].items():
            form = Data(found["false_forms"][attribute])
            told = {"release": name, "cells": number(cells), "attribute": Data(attribute)}
            made.append(say("compare.false_cells", **told, form=form))
        if found["valid"] is False:
            made.append(say("compare.uncovered", release=name, records=number(found["uncovered_records"])))
        if not found["exact"]:
            made.append(say(f"compare.{found['reason']}", release=name))
    return made


def reading(data: dict[str, Any]) -> list[Sentence]:
    """How the figures are to be read, and which of them assume something."""
    only, settings = data["settings"]["only"], data["settings"]
    made = []
    if "information" in only:
        made += [say("read.compare.information"), say("read.compare.gcp")]
    if "risk" in only:
        made.append(say("read.compare.risk"))
    made.append(say("read.compare.classes", names=listed(data["quasi_identifiers"])))
    if "utility" in only:
        made.append(say("read.compare.losses"))
    if any(entry["left_out"] for entry in data["tables"]):
        made.append(say("read.compare.left_out"))
    linked = [entry["linkage"] for entry in data["tables"] if entry["linkage"]]
    if linked:
        made.append(say("read.compare.linkage", records=number(max(one["records"] for one in linked))))
    recommended = [entry["recommendation"] for entry in data["tables"] if entry["recommendation"]]
    if recommended:
        item, top = Data(recommended[0]["item"]), number(recommended[0]["top"])
        made.append(say("read.compare.recommendation", item=item, top=top))
    if settings["aligned"]:
        made.append(say("compare.corresponding", how=say("compare.by_order")))
    elif settings["key"] is not None:
        made.append(say("compare.corresponding", how=say("compare.by_key", key=Data(settings["key"]))))
    else:
        made.append(say("compare.not_corresponding"))
    return made
