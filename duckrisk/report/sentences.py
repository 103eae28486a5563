"""The sentences that several forms of a report share; their words are those of the catalogue."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from duckrisk.report.identifiability import sentences as identifiability
from duckrisk.report.tables import (
    best_changes,
    column_names,
    has_values,
    section,
    shown_risk,
    was_asked,
    was_sampled,
)
from duckrisk.report.text import (
    Data,
    Sentence,
    chance,
    duration,
    knowledge,
    listed,
    number,
    probability,
    publication,
    say,
    visible,
    word,
)

if TYPE_CHECKING:
    from duckrisk.report import Report


def size(data: dict[str, Any]) -> Sentence:
    """Records and users of the source."""
    source = data["source"]
    counts = {"records": number(source["records"]), "users": number(source["users"])}
    return say("source_line" if source["user"] is not None else "source_alone", **counts)


def in_short(data: dict[str, Any]) -> str:
    """The report in half a line: its source, its size, how many attributes."""
    found = section(data)
    assessed = len(data["attribute_risk"]) or (len(found["attributes"]) if found is not None else 0)
    counted = say("attributes.one") if assessed == 1 else say("attributes.count", count=number(assessed))
    return say("in_short", source=Data(data["source"]["name"]), size=size(data), attributes=counted).plain(
        visible
    )


def source_lines(data: dict[str, Any]) -> list[Sentence]:
    """The source, its records, its users, and who the user is."""
    source = data["source"]
    lines = [size(data), user_line(data)]
    if source["user"] is not None and source["most_records_of_a_user"] > 1:
        lines.append(say("most_records", count=number(source["most_records_of_a_user"])))
    if source["records_without_user"]:
        lines.append(say("without_user", count=number(source["records_without_user"])))
    if source["where"] is not None:
        lines.append(say("where_line", where=Data(source["where"])))
    if source["query"] is not None:
        lines.append(say("query_line", query=Data(source["query"])))
    return lines


def user_line(data: dict[str, Any]) -> Sentence:
    """Who the user is, and why."""
    user = data["source"]["user"]
    if user is None:
        return say("user_declined" if data["settings"]["user"] == "" else "user_none")
    reasons = [c["reason"] for c in data["source"]["columns"] if c["name"] == user and c["role"] == "user"]
    if not reasons or reasons[0] in ("", "given"):
        return say("user_given", user=Data(user))
    return say("user_is", user=Data(user), reason=Data(reasons[0]))


def headlines(data: dict[str, Any]) -> list[Sentence]:
    """What the report says, in a sentence for each of its parts."""
    if not was_asked(data, "attribute_risk") and not was_asked(data, "identifiability"):
        return []
    singled_out = identifiability.headline(data)
    if singled_out is None:
        return [headline(data)]
    return [headline(data), singled_out] if data["attribute_risk"] else [singled_out]


def headline(data: dict[str, Any]) -> Sentence:
    """What the highest risk means, in plain words."""
    ranked = [e for e in data["attribute_risk"] if shown_risk(e) is not None]
    if not ranked:
        return say("no_attributes")
    top = ranked[0]
    what, found = knowledge(top["attribute"], column_names(data)), shown_risk(top) or 0.0
    if top["mean_risk"] is None:
        sampled = top["sampled"]
        return say(
            "headline_sampled",
            what=what,
            chance=chance(found),
            lower=probability(sampled["lower"]),
            upper=probability(sampled["upper"]),
        )
    if found >= 1:
        return say("headline_certain", what=what)
    alone = data["source"]["user"] is None
    return say("headline_alone" if alone else "headline", what=what, chance=chance(found))


def best_help(data: dict[str, Any]) -> Sentence | None:
    """How far the highest risk falls by the coarser form of that attribute that helps most."""
    if not data["attribute_risk"]:
        return None
    top = data["attribute_risk"][0]
    row = best_changes(data).get(top["attribute"])
    if row is None or row["mean_risk"] >= top["mean_risk"]:
        return None
    names = column_names(data)
    return say(
        "helps",
        coarser=publication(row["coarser"], names),
        what=knowledge(row["attribute"], names),
        before=probability(top["mean_risk"]),
        after=probability(row["mean_risk"]),
    )


def sampling_verdict(data: dict[str, Any]) -> Sentence | None:
    """Whether a sample alone would have found the most dangerous attribute."""
    entries = [e for e in data["attribute_risk"] if e["sampled"] is not None]
    if not entries:
        return None
    if not was_sampled(data):
        return say("sampling.needless")
    samples, names = number(data["settings"]["samples"]), column_names(data)
    likely = [e for e in entries if e["sampled"]["most_dangerous"]]
    what = knowledge(data["attribute_risk"][0]["attribute"], names)
    coverage = say("sampling.paper" if data["settings"]["interval"] == "paper" else "sampling.coverage")
    if len(likely) > 1:
        return say(
            "sampling.open",
            samples=samples,
            count=number(len(likely)),
            names=listed(e["attribute"] for e in likely),
            coverage=coverage,
        )
    only = "sampling.only" if data["settings"]["method"] == "sample" else "sampling.agree"
    agrees = likely and likely[0] is data["attribute_risk"][0]
    return say(only if agrees else "sampling.wrong", samples=samples, what=what, coverage=coverage)


def sampling_cost(report: Report) -> Sentence | None:
    """What sampling took and read against counting all, and so whether it paid."""
    entries = {e["attribute"]: e for e in report.data["attribute_risk"] if e["sampled"] is not None}
    taken = {names: _seconds(report, names, entries) for names in (_SAMPLING, _COUNTING, _ESTIMATING)}
    sampling, counting, estimating = taken.values()
    if sampling is None:
        return None
    read = number(sum(e["sampled"]["records_read"] or 0 for e in entries.values()))
    if counting is None and estimating is None:
        return say("sampling.took_alone", sampling=duration(sampling), read=read)
    records = number(sum(e["records"] or 0 for e in entries.values()))
    took = say("sampling.took", sampling=duration(sampling), read=read, records=records)
    if counting is None:
        return say("sampling.estimating", took=took, estimating=duration(estimating or 0.0))
    factor = counting / max(sampling, 1e-9)
    if factor < _WORTH:
        return say("sampling.pays_not", took=took, counting=duration(counting))
    shown = f"{factor:.1f}" if factor < 9.95 else number(round(factor))
    return say("sampling.pays", took=took, counting=duration(counting), factor=shown)


_SAMPLING = ("attribute_sample", "attribute_sample_paper")
_ESTIMATING = ("attribute_risk_approximate",)
_COUNTING = ("attribute_risk",)
#: Counting that takes less than so many times as long as sampling is not worth the difference.
_WORTH = 1.1


def _seconds(report: Report, names: Iterable[str], attributes: Container[str]) -> float | None:
    """How long the statements of these names took on the attributes; None where none ran. Those on coarser
    forms do not count; an attribute that is the coarser form of another as well counts once."""
    found: dict[str, float] = {}
    for statement in report.statements:
        about = statement.attribute
        if statement.name in names and about is not None and about in attributes:
            found.setdefault(about, statement.seconds)
    return sum(found.values()) if found else None


def gate_verdict(data: dict[str, Any]) -> Sentence:
    """All gates in one sentence."""
    every = data["gates"]
    failed = [gate for gate in every if not gate["passed"]]
    if not every:
        return say("gates_none")
    if len(every) == 1:
        return say("gate_failed" if failed else "gate_passed")
    if failed:
        return say("gates_failed", failed=number(len(failed)), count=number(len(every)))
    return say("gates_passed", count=number(len(every)))


def interval_sentence(data: dict[str, Any], short: bool = False) -> Sentence | None:
    """What the whiskers are; short for the column of a table."""
    if not was_sampled(data):
        return None
    samples = number(data["settings"]["samples"])
    if data["settings"]["interval"] == "paper":
        return say("read.sampled_paper_short" if short else "read.interval_paper", samples=samples)
    key = "read.sampled_short" if short else "read.interval"
    return say(key, samples=samples, confidence=confidence(data))


def confidence(data: dict[str, Any]) -> str:
    """The confidence of the intervals, as "90%"."""
    return f"{100 * data['settings']['confidence']:.0f}%"


def risk_sentences(data: dict[str, Any]) -> list[Sentence]:
    """How to read a risk in this report."""
    lines = [say("read.risk" if data["source"]["user"] is not None else "read.risk_alone")]
    if data["settings"]["method"] == "approximate":
        lines.append(say("read.approximate"))
    return lines


def method_sentences(data: dict[str, Any]) -> list[Sentence]:
    """How the numbers were measured."""
    lines = []
    if was_asked(data, "attribute_risk"):
        samples = number(data["settings"]["samples"])
        lines += [say(f"method.{data['settings']['method']}", samples=samples), say("method.null")]
    if section(data) is not None:
        lines.append(say("method.identifiability"))
    return lines


def not_assessed(data: dict[str, Any]) -> list[Sentence]:
    """What the numbers do not speak about."""
    found = section(data)
    if not was_asked(data, "attribute_risk") and not was_asked(data, "identifiability"):
        return [say("method.values" if has_values(data) else "method.no_values")]
    lines = [say("method.not" if found is None else "method.not_sets")]
    assessed = ("attribute", "date_time", "user") if was_asked(data, "attribute_risk") else ("user",)
    inside = {entry["column"] for entry in found["attributes"]} if found is not None else set()
    left = [
        column["name"]
        for column in data["source"]["columns"]
        if column["role"] not in assessed and column["name"] not in inside
    ]
    named = [c["name"] for c in data["source"]["columns"] if c["role"] == "direct_identifier"]
    if named:
        lines.insert(0, say("method.identifiers", names=listed(named)))
    if left and not data["settings"]["attributes"]:
        lines.append(say("method.columns", names=listed(left)))
    lines.append(say("method.values" if has_values(data) else "method.no_values"))
    return lines


def versions(data: dict[str, Any]) -> Sentence:
    """The line a person cites: versions, seed, method."""
    made = data["environment"]
    numbers = {"duckrisk": Data(made["duckrisk"]), "duckdb": Data(made["duckdb"])}
    if not was_asked(data, "attribute_risk"):  # nothing is drawn
        return say("method_line_sets", **numbers)
    return say(
        "method_line",
        **numbers,
        seed=str(made["seed"]),
        method=data["settings"]["method"],
    )


def digest(data: dict[str, Any], length: int | None = None) -> Sentence:
    """What identifies the bytes of the source."""
    found = data["source"]["digest"]
    if found is None:
        return say("digest.none")
    return say("digest_line", kind=word(f"digest.{found['kind']}"), digest=Data(found["value"][:length]))
