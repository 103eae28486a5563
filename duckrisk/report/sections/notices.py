"""What is said of settings and conditions that changed a verdict, on any report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from duckrisk.base.results import Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.notices import RECORD_SETTINGS, Notice
from duckrisk.report.blocks import Block, Items


def make_blocks(result: Result) -> list[Block]:
    """List the notices of a report, but for those that its headline holds word by word."""
    listed = list_details(result)
    return [Items(tuple(listed))] if listed else []


def list_details(result: Result) -> list[Sentence]:
    """Return the sentences of notices that no headline holds word by word."""
    return [notice.text for notice in result.notices or () if notice.setting not in RECORD_SETTINGS]


def list_texts(result: Result) -> list[Sentence]:
    """Return the sentences of the notices of a report."""
    return [notice.text for notice in result.notices or ()]


def list_overruled(result: Result) -> list[Sentence]:
    """Return the sentence on limits of a settings file that do not count."""
    return [notice.text for notice in result.notices or () if notice.setting == "policy"]


def add_to_headline(sentence: Text, result: Result) -> Text:
    """Append to the headline of a report which records were judged, and which settings of a file count.

    Changed limits are part of the name of the policy (:func:`duckrisk.decision.policy.name_policy`).
    """
    return _combine("notice.headed", sentence, [one for one in result.notices or () if not _is_limit(one)])


def put_before_sentence(sentence: Text, result: Result) -> Text:
    """Put the same before a sentence that names the policy and ends with a full stop or a colon."""
    return _combine("notice.begun", sentence, [one for one in result.notices or () if not _is_limit(one)])


def add_to_sentence(sentence: Text, result: Result) -> Text:
    """Append the same, and changed limits, to a sentence that names no policy."""
    return _combine("notice.ended", sentence, result.notices or ())


def _combine(key: str, sentence: Text, notices: Iterable[Notice]) -> Text:
    summaries = list(_summarize_notices(notices))
    if not summaries:
        return sentence
    return Sentence(key, sentence=sentence, notice=reduce(_join, summaries))


def _join(first: Sentence, second: Sentence) -> Sentence:
    return Sentence("notice.headed", sentence=first, notice=second)


def _summarize_notices(notices: Iterable[Notice]) -> Iterable[Sentence]:
    others: dict[str, list[str]] = {}
    for notice in notices:
        if notice.setting in RECORD_SETTINGS:
            yield notice.text
        elif notice.origin is not None and notice.setting != "policy":
            others.setdefault(notice.origin, []).append(notice.setting)
    for file, names in others.items():
        yield Sentence("notice.settings", file=Data(file), names=join_texts(names))


def _is_limit(notice: Notice) -> bool:
    return notice.setting.startswith("policy.") and notice.setting != "policy.name"
