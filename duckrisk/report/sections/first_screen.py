"""Make the first screen of an assessment: the verdict, its reasons, what would help, and the next commands.

The terminal renders the sizes of the screen, the largest first, until one fits.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import groupby

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.roles import typed_option
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.assessment.checklist import HIPAA_IDENTIFIERS
from duckrisk.decision.assessment.preview import Preview
from duckrisk.decision.assessment.questions import format_option, quote_names
from duckrisk.decision.assessment.results import Assessment, SourceColumn
from duckrisk.decision.assessment.verdict import (
    find_identifying_columns,
    list_known_attributes,
    list_open_code_columns,
    list_unmeasured_columns,
)
from duckrisk.measures.attribute.results import AttributeRisk, Coarser
from duckrisk.report.blocks import (
    Block,
    Column,
    Commands,
    Document,
    Heading,
    Items,
    Listing,
    Paragraph,
    number_column,
    paragraphs,
)
from duckrisk.report.knowledge import describe_publication
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.sections import notices
from duckrisk.report.sections import verdict as verdicts
from duckrisk.report.sections.advice_steps import DRAFT, RELEASE
from duckrisk.report.sections.attribute_risk import (
    describe_sampling,
    format_sampled_shares,
    group_known_records,
    list_column_names,
    select_best_forms,
)
from duckrisk.roles.word_lists import LEADING

#: Rows of attributes, coarser forms, reasons and requested parts of each size (a choice: each size is some
#: lines shorter than the one before; tests/report/test_first_screen.py holds them to 40 lines).
_LIMITS_BY_SIZE = {
    **{8: (5, 3, 4, 8), 7: (4, 3, 4, 6), 6: (4, 2, 3, 4), 5: (3, 1, 3, 3)},
    **{4: (3, 0, 2, 3), 3: (1, 0, 1, 2), 2: (0, 0, 1, 1), 1: (0, 0, 1, 0), 0: (0, 0, 1, 0)},
}
#: The sizes of a first screen, the largest first.
SIZES = tuple(_LIMITS_BY_SIZE)
_Command = tuple[tuple[str, ...], Sentence]
#: Share of people; a set that singles out fewer is not mentioned (a choice: 1 % is what a reader notices).
_MIN_SHARE = 0.01
#: Commands of the smallest screen (derived: the two ways to declare a column of codes come first).
_MIN_COMMANDS = 2
#: Columns that a printed command treats (a choice: more would fill the screen).
_MAX_DROPPED = 6
#: The groups of columns in the order of their listing.
_GROUPS = (
    *(
        "user_identifier",
        "user",
        "direct_identifier",
        "open_code",
        "free_text",
        "quasi_identifier",
        "sensitive",
        "insensitive",
    ),
    *("event_key", "count", "constant", "ignored"),
)
#: Names of a group of columns at each size; a group also says how many columns it has.
_NAMES_BY_SIZE = (1, 1, 1, 2, 3, 4, 6, 8)


def make_screen(result: Assessment, size: int, requested: Sequence[Text] = ()) -> Document:
    """Make the first screen of an assessment.

    Args:
        result: The assessment.
        size: One of `SIZES`.
        requested: Sentences on the parts that options ask for.
    """
    limits = verdicts.list_lines(result, confirmed=True)
    blocks = *_begin(result, size), _list_limits(limits, size), *_end(result, size, requested)
    return Document(verdicts.describe_source(result.source), blocks)


def make_preview(preview: Preview) -> Document:
    """Make the first lines of a screen, from what a sample of a large table decides."""
    blocks = (Paragraph(verdicts.write_preview(preview), "verdict"),)
    return Document(verdicts.describe_source(preview.source), blocks)


def make_head(result: Assessment, size: int) -> Document:
    """Make what the first screen of an assessment says of the verdict alone.

    Args:
        result: The assessment; nothing but its verdict has to be known.
        size: One of `SIZES`.
    """
    blocks = *_begin(result, size), _list_limits(verdicts.list_limits(result), size)
    return Document(verdicts.describe_source(result.source), blocks)


def make_rest(result: Assessment, size: int, requested: Sequence[Text] = ()) -> Document:
    """Make what the first screen of an assessment has below :func:`make_head`.

    Args:
        result: The assessment.
        size: One of `SIZES`.
        requested: Sentences on the parts that options ask for.
    """
    leak = _list_limits(verdicts.describe_leak(result, confirmed=True), size, with_limits=False)
    return Document("", (leak, *_end(result, size, requested)))


def _begin(result: Assessment, size: int) -> list[Block]:
    _, _, reasons, _ = _LIMITS_BY_SIZE[size]
    return [
        Paragraph(verdicts.write_headline(result), "verdict"),
        *paragraphs(notices.list_overruled(result), "warning"),
        *_list_reasons(result, reasons),
        *paragraphs([_describe_row(result)]),
        *paragraphs([verdicts.describe_attacker(result), verdicts.describe_earlier(result)]),
    ]


def _end(result: Assessment, size: int, requested: Sequence[Text]) -> list[Block]:
    attributes, forms, reasons, max_requested = _LIMITS_BY_SIZE[size]
    return [
        *_list_columns(result, size),
        *_list_risks(result, attributes, size),
        *_list_best_forms(result, forms),
        *_list_requested_parts(requested, max_requested),
        *(_list_rules(result) if size > 2 else ()),
        *_list_reservations(result, reasons),
        *suggest_commands(result, size),
    ]


def _list_reasons(result: Assessment, max_reasons: int) -> list[Block]:
    reasons = result.verdict.undecided_because
    return [Items((*reasons[:max_reasons], *_count_omitted(len(reasons) - max_reasons)))] if reasons else []


def _count_omitted(count: int) -> list[Text]:
    return [Sentence("screen.more", count=format_number(count))] if count > 0 else []


def _list_limits(lines: Sequence[verdicts.Line], size: int, *, with_limits: bool = True) -> Listing:
    return Listing.of(
        lines,
        lambda line: (
            Column("", min_width=1, cell=line.sign if line.limit else ""),
            Column("", min_width=10, cell=line.name),
            Column("", min_width=14, cell=_choose_figure(line, size)),
            *([number_column("verdict.limit", line.limit)] if with_limits else []),
        ),
        whole=True,
    )


def _choose_figure(line: verdicts.Line, size: int) -> Text:
    if size == 0:
        return line.brief or line.figure
    if line.remark is None or size <= 2:
        return line.figure
    return Sentence("verdict.with", figure=line.figure, remark=line.remark)


def _list_columns(result: Assessment, size: int) -> list[Block]:
    """List every column of the source by its role; roles without columns are omitted."""
    groups: dict[str, list[str]] = {role: [] for role in _GROUPS}
    unmeasured, identifying, codes = (
        list_unmeasured_columns(result),
        find_identifying_columns(result),
        list_open_code_columns(result),
    )
    for column in result.source.columns:
        group = _name_group(column, column.name in unmeasured)
        if group == "user" and column.name in identifying:
            group = "user_identifier"
        elif group == "direct_identifier" and column.name in codes:
            group = "open_code"
        groups[group].append(column.name)
    sentences = [
        Sentence(
            "screen.group" if size else "screen.group.counted",
            role=Sentence(f"screen.columns.{role}"),
            count=format_number(len(names)),
            **(
                {"names": quote_names(names, _NAMES_BY_SIZE[min(size, len(_NAMES_BY_SIZE) - 1)])}
                if size
                else {}
            ),
        )
        for role, names in groups.items()
        if names
    ]
    if not sentences:
        return []
    return [Paragraph(Sentence("screen.columns", groups=reduce(_join_sentences, sentences)))]


def _name_group(column: SourceColumn, is_unmeasured: bool) -> str:
    """Name the group of a column: its role as declared, else as detected.

    An attribute that was not measured is "ignored".
    """
    if column.role in ("attribute", "date_time"):
        return "ignored" if is_unmeasured else column.declared or "quasi_identifier"
    return column.declared or column.role


# --- risks and remedies ----------------------------------------------------------------------------


def _list_risks(result: Assessment, max_rows: int, size: int) -> list[Block]:
    keys, known = _find_event_keys(result), set(list_known_attributes(result))
    entries = [row for row in result.attribute_risk if row.risk is not None and row.attribute in known]
    if not entries:
        return []
    several = group_known_records(result)
    facts = max((step for entries in several.values() for step in entries), default=1)
    people = result.source.records - result.source.records_without_user
    estimated = result.settings.method == "sample"
    # The share of records with a value is shown only if some attribute has missing values.
    is_complete = all(_format_filled(row, people) == format_share(1.0) for row in entries)
    rare = Sentence("screen.rare", k=str(result.settings.k))

    def make_columns(row: AttributeRisk) -> tuple[Column, ...]:
        record = several.get(row.attribute, {}).get(facts)
        interval = format_sampled_shares(row.sampled) if estimated else "-"
        return (
            Column(Sentence("screen.gives_away"), min_width=22, cell=Data(row.attribute)),
            Column("", bar=True, cell=min(1.0, max(0.0, row.risk or 0.0))),
            number_column("screen.one_fact", format_share(row.risk)),
            number_column("attribute.interval", interval, short="attribute.interval_short"),
            number_column(
                Sentence("screen.facts", count=str(facts)),
                format_share(record.risk) if record else "-",
                priority=1,
            ),
            number_column(rare, format_share(row.share_below_k)),
            *(
                []
                if is_complete
                else [number_column("screen.filled", _format_filled(row, people), priority=2)]
            ),
        )

    tables = [Listing.of(entries, make_columns).drop_empty_columns().truncate(max_rows)] if max_rows else []
    texts = [
        *(describe_sampling(result) if estimated and size else ()),
        *_describe_known_sets(result, keys, size),
    ]
    return [*tables, *(Paragraph(text, "reading") for text in texts)]


def _format_filled(row: AttributeRisk, people: int) -> str:
    """Format the share of the records that have the attribute."""
    return format_share(min(1.0, row.records / people)) if row.records is not None and people else "-"


def _find_event_keys(result: Assessment) -> set[str]:
    """Find the keys of events, which an attacker hardly knows."""
    return {column.name for column in result.source.columns if column.role == "event_key"}


def _describe_known_sets(result: Assessment, keys: set[str], size: int) -> Iterable[Sentence]:
    """Describe the worst attribute sets, and the keys of events."""
    uniqueness = result.uniqueness
    sets = [row for row in uniqueness.facts if row.facts in (2, 4)] if uniqueness is not None else []
    for facts in [row for row in sets if row.worst.share >= _MIN_SHARE][: int(size > 2)]:
        names = join_texts(Sentence("roles.quoted", name=Data(name)) for name in facts.worst.attributes)
        key = "screen.worst_pair" if facts.facts == 2 else "screen.worst_set"
        yield Sentence(key, names=names, share=format_share(facts.worst.share))
    if keys and size > 2:
        yield Sentence("screen.event_keys", names=quote_names(sorted(keys)), count=str(len(keys)))


def _list_best_forms(result: Assessment, max_rows: int) -> list[Block]:
    """List the best coarser form of each attribute that an attacker plausibly knows.

    If the policy is kept, say so instead.
    """
    if result.verdict.is_kept:
        return [Paragraph(verdicts.describe_kept_limits(result.verdict), "headline")]
    if any(finding.name == "one_fact" and finding.met for finding in result.verdict.findings):
        return []  # coarser forms lower the risk by one fact, which keeps its limit
    names, known = list_column_names(result), set(list_known_attributes(result))
    forms = [pair for pair in select_best_forms(result) if pair[0].attribute in known]
    if not forms or not max_rows:
        return []
    table = Listing.of(
        forms,
        lambda pair: (
            Column(Sentence("screen.helps"), min_width=40, cell=_describe_form(pair[1], names)),
            number_column("screen.now_then", _format_fall(*pair)),
        ),
    ).truncate(max_rows)
    sets = result.identifiability
    first = forms[0][1].coarser
    missed = [row.singled_out for row in sets.coarser if row.coarser == first] if sets is not None else []
    texts = (
        [Sentence("screen.not_enough", singled_out=format_number(missed[0]))] if missed and missed[0] else []
    )
    return [table, *(Paragraph(text, "reading") for text in texts)]


def _describe_form(form: Coarser, names: list[str]) -> Sentence:
    published = describe_publication(form.coarser, names)
    return Sentence("screen.published", name=Data(form.attribute), published=published)


def _format_fall(now: AttributeRisk, form: Coarser) -> Sentence:
    return Sentence("screen.arrow", before=format_share(now.mean_risk), after=format_share(form.mean_risk))


def _list_requested_parts(texts: Sequence[Text], max_texts: int) -> list[Block]:
    if not texts:
        return []
    return [
        Heading(Sentence("screen.asked"), 3),
        Items((*texts[:max_texts], *_count_omitted(len(texts) - max_texts))),
    ]


# --- rules, reservations, commands -----------------------------------------------------------------


def _list_rules(result: Assessment) -> list[Block]:
    """Name the items of legal rules that the run speaks against.

    A count of the other items would read as approval.
    """
    rules = [
        Sentence(
            "screen.rule",
            framework=Sentence(f"screen.rule.{framework.key}"),
            items=join_texts(_name_item(result, item) for item in items),
        )
        for framework, entries in groupby(result.checklist, key=lambda item: item.framework)
        if (items := [entry.item for entry in entries if entry.status == "against"])
    ]
    return [Paragraph(Sentence("screen.rules", rules=reduce(_join_sentences, rules)))] if rules else []


def _name_item(result: Assessment, item: str) -> Text:
    """Name an item of a rule.

    HIPAA's list of identifiers has the numbers of those in the source.
    """
    identifiers = sorted({number for column in result.source.columns for number in column.listed})
    if item != HIPAA_IDENTIFIERS or not identifiers:
        return Data(item)
    numbers = join_texts(map(str, identifiers))
    return Sentence("screen.rule.listed", item=Data(item), numbers=numbers, count=str(len(identifiers)))


def _join_sentences(first: Sentence, second: Sentence) -> Sentence:
    return Sentence("screen.then", first=first, second=second)


def _list_reservations(result: Assessment, max_texts: int) -> list[Block]:
    reservations = [
        Sentence("screen.codes", user=text.values["user"]) if text.key == "policy.unsettled.codes" else text
        for text in result.verdict.reservations
        if text.key != "policy.unsettled.left_out" and not text.key.startswith("policy.earlier")
    ]
    texts = (
        *(Sentence("screen.mind", text=text) for text in reservations[:max_texts]),
        *_count_omitted(len(reservations) - max_texts),
        *_describe_undeclared_columns(result),
        *(note for note in result.source.notes if note.key == "source.timezone"),
        *filter(None, [verdicts.describe_not_looked_at(result)]),
        Sentence("screen.no_promise"),
    )
    return [Heading(Sentence("screen.before"), 3), Items(texts)]


def _describe_undeclared_columns(result: Assessment) -> list[Sentence]:
    """Say that an attacker is taken to know the columns without a declared role."""
    columns = [column for column in result.source.columns if column.role in ("attribute", "date_time")]
    if result.source.holdings.no_persons:
        return []
    if not any(column.declared for column in columns):
        return [Sentence("screen.all_known")]
    others = [column.name for column in columns if column.declared is None]
    return (
        [Sentence("screen.others_known", names=quote_names(others), count=format_number(len(others)))]
        if others
        else []
    )


def _describe_row(result: Assessment) -> Sentence:
    """Say what one row is taken for, and which other column could identify a person."""
    source = result.source
    sure = Sentence(f"roles.confidence.{source.user_confidence}")
    if source.counted is not None:
        return Sentence("screen.row.counted", column=Data(source.counted.column))
    if source.holdings.no_persons:
        return Sentence("screen.row.no_person")
    if source.holdings.like_counts is not None:
        column = source.holdings.like_counts.column
        return Sentence(
            "screen.row.like_counts", column=Data(column), option=format_option("--count", column)
        )
    if source.holdings.may_lack_persons:
        return Sentence("screen.row.may_lack_persons")
    if source.lost_user is not None:
        key = "screen.row.unlinked" if source.people_known else "screen.row.unlinked.unknown"
        return Sentence(key, user=Data(source.lost_user))
    if source.user is None:
        return Sentence(
            "screen.row.declined" if result.settings.user == "" else "screen.row", confidence=sure
        )
    several = source.most_records_of_a_user > 1
    key, named = f"screen.row.{'of_user' if several else 'user'}", {"user": Data(source.user)}
    if any(column.given for column in source.columns if column.name == source.user):
        return Sentence(f"{key}.given", **named)
    row = Sentence(key, confidence=sure, **named)
    codes = [
        column.name
        for column in source.columns
        if column.role == "direct_identifier" and column.kind in LEADING
    ]
    others = [name for name in codes if escape_unprintable(name) == name]
    if not several or source.user_confidence == "sure" or not others:
        return row
    option = shlex.join(typed_option("--user", others[0]))
    return Sentence("screen.row.another", row=row, other=Data(others[0]), option=option)


def _list_open_codes(result: Assessment) -> list[str]:
    """List the columns of codes that may lead back to people.

    Only an undecided verdict on a release to others depends on them.
    """
    if result.verdict.outcome != "undecided" or result.verdict.policy == "internal":
        return []
    return [name for name in list_open_code_columns(result) if escape_unprintable(name) == name]


def suggest_commands(result: Assessment, size: int) -> list[Block]:
    """Suggest the next commands, or what to add to a command that cannot be repeated."""
    typed = result.invocation
    heading = Heading(Sentence("screen.next"), 3)
    if typed is None:
        return [heading, Items((Sentence("screen.python"),))]
    if not typed.repeatable or any(
        escape_unprintable(word) != word for word in (*typed.assess, *typed.advise)
    ):
        return [heading, Items((Sentence("screen.add"),))]
    assess = ("duckrisk", "assess", *typed.assess)
    commands: list[_Command] = []
    verdict, codes = result.verdict, _list_open_codes(result)[:1]
    holdings = result.source.holdings
    if (like := holdings.like_counts) is not None and escape_unprintable(like.column) == like.column:
        count = ("duckrisk", "assess", *typed_option("--count", like.column), *typed.assess)
        commands.append((count, Sentence("screen.next.count")))
        commands += _suggest_tables(typed.source, like.column)
    elif holdings.may_lack_persons:
        no_persons = ("duckrisk", "assess", "--no-persons", *typed.assess)
        commands.append((no_persons, Sentence("screen.next.no_persons")))
    elif (counted := holdings.counted) is not None and escape_unprintable(counted.column) == counted.column:
        commands += _suggest_tables(typed.source, counted.column)
    # init and advise run in DuckDB only, and not on tables of counts or without persons.
    can_advise = result.environment.engine is None and holdings.counted is None and not holdings.no_persons
    if removal := _suggest_removal(result, typed.source):
        commands += removal
    elif verdict.outcome == "undecided" and result.settings.config is None and can_advise and not codes:
        commands.append((("duckrisk", "init", *typed.source), Sentence("screen.next.init")))
    for name in codes:
        for flag, key in (("--pseudonym", "new"), ("--identifier", "original")):
            commands.append(((*assess, *typed_option(flag, name)), Sentence(f"screen.next.{key}")))
    if not verdict.is_kept and can_advise and not holdings.is_doubtful:
        commands.append((("duckrisk", "advise", *typed.advise), Sentence("screen.next.advise")))
    if not codes:
        page = "screen.next.record" if verdict.is_kept else "screen.next.html"
        commands.append(((*assess, "-o", "report.html"), Sentence(page)))
    commands.append(((*assess, "--full"), Sentence("screen.next.full")))
    return [heading, Commands(tuple(commands if size else commands[:_MIN_COMMANDS]))]


def _suggest_tables(source: Sequence[str], column: str) -> list[_Command]:
    """Suggest the check of a table of counts, if the source is a file alone."""
    if len(source) != 1:
        return []
    words = ("duckrisk", "tables", *source, *typed_option("--count", column))
    return [(words, Sentence("screen.next.tables"))]


def _suggest_removal(result: Assessment, source: Sequence[str]) -> list[_Command]:
    """Suggest the command that removes the direct identifiers.

    Suggest none unless the verdict fails, and few columns identify.
    """
    identifying, user = find_identifying_columns(result), result.source.user
    dropped = [name for name, certain in identifying.items() if certain and name != user]
    renamed = [user] if user is not None and user in identifying else []
    names = (*dropped, *renamed)
    if (
        result.verdict.outcome != "fail"
        or not 0 < len(names) <= _MAX_DROPPED
        or any(escape_unprintable(name) != name for name in names)
    ):
        return []
    options = [
        *(word for name in dropped for word in typed_option("--drop", name)),
        *(word for name in renamed for word in typed_option("--pseudonymize", name)),
    ]
    others = sum(finding.name != "identifying_columns" for finding in result.verdict.exceeded)
    command = ("duckrisk", "anonymize", *source, "-o", DRAFT if others else RELEASE, *options)
    key = "rename" if not dropped else "drop_and_rename" if renamed else "drop"
    purpose = Sentence(f"screen.next.{key}")
    if others:
        purpose = Sentence("screen.next.then", step=purpose, limits=format_number(others))
    return [(command, purpose)]
