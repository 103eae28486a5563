"""The words of a report: the catalogue of every sentence a person reads, and how numbers are written.

All forms of a report take their words from here, so that another language needs one more catalogue
and no other change. Text that comes from the source (names of columns, notes, values) is marked as
:class:`Data`; each form decides how to show it safely.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from markupsafe import Markup, escape

from duckrisk.report.disclosure import words as disclosure
from duckrisk.report.identifiability import words as identifiability

ENGLISH = {
    # --- words
    "role.user": "user",
    "role.direct_identifier": "direct identifier",
    "role.date_time": "date and time",
    "role.attribute": "attribute",
    "role.free_text": "free text",
    "role.constant": "constant",
    "role.ignored": "ignored",
    "exact": "exact",
    "sampling": "sampling",
    "minimum cost": "minimum cost",
    "yes": "yes",
    "no": "no",
    "none": "none",
    "passed": "passed",
    "failed": "FAILED",
    "duration": "{seconds} s",
    "duration.short": "less than 0.01 s",
    "always": "certainty",
    "in_100": "a chance of {count} in 100",
    "one_in": "a chance of 1 in {count}",
    "never": "no chance",
    "list": "{names} and {more} more",
    "and_more": "... and {count} more",
    "everywhere": "the source",
    "to": "{lower} to {upper}",
    "span": "{lower}-{upper}",
    # --- names of sections
    "title": "Re-identification risk of {source}",
    "of_roles": "What each column was taken for",
    "of_notes": "Notes",
    "of_risk": "Risk of each attribute",
    "of_known": "An attacker who knows several records",
    "of_below": "Records with a rare value",
    "of_coarser": "What would help: coarser knowledge",
    "of_models": "Cost and error of the three models",
    "of_sampling": "Is a sample enough?",
    "of_gates": "Gates",
    "of_values": "Values of people's records",
    "of_method": "Method and provenance",
    "of_digest": "Where the numbers come from",
    "of_settings": "Settings",
    "of_statements": "Executed SQL statements",
    "of_not_assessed": "What was not assessed",
    "contents": "Contents",
    "data_table": "The numbers of this figure",
    "sql_text": "SQL of {name}",
    # --- heads of tables
    "column": "Column",
    "attribute": "Attribute",
    "type": "Type",
    "role": "Taken for",
    "reason": "Why",
    "missing": "Missing in records",
    "rank": "Rank",
    "distinct_values": "Distinct values",
    "values_short": "Values",
    "mean_risk": "Risk",
    "estimate": "Sampled risk",
    "interval": "Sampled interval",
    "minimum_cost_risk": "Minimum-cost risk",
    "max_value_risk": "Risk of the worst value",
    "records": "Records",
    "records_with_value": "Records with a value",
    "mean_records_per_user": "Records per user",
    "share_below": "Records with fewer than {k} users",
    "share_below_short": "< {k} users",
    "records_below": "As a number of records",
    "share_singled_out": "Records with one user alone",
    "singled_out_values": "Values that one user alone has",
    "known_records": "Known records",
    "risk": "Risk",
    "risk_interval": "Interval of the risk",
    "unicity": "Unicity",
    "unicity_interval": "Interval of unicity",
    "published": "Published",
    "risk_before": "Risk now",
    "risk_after": "Risk then",
    "share_before": "Rare now",
    "share_after": "Rare then",
    "model": "Model",
    "cost": "Records read",
    "error": "Error",
    "gate": "Gate (must not hold)",
    "result": "Result",
    "found": "Found",
    "where": "Where",
    "setting": "Setting",
    "value": "Value",
    "users": "Users",
    "records_per_user": "Records per user",
    "probability": "Chance of this value",
    "identification_given_value": "Risk of this value",
    "identification": "Its part of the risk",
    "statement": "Statement",
    "times": "Times run",
    "seconds": "Seconds",
    "what": "What",
    "highest_risk": "Highest risk of one known value",
    # --- knowledge of an attribute
    "knows": '"{name}"',
    "knows.date": 'the date in "{name}"',
    "knows.time": 'the time of day in "{name}"',
    "knows.hour": 'the hour of the day in "{name}"',
    "knows.week": 'the week in "{name}"',
    "knows.month": 'the month in "{name}"',
    "knows.year": 'the year in "{name}"',
    "knows.prefix": 'the first {count} characters of "{name}"',
    "knows.band": 'the band of {count} around "{name}"',
    "by": "as {name}",
    "by.date": "by the day",
    "by.hour": "by the hour",
    "by.week": "by the week",
    "by.month": "by the month",
    "by.year": "by the year",
    "by.prefix": "by its first {count} characters",
    "by.band": "in bands of {count}",
    # --- the source and its users
    "source_line": "{records} records of {users} users",
    "source_alone": "{records} records",
    "in_short": "{source}, {size}, {attributes}",
    "attributes.one": "1 attribute",
    "attributes.count": "{count} attributes",
    "user_is": 'The user is the column "{user}": {reason}.',
    "user_given": 'The user is the column "{user}", as given.',
    "user_none": "No column credibly names the user, so each record counts as its own person.",
    "user_declined": "As asked, no column names the user: each record counts as its own person.",
    "without_user": "{count} records name no user and were left out.",
    "most_records": "The user with the most records has {count}.",
    "where_line": "Only records that meet this condition were read: {where}",
    "query_line": "The source is the result of this query: {query}",
    # --- the main sentences
    "headline": "Whoever learns {what} of one random record names its user with {chance}.",
    "headline_alone": "Whoever learns {what} of one random record picks out its person with {chance}.",
    "headline_certain": "Whoever learns {what} of any record names its user for certain.",
    "headline_sampled": "By a sample: whoever learns {what} of one random record names its user with "
    "{chance} (interval {lower} to {upper}).",
    "no_attributes": "There was no attribute to assess, so there is no number here.",
    "helps": "Published {coarser} and nowhere finer, {what} would name the user with {after} instead of "
    "{before}. One known value only: attributes known together tell more.",
    "gates_none": "No gates were set.",
    "gates_passed": "All {count} gates passed: none of their conditions holds.",
    "gate_passed": "The gate passed: its condition does not hold.",
    "gates_failed": "{failed} of {count} gates FAILED.",
    "gate_failed": "The gate FAILED.",
    "with_values": "This report contains values of people's records. Keep it as safe as the table itself.",
    # --- how to read
    "read.risk": "The risk is the chance that whoever learns this attribute of one random record names the "
    "user behind it: 0.32 means 32 in 100.",
    "read.risk_alone": "The risk is the chance that whoever learns this attribute of one random record picks "
    "out its person: 0.32 means 32 in 100. Each record counts as one person.",
    "read.log": "The scale grows tenfold from line to line.",
    "read.linear": "The scale starts at 0.",
    "read.ladder": "The further right the dot, the more dangerous the attribute.",
    "read.interval": "The whisker is what a sample of {samples} values alone would say "
    "({confidence} confidence interval).",
    "read.interval_paper": "The whisker is the paper's interval of a sample of {samples} values: mean and "
    "deviation, no confidence interval.",
    "read.approximate": "The users of each value are estimated, mostly within 3%.",
    "read.known": "The solid line is the chance to name the user from so many known records; the dashed "
    "line (unicity) is how often these records fit one user alone. Vertical strokes are {confidence} "
    "intervals of {draws} drawn attackers.",
    "read.known_exact": "One known record is counted exactly.",
    "read.known_short": "Chance to name the user, and in brackets how often the known records fit one user "
    "alone (unicity).",
    "read.below": "The bar is the share of records whose value fits fewer than {k} users: these people are "
    "the easiest to find. The narrow bar inside is the share whose value one user alone has.",
    "read.below_none": "No attribute has a value that fits fewer than {k} users.",
    "read.coarser": "The arrow runs from the risk of the attribute as it is (dot) to its risk if published "
    "more coarsely (diamond): the longer, the more it helps.",
    "read.models": "How many records a model reads for {what}, and how far its risk is from the exact one: "
    "low and left is best. Grey points show what a single value alone would have said.",
    "read.models_short": "How many records a model reads and how far it is from the exact risk.",
    "read.models_agree": "All models give the same risk here: every value has as many records as users, so "
    "the number of distinct values alone decides.",
    "read.roles": "Check this first: if the user is wrong, every number is. Each decision can be overruled.",
    "read.values": "For the attributes above, the most dangerous values with their records and users.",
    # --- sampling
    "sampling.agree": "Counting the users of only {samples} values of each attribute names the same most "
    "dangerous attribute, {what}. {coverage}",
    "sampling.open": "Counting the users of only {samples} values of each attribute leaves {count} "
    "candidates for the most dangerous attribute: {names}. {coverage}",
    "sampling.only": "By the sample of {samples} values, {what} is the most dangerous attribute. {coverage}",
    "sampling.wrong": "Counting the users of only {samples} values of each attribute would miss the most "
    "dangerous attribute, {what}. {coverage}",
    "sampling.needless": "No sample was needed: the number of distinct values alone decides the risk.",
    "sampling.took": "For all attributes together, sampling took {sampling} and read the users of {read} of "
    "{records} records",
    "sampling.took_alone": "For all attributes together, sampling took {sampling} and read the users of "
    "{read} records.",
    "sampling.pays": "{took}; counting all took {counting}, {factor} times as long.",
    "sampling.pays_not": "{took}; counting all took {counting}: here it did not pay.",
    "sampling.estimating": "{took}; estimating all took {estimating}.",
    "sampling.coverage": "In simulations on purchase histories a 90% interval of this kind held the exact "
    "risk in 89 to 100 of 100 samples of 10 values or more; where one or two values carry most of the risk "
    "it can miss far more often.",
    "sampling.paper": "The interval is the paper's mean and deviation, no confidence interval.",
    # --- method
    "method.exact": "All users of all values were counted.",
    "method.approximate": "The users of each value were estimated (HyperLogLog), mostly within 3%.",
    "method.sample": "Only the users of {samples} values of each attribute were counted.",
    "method.null": "A record without a user or without a value of the attribute is left out of that "
    "attribute's numbers; a missing value is never a value of its own.",
    "method.not": "Not assessed: attributes known together unless named as a composite, free text, knowledge "
    "from outside the source, and what an attacker would learn next. A low risk here is no legal opinion.",
    "method.columns": "Columns that were not assessed: {names}.",
    "method.identifiers": "Direct identifiers name people at once, whatever the numbers say; remove or "
    "replace them: {names}.",
    "method.values": "Apart from the values shown above, no value of a record is in this report.",
    "method.no_values": "No value of a record is in this report.",
    "method_line": "duckrisk {duckrisk}, DuckDB {duckdb}, seed {seed}, {method}",
    "digest_line": "{kind} {digest}",
    "digest.sha256": "SHA-256 of the content",
    "digest.parts": "SHA-256 of names, sizes and times of the parts",
    "digest.none": "not taken: the source has no bytes of its own",
    "axis.records": "records read",
    "axis.error": "error of the risk",
    "axis.risk": "risk",
    "axis.known": "known records",
    "axis.share": "share of records",
    "legend.exact": "exact risk",
    "legend.estimate": "risk by the sample",
    "legend.approximate": "estimated risk",
    "legend.minimum": "minimum-cost model",
    "legend.interval": "sampled interval",
    "legend.now": "as it is",
    "legend.then": "published more coarsely",
    "legend.below": "fewer than {k} users",
    "legend.alone": "one user alone",
    "legend.single": "a single value alone",
    "table": "table",
    "figure": "figure",
    "summary": "Summary",
    "kind": "Kind",
    "digest": "Digest",
    "size": "Size",
    "size_line": "{bytes} bytes in {files} file(s)",
    "encoding": "Encoding",
    "versions": "Run",
    "memory": "Memory limit",
    "threads": "Threads",
    "sign_passed": "✓ passed",
    "sign_failed": "✗ FAILED",
    "sign_warning": "Take care:",
    "footer": "Made by duckrisk. The page loads nothing and runs no script.",
    "missing_short": "Missing",
    "interval_short": "Sampled",
    "known_short": "{count} known",
    "read.below_short": "< {k} users: the share of records whose value fits fewer than {k} users.",
    "read.sampled_short": "Sampled: what {samples} values alone would say ({confidence} confidence).",
    "read.sampled_paper_short": "Sampled: the paper's interval from {samples} values.",
    # --- what a long run is doing: by template, by topic, anything else
    "doing": "measuring",
    "doing.source": "reading the source",
    "doing.roles": "finding out who is who",
    "doing.profile": "looking at each column",
    "doing.users": "counting the records of each user",
    "doing.distinct_values": "counting distinct values",
    "doing.determined_by": "looking for columns that tell others",
    "doing.attribute_risk": "counting the users of each value",
    "doing.attribute_risk_approximate": "estimating the users of each value",
    "doing.attribute_sample": "counting the users of sampled values",
    "doing.attribute_sample_paper": "counting the users of sampled values",
    "doing.known_records": "drawing attackers who know several records",
    "doing.single_values": "comparing what single values say",
    "doing.attribute_values": "finding the most dangerous values",
    "doing.pwscup": "measuring what is lost and who is found",
    "doing.recommendation": "comparing what is recommended",
    "junit": "found {found} in {where}",
    "more_in_table": "... and {count} more, in the table below.",
    "more_elsewhere": "... and {count} more in the JSON report",
    **identifiability.ENGLISH,
    **disclosure.ENGLISH,
}
#: One catalogue a language; a new one needs the same keys and the same placeholders.
CATALOGUES = {"en": ENGLISH}
LANGUAGE = "en"


def word(key: str) -> str:
    """A text of the catalogue that has no placeholder."""
    return CATALOGUES[LANGUAGE][key]


class Data(str):
    """Text from the source or from the person who ran duckrisk: shown, never interpreted."""

    __slots__ = ()

    def __html__(self) -> Markup:
        # <bdi>: a direction override in a name must not turn the words around it.
        return Markup("<bdi>{}</bdi>").format(_html_text(self))


def _html_text(text: str) -> Markup:
    """Escaped text; what no HTML can hold is shown as an escape, a CR survives as a reference."""
    shown = "".join(_escape_of(c) if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)
    return Markup(str(escape(shown)).replace("\r", "&#13;"))  # noqa: S704 (just escaped)


@dataclass(frozen=True)
class Sentence:
    """A sentence of the catalogue with its values; ``Data`` among them stays marked."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)

    def plain(self, show: Callable[[str], str] = str) -> str:
        """As plain text, with each piece of data shown by ``show``."""
        return word(self.key).format(**{name: _plain(value, show) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.plain()

    def __html__(self) -> Markup:
        template = escape(word(self.key))
        return template.format(**self.values)


def _plain(value: Any, show: Callable[[str], str]) -> str:
    if isinstance(value, (Sentence, Joined)):
        return value.plain(show)
    return show(value) if isinstance(value, Data) else str(value)


def say(key: str, /, **values: Any) -> Sentence:
    """A sentence of the catalogue."""
    return Sentence(key, values)


@dataclass(frozen=True)
class Joined:
    """Names or sentences in a row, such as a list of attributes."""

    names: tuple[Data | Sentence, ...]

    def plain(self, show: Callable[[str], str] = str) -> str:
        return ", ".join(_plain(name, show) for name in self.names)

    def __str__(self) -> str:
        return self.plain()

    def __html__(self) -> Markup:
        return Markup(", ").join(self.names)


def listed(names: Iterable[str], most: int = 8) -> Sentence | Joined:
    """Names of the source joined by commas; of many only the first ones."""
    every = [Data(name) for name in names]
    if len(every) <= most:
        return Joined(tuple(every))
    return say("list", names=Joined(tuple(every[:most])), more=number(len(every) - most))


# --- numbers -------------------------------------------------------------------------------------


def number(value: int | float | None) -> str:
    """A count with separators; a mean with one decimal."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def probability(value: float | None) -> str:
    """Three significant digits, never rounded up to certainty or down to nothing."""
    if value is None:
        return "-"
    if value in (0, 1):
        return str(int(value))
    if abs(value) < 1e-6:
        return "< 0.000001"
    if 0.9995 <= value < 1:
        return "> 0.999"
    return format(Decimal(f"{value:.2e}"), "f")


def share(value: float | None) -> str:
    """A share in percent: one decimal from 10% on, two significant digits below. What can be more than the
    whole, as a change, is whole from 1,000% on."""
    if value is None:
        return "-"
    if value < 0:
        return f"-{share(-value)}"
    if value in (0, 1):
        return f"{100 * value:.0f}%"
    percent = 100 * value
    if percent < 0.001:
        return "< 0.001%"
    if 99.9 < percent < 100:
        return "> 99.9%"
    if percent >= 999.5:
        return f"{percent:,.0f}%"
    return f"{percent:.1f}%" if percent >= 9.95 else f"{Decimal(f'{percent:.1e}'):f}%"


def duration(seconds: float) -> str:
    """A time in two significant digits, from 100 seconds on in whole seconds."""
    if seconds < 0.01:
        return word("duration.short")
    shown = f"{Decimal(f'{seconds:.1e}'):f}" if seconds < 99.5 else number(round(seconds))
    return word("duration").format(seconds=shown)


def chance(value: float) -> Sentence:
    """A probability in words: "a chance of 32 in 100", "a chance of 1 in 6,700"."""
    if value <= 0:
        return say("never")
    if value >= 1:
        return say("always")
    if value >= 0.095:
        return say("in_100", count=number(min(99, round(100 * value))))
    odds = 1 / value
    size = 10 ** max(0, len(str(int(odds))) - 2)
    return say("one_in", count=number(round(odds / size) * size))


def between(lower: float | None, upper: float | None, short: bool = False) -> str:
    """An interval of probabilities; one number where both ends read the same."""
    if lower is None or upper is None:
        return "-"
    ends = probability(lower), probability(upper)
    if ends[0] == ends[1]:
        return ends[0]
    return word("span" if short else "to").format(lower=ends[0], upper=ends[1])


# --- names of attributes -------------------------------------------------------------------------

_KNOWLEDGE = re.compile(
    r"(.+)\.(date|time|hour|week|month|year|prefix|band)(?:\((\d+(?:\.\d+)?)\))?", re.DOTALL
)


def knowledge(name: str, columns: Iterable[str]) -> Sentence:
    """What an attacker knows, in words: "the time of day in ..."; a column of that very name is itself."""
    known = set(columns)
    form = _KNOWLEDGE.fullmatch(name)
    if form is None or name in known or form[1] not in known:
        return say("knows", name=Data(name))
    values = {"name": Data(form[1])} | ({"count": form[3]} if form[3] else {})
    return _first_that_fits((f"knows.{form[2]}", "knows"), values, name)


def publication(name: str, columns: Iterable[str]) -> Sentence:
    """How a coarser attribute would be published, in words: "by the hour"."""
    form = _KNOWLEDGE.fullmatch(name)
    if form is None or form[1] not in set(columns):
        return say("by", name=Data(name))
    return _first_that_fits((f"by.{form[2]}", "by"), {"count": form[3]} if form[3] else {}, name)


def _first_that_fits(keys: tuple[str, str], values: dict[str, Any], name: str) -> Sentence:
    wanted = set(re.findall(r"{(\w+)}", CATALOGUES[LANGUAGE].get(keys[0], "{?}{name}{count}")))
    if keys[0] in CATALOGUES[LANGUAGE] and wanted <= set(values):
        return Sentence(keys[0], values)
    return say(keys[1], name=Data(name))


# --- safe to look at -----------------------------------------------------------------------------


def _escape_of(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    if character in known:
        return known[character]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def visible(text: str, encoding: str = "utf-8") -> str:
    """Text with everything that steers a screen (controls, direction marks, line breaks), and all that
    the encoding lacks, shown as escapes."""
    shown = "".join(_escape_of(c) if unicodedata.category(c) in _STEERING else c for c in text)
    if encoding.lower().replace("-", "") == "utf8":
        return shown
    try:
        return shown.encode(encoding, "backslashreplace").decode(encoding)
    except (LookupError, UnicodeError):
        return shown.encode("ascii", "backslashreplace").decode("ascii")


#: Private and unassigned characters are among them: nobody knows how wide they are drawn.
_STEERING = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
