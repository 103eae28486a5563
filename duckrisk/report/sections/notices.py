"""Put notices into reports: the settings and conditions that changed a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from duckrisk.base.results import Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.notices import RECORD_SETTINGS, Notice
from duckrisk.report.blocks import Block, Items


def make_blocks(result: Result) -> list[Block]:
    """Make a list of the notices that the headline does not hold word by word."""
    listed = list_details(result)
    return [Items(tuple(listed))] if listed else []


def list_details(result: Result) -> list[Sentence]:
    """List the notices that the headline does not hold word by word."""
    return [notice.text for notice in result.notices or () if notice.setting not in RECORD_SETTINGS]


def list_texts(result: Result) -> list[Sentence]:
    """List all notices of a report."""
    return [notice.text for notice in result.notices or ()]


def list_overruled(result: Result) -> list[Sentence]:
    """List the notices on limits of a settings file that do not count."""
    return [notice.text for notice in result.notices or () if notice.setting == "policy"]


def add_to_headline(sentence: Text, result: Result) -> Text:
    """Append the notices to the headline of a report.

    They say which records were judged, and which settings of a file count. Changed limits are part of the
    name of the policy (:func:`duckrisk.decision.policy.name_policy`).
    """
    return _combine("notice.headed", sentence, _list_without_limits(result))


def put_before_sentence(sentence: Text, result: Result) -> Text:
    """Put the notices before a sentence that names the policy.

    The sentence ends with a full stop or a colon.
    """
    return _combine("notice.begun", sentence, _list_without_limits(result))


def add_to_sentence(sentence: Text, result: Result) -> Text:
    """Append all notices to a sentence that does not name the policy."""
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


def _list_without_limits(result: Result) -> list[Notice]:
    return [notice for notice in result.notices or () if not _is_limit(notice)]


def _is_limit(notice: Notice) -> bool:
    return notice.setting.startswith("policy.") and notice.setting != "policy.name"
