"""The tables of a score: the league, losses side by side, attacks, and the rates of one submission."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from duckrisk.report.comparison.tables import decimals
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.pwscup.score_sentences import alpha, best_attack, is_score, worst_loss
from duckrisk.report.tables import Heads, Table
from duckrisk.report.text import Data, Sentence, number, say, word

#: So many submissions stand side by side.
BESIDE = 4
_RATES = ("strict", "cell", "active_cell", "row")
_Row = tuple[Any, ...]


def groups(data: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The submissions that stand side by side."""
    entries = submissions(data)
    for start in range(0, len(entries), BESIDE):
        yield entries[start : start + BESIDE]


def league(data: dict[str, Any]) -> Table:
    """All submissions, the best first: UTL, SEC, AVG and what they come from."""
    scored = is_score(data)
    names = ("utl", "sec", "avg") if scored else ("utl",)
    rows = []
    for place, entry in enumerate(submissions(data), 1):
        row: list[Any] = [number(place), Data(entry["name"]), *(decimals(entry[name]) for name in names)]
        row.append(worst_loss(entry, short=True))
        rows.append((*row, best_attack(entry)) if scored else tuple(row))
    heads = ["rank", "submission", *names, "worst_loss", *(["best_attack"] if scored else [])]
    numeric = (0, *range(2, 2 + len(names)))
    return Table(tuple(word(f"score.{head}") for head in heads), tuple(rows), numeric)


def losses(data: dict[str, Any], entries: list[dict[str, Any]]) -> Table:
    """The seven losses and their largest; a submission has a column."""
    rows: list[_Row] = [
        (word(f"score.{name}"), *(decimals(entry["utility"][name]) for entry in entries))
        for name in entries[0]["utility"]
    ]
    rows.append((word("score.utl"), *(decimals(entry["utl"]) for entry in entries)))
    return _beside("score.loss", rows, data, entries)


def further(data: dict[str, Any], entries: list[dict[str, Any]]) -> Table:
    """The further losses; a submission has a column."""
    found = [entry["further"] for entry in entries]
    rows: list[_Row] = [
        (word(f"score.{name}"), *(decimals(one["association_rules"][name]) for one in found))
        for name in ("loss_rules", "loss_confidence")
    ]
    first = found[0]
    for place, table in enumerate(first["cross_tables"]):
        name: str | Sentence = say("score.cross_table", attribute=Data(table["attribute"]))
        rows.append((name, *(decimals(one["cross_tables"][place]["total_variation"]) for one in found)))
    for place, table in enumerate(first["subsets"]):
        name = say(
            "score.subset",
            number=word(f"score.number.{table['number']}"),
            attribute=Data(table["attribute"]),
        )
        rows.append((name, *(decimals(one["subsets"][place]["loss"]) for one in found)))
    return _beside("score.loss", rows, data, entries)


def safety(data: dict[str, Any], entries: list[dict[str, Any]]) -> Table:
    """The SEC of each attack; a submission has a column."""
    rows: list[_Row] = [
        (Data(one["attack"]), *(decimals(entry["sec_by_attack"][place]["sec"]) for entry in entries))
        for place, one in enumerate(entries[0]["sec_by_attack"])
    ]
    if any(entry["sec_of_guesses"] is not None for entry in entries):
        rows.append((word("score.guesses"), *(decimals(entry["sec_of_guesses"]) for entry in entries)))
    rows.append((word("score.sec"), *(decimals(entry["sec"]) for entry in entries)))
    if entries[0]["sec_all"] is not None:
        rows.append((word("score.sec_all"), *(decimals(entry["sec_all"]) for entry in entries)))
    return _beside("score.attack", rows, data, entries)


def _beside(key: str, rows: list[_Row], data: dict[str, Any], entries: list[dict[str, Any]]) -> Table:
    """A table with a column for each submission: its name, without the ending that all have."""
    endings = {os.path.splitext(entry["name"])[1] for entry in submissions(data)}
    ending = endings.pop() if len(endings) == 1 else ""
    names = [Data(entry["name"].removesuffix(ending) or entry["name"]) for entry in entries]
    heads: Heads = (word(key), *names)
    return Table(heads, tuple(rows), tuple(range(1, len(heads))))


def strict(entry: dict[str, Any]) -> Table:
    """The strict rates of each attack by the share that the attacker holds, and their mean."""
    shares = list(dict.fromkeys(one["alpha"] for one in entry["attacks"]))
    by_share = {(one["attack"], one["alpha"]): one["strict"] for one in entry["attacks"]}
    rows: list[_Row] = [
        (
            Data(one["attack"]),
            *(decimals(by_share[one["attack"], share]) for share in shares),
            decimals(one["sec"]),
        )
        for one in entry["sec_by_attack"]
    ]
    heads: Heads = (
        word("score.attack"),
        *(say("score.alpha", alpha=alpha(share)) for share in shares),
        word("score.sec"),
    )
    return Table(heads, tuple(rows), tuple(range(1, len(heads))))


def rates(entry: dict[str, Any]) -> Table:
    """All rates of all attacks and guesses."""
    rows: list[_Row] = [
        (Data(one["attack"]), say("score.alpha", alpha=alpha(one["alpha"])), *_cells(one))
        for one in entry["attacks"]
    ]
    rows += [guess_row(one) for one in entry["guesses"]]
    heads: Heads = tuple(word(f"score.{name}") for name in ("attack", "share", *_RATES))
    return Table(heads, tuple(rows), tuple(range(1, len(heads))))


def guesses(entry: dict[str, Any]) -> Table:
    """The rates of guesses."""
    heads: Heads = tuple(word(f"score.{name}") for name in ("attack", "share", *_RATES))
    return Table(heads, tuple(guess_row(one) for one in entry["guesses"]), tuple(range(1, len(heads))))


def guess_row(one: dict[str, Any]) -> _Row:
    """A guess with its rates."""
    share: str | Sentence = word("score.every_share")
    if one["alpha"] is not None:
        share = say("score.alpha", alpha=alpha(one["alpha"]))
    return (say("score.guess", name=Data(one["guess"])), share, *_cells(one))


def _cells(one: dict[str, Any]) -> list[str]:
    return [decimals(one[name]) for name in _RATES]


def plotted(data: dict[str, Any]) -> Table:
    """The numbers of the plot."""
    heads: Heads = tuple(word(f"score.{name}") for name in ("submission", "utl", "sec", "avg"))
    rows = tuple(
        (Data(entry["name"]), *(decimals(entry[name]) for name in ("utl", "sec", "avg")))
        for entry in submissions(data)
    )
    return Table(heads, rows, (1, 2, 3))
