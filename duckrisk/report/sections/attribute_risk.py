"""Make the sections on attribute risk: one known value, several records, coarser knowledge, the models."""

from __future__ import annotations

from collections.abc import Container, Iterable

from duckrisk.base.numbers import (
    format_duration,
    format_interval,
    format_number,
    format_probability,
    format_share,
)
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.decision.assessment.results import Assessment
from duckrisk.measures.attribute.results import AttributeRisk, Coarser, KnownRecords, Sampled
from duckrisk.report.blocks import (
    Block,
    Column,
    Figure,
    Heading,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import MIN_SHOWN, Arrow, has_visible_bar
from duckrisk.report.knowledge import describe_knowledge, describe_publication
from duckrisk.report.sections import attribute_figures as figures
from duckrisk.report.words import Words

_SAMPLING = ("attribute_sample", "attribute_sample_paper")
_ESTIMATING = ("attribute_risk_approximate",)
_COUNTING = ("attribute_risk",)
_RISK_SQL = (*_COUNTING, *_ESTIMATING)
#: The statements behind the risks of attributes.
RISKS_SQL = (*_RISK_SQL, *_SAMPLING)
#: Seconds of counting by seconds of sampling; below it sampling does not pay (a choice: a tenth is noise).
_MIN_SPEEDUP = 1.1
#: Rows of model errors on a terminal (a choice: three models of the three most dangerous attributes).
_TERMINAL_ROWS = 9
#: Attributes whose values are listed (a choice: the JSON report has all of them).
_MAX_DETAILED = 10


def make_blocks(result: Assessment) -> list[Block]:
    """Make the sections on attribute risk; none if it was not measured."""
    if not result.attribute_risk:
        return []
    return [
        heading("attribute.risk"),
        _plot_risks(result),
        *paragraphs(_explain_risk(result), "reading"),
        *_list_unlikely(result),
        *_plot_rare_values(result),
        *_plot_known_records(result),
        *_plot_coarser_forms(result),
        *_plot_models(result),
        *_make_sampling_blocks(result),
    ]


def list_column_names(result: Assessment) -> list[str]:
    """List the names of the source's columns."""
    return [entry.name for entry in result.source.columns]


# --- one known value -----------------------------------------------------------------------------


def _plot_risks(result: Assessment) -> Block:
    """Plot the risk of each attribute; list it if no bar would be visible."""
    entries = [entry for entry in result.attribute_risk if entry.risk is not None and entry.plausible]
    if not has_visible_bar(figures.make_risk_rungs(entries, has_samples(result))):
        return rank_attributes(result)

    def draw(words: Words) -> Drawing:
        return figures.draw_risks(words, entries, has_samples(result), result.settings.method)

    return Figure("", draw, rank_attributes(result), tuple(_explain_figure(result)))


def rank_attributes(result: Assessment) -> Listing:
    """List the attributes with their risks, the most dangerous first."""
    entries = [entry for entry in result.attribute_risk if entry.plausible] or result.attribute_risk
    sampled = has_samples(result)
    k = str(result.settings.k)
    ranks = tuple(entry.risk for entry in entries)
    return Listing.of(
        entries,
        lambda entry: (
            Column(Sentence("attribute.name"), min_width=24, cell=Data(entry.attribute)),
            number_column(
                "attribute.distinct_values",
                format_number(entry.distinct_values),
                short="attribute.values_short",
            ),
            number_column("attribute.mean_risk", format_probability(entry.risk)),
            Column("", bar=True, cell=min(1.0, max(0.0, entry.risk or 0.0))),
            number_column(
                "attribute.interval",
                _format_sampled_interval(entry.sampled) if sampled else "-",
                short="attribute.interval_short",
                priority=1,
            ),
            number_column(Sentence("attribute.rare_short", k=k), format_share(entry.share_below_k)),
            Column(
                Sentence("attribute.minimum_cost_risk"),
                True,
                wide=True,
                cell=format_probability(entry.minimum_cost_risk),
            ),
            Column(
                Sentence("attribute.max_value_risk"),
                True,
                wide=True,
                cell=format_probability(entry.max_value_risk),
            ),
            Column(Sentence("attribute.records"), True, wide=True, cell=format_number(entry.records)),
            Column(
                Sentence("attribute.records_per_user"),
                True,
                wide=True,
                cell=format_number(entry.mean_records_per_user),
            ),
        ),
        ranks=ranks,
        sql=RISKS_SQL,
    ).drop_empty_columns()


def _list_unlikely(result: Assessment) -> list[Block]:
    """List the attributes that an attacker hardly knows.

    These are numbers of events, households and surveys.
    """
    entries = [entry for entry in result.attribute_risk if not entry.plausible]
    reading = Paragraph(Sentence("attribute.read.unlikely"), "reading")
    has_plausible = len(entries) < len(result.attribute_risk)
    table = Listing.of(
        entries,
        lambda row: (
            text_column("attribute.name", Data(row.attribute)),
            number_column(
                "attribute.distinct_values",
                format_number(row.distinct_values),
                short="attribute.values_short",
            ),
            number_column("attribute.mean_risk", format_probability(row.risk)),
        ),
        sql=RISKS_SQL,
    )
    return [heading("attribute.unlikely", 3), table, reading] if entries and has_plausible else []


def format_sampled_shares(sampled: Sampled | None) -> Text:
    """Format the interval of a risk that was estimated from a sample, as shares."""
    if sampled is None or sampled.lower is None or sampled.upper is None:
        return "-"
    return Sentence("span", lower=format_share(sampled.lower), upper=format_share(sampled.upper))


def _format_sampled_interval(sampled: Sampled | None) -> Text:
    return format_interval(sampled.lower, sampled.upper, short=True) if sampled is not None else "-"


def has_samples(result: Assessment) -> bool:
    """Check whether any value was drawn.

    Otherwise the sampled figures repeat the exact ones.
    """
    return any(entry.sampled is not None and entry.sampled.sampled_values for entry in result.attribute_risk)


def _explain_risk(result: Assessment) -> list[Sentence]:
    """Explain how to read a risk and the columns next to it."""
    by_record = result.source.user is None and not result.source.people_known
    texts = [Sentence("attribute.read.risk_alone" if by_record else "attribute.read.risk")]
    if result.settings.method == "approximate":
        texts.append(Sentence("attribute.read.approximate"))
    if has_samples(result):
        texts.append(_explain_interval(result, "sampled"))
    if any(entry.share_below_k is not None for entry in result.attribute_risk):
        texts.append(Sentence("attribute.read.rare", k=str(result.settings.k)))
    return texts


def _explain_interval(result: Assessment, kind: str) -> Sentence:
    settings = result.settings
    key = f"attribute.read.{kind}_paper" if settings.interval == "paper" else f"attribute.read.{kind}"
    return Sentence(key, samples=format_number(settings.samples), confidence=_format_confidence(result))


def _format_confidence(result: Assessment) -> str:
    return f"{100 * result.settings.confidence:.0f}%"


def _explain_figure(result: Assessment) -> list[Text]:
    texts: list[Text] = [Sentence("attribute.read.ladder")]
    if has_samples(result):
        texts.append(_explain_interval(result, "whisker"))
    return texts


def _plot_rare_values(result: Assessment) -> list[Block]:
    """Plot the share of records whose value few users have."""
    entries = [entry for entry in result.attribute_risk if entry.share_below_k is not None]
    k = str(result.settings.k)
    if not entries:
        return []
    if not any(entry.share_below_k for entry in entries):
        return [Paragraph(Sentence("attribute.read.none_rare", k=k))]
    table = Listing.of(
        entries,
        lambda entry: (
            text_column("attribute.name", Data(entry.attribute)),
            number_column(Sentence("attribute.rare", k=k), format_share(entry.share_below_k)),
            number_column("attribute.rare_records", format_number(entry.records_below_k)),
            number_column("attribute.share_singled_out", format_share(entry.share_singled_out)),
            number_column("attribute.singled_out_records", format_number(entry.singled_out_records)),
            number_column("attribute.singled_out_values", format_number(entry.singled_out_values)),
        ),
        sql=_RISK_SQL,
    )

    def draw(words: Words) -> Drawing:
        return figures.draw_rare_values(words, entries, k)

    reading = (Sentence("attribute.read.rare_bar", k=k),)
    figure = Figure(Sentence("attribute.rare_title"), draw, table, reading, only_drawn=True)
    return [figure] if has_visible_bar(figures.make_rare_rungs(entries)) else []


# --- several known records -----------------------------------------------------------------------


def group_known_records(result: Assessment) -> dict[str, dict[int, KnownRecords]]:
    """Group the risks of known records by attribute and number of records.

    Returns:
        The risks; empty if no user has more than one record, since nobody can know several then.
    """
    several: dict[str, dict[int, KnownRecords]] = {}
    if result.source.most_records_of_a_user > 1:
        for entry in result.known_records:
            if entry.risk is not None:
                several.setdefault(entry.attribute, {})[entry.known_records] = entry
    return several


def _plot_known_records(result: Assessment) -> list[Block]:
    several = group_known_records(result)
    steps = sorted({step for entries in several.values() for step in entries})
    if not several:
        return []
    table = Listing.of(
        several.items(),
        lambda row: (
            Column(Sentence("attribute.name"), min_width=24, cell=Data(row[0])),
            *(
                number_column(
                    Sentence("attribute.known_by", count=str(step)),
                    _format_known(row[1].get(step)),
                    priority=int(step not in (1, 2, steps[-1])),
                )
                for step in steps
            ),
        ),
        sql=("known_records",),
    )
    reading = [Sentence("attribute.read.known")]
    if result.settings.method == "exact":
        reading.append(Sentence("attribute.read.known_exact"))
    parts: list[Block] = [heading("attribute.known")]
    panels = {name: list(entries.values()) for name, entries in several.items() if len(entries) > 1}
    if panels:
        draws = format_number(result.settings.draws)
        lines = Sentence("attribute.read.known_lines", confidence=_format_confidence(result), draws=draws)
        parts.append(Figure("", lambda words: figures.draw_known_records(words, panels), table, (lines,)))
    else:
        parts.append(table)
    return [*parts, *paragraphs(reading, "reading")]


def _format_known(entry: KnownRecords | None) -> Text:
    if entry is None:
        return "-"
    return Sentence(
        "attribute.risk_and_unicity", risk=format_probability(entry.risk), unicity=format_share(entry.unicity)
    )


# --- coarser knowledge ---------------------------------------------------------------------------


def _pair_coarser_forms(result: Assessment) -> list[tuple[AttributeRisk, Coarser]]:
    """Pair each coarser form that has a risk with its attribute."""
    now = {entry.attribute: entry for entry in result.attribute_risk if entry.mean_risk is not None}
    return [
        (now[entry.attribute], entry)
        for entry in result.coarser_knowledge
        if entry.mean_risk is not None and entry.attribute in now
    ]


def describe_best_form(result: Assessment) -> Sentence | None:
    """Say how far a coarser form lowers the highest risk that one can halve."""
    forms = select_best_forms(result)
    if not forms:
        return None
    (now, best), names = forms[0], list_column_names(result)
    return Sentence(
        "attribute.helps",
        what=describe_knowledge(now.attribute, names),
        coarser=describe_publication(best.coarser, names),
        before=format_share(now.mean_risk),
        after=format_share(best.mean_risk),
    )


def select_best_forms(result: Assessment) -> list[tuple[AttributeRisk, Coarser]]:
    """Select the best coarser form of each attribute, if it at least halves the risk.

    Returns:
        The attributes with their forms, the most dangerous attribute first.
    """
    best: dict[str, tuple[AttributeRisk, Coarser]] = {}
    for now, form in _pair_coarser_forms(result):
        risk = best[now.attribute][1].mean_risk if now.attribute in best else now.mean_risk
        if (form.mean_risk or 0.0) < (risk or 0.0):
            best[now.attribute] = now, form
    halved = [
        (now, form) for now, form in best.values() if 2 * (form.mean_risk or 0.0) <= (now.mean_risk or 0.0)
    ]
    return sorted(halved, key=lambda pair: -(pair[0].mean_risk or 0.0))


def _plot_coarser_forms(result: Assessment) -> list[Block]:
    changes = _pair_coarser_forms(result)
    if not changes:
        return []
    names = list_column_names(result)
    table = Listing.of(changes, lambda pair: _compare_form(*pair, names), sql=_RISK_SQL)
    if all((now.mean_risk or 0.0) < MIN_SHOWN for now, _ in changes):
        return [heading("attribute.coarser"), table]
    arrows = [_make_arrow(now, form, names) for now, form in changes]
    helps, reading = describe_best_form(result), (Sentence("attribute.read.coarser"),)
    figure = Figure("", lambda words: figures.draw_coarser_forms(words, arrows, helps), table, reading)
    return [heading("attribute.coarser"), figure]


def _make_arrow(now: AttributeRisk, form: Coarser, names: list[str]) -> Arrow:
    published = describe_publication(form.coarser, names)
    before, after = now.mean_risk or 0.0, form.mean_risk or 0.0
    return Arrow(
        Sentence("screen.published", name=Data(form.attribute), published=published),
        before,
        after,
        f"{format_probability(before)} → {format_probability(after)}",
    )


def _compare_form(now: AttributeRisk, form: Coarser, names: list[str]) -> tuple[Column, ...]:
    """Make the columns that compare an attribute with one of its coarser forms."""
    values = format_number(form.distinct_values)
    return (
        Column(Sentence("attribute.name"), min_width=24, cell=Data(form.attribute)),
        Column(Sentence("attribute.published"), min_width=16, cell=describe_publication(form.coarser, names)),
        _short_column("risk_before", format_probability(now.mean_risk)),
        _short_column("risk_after", format_probability(form.mean_risk)),
        _short_column("rare_before", format_share(now.share_below_k), priority=1),
        _short_column("rare_after", format_share(form.share_below_k), priority=1),
        number_column("attribute.distinct_values", values, short="attribute.values_short", priority=2),
    )


def _short_column(key: str, cell: Text, priority: int = 0) -> Column:
    return number_column(f"attribute.{key}", cell, short=f"attribute.{key}.short", priority=priority)


# --- the models ----------------------------------------------------------------------------------


def has_exact_models(result: Assessment) -> bool:
    """Check whether all models give the exact risk of all attributes."""
    return bool(result.model_errors) and all(row.error == 0 for row in result.model_errors)


def _plot_models(result: Assessment) -> list[Block]:
    if not result.model_errors:
        return []
    if has_exact_models(result):
        return [heading("attribute.models"), Paragraph(Sentence("attribute.read.models_agree"))]
    single = result.single_values
    rows = [
        (
            Data(row.attribute),
            Sentence(f"attribute.model.{row.model}"),
            format_number(row.cost),
            format_probability(row.risk),
            format_probability(row.error),
        )
        for row in result.model_errors
    ]
    brief, measured = _TERMINAL_ROWS, [row.attribute for row in result.model_errors]
    if single is not None and single.attribute in measured:
        after = measured.index(single.attribute) + measured.count(single.attribute)
        name, cost = Sentence("attribute.model.centroid"), format_number(single.mean_cost)
        brief = max(_TERMINAL_ROWS, after + 1)
        rows.insert(after, (Data(single.attribute), name, cost, "-", format_probability(single.mean_error)))
    keys = ("cost", "mean_risk", "error")
    table = Listing(
        (
            text_column("attribute.name"),
            text_column("attribute.model"),
            *(number_column(f"attribute.{key}") for key in keys),
        ),
        tuple(rows),
        terminal_rows=brief,
        sql=("model_errors", "single_values", "sampling_centroid"),
    )
    models = [row for row in result.model_errors if single is not None and row.attribute == single.attribute]
    if single is None or not models:
        return [
            heading("attribute.models"),
            table,
            Paragraph(Sentence("attribute.read.models_short"), "reading"),
        ]
    knowledge = describe_knowledge(single.attribute, list_column_names(result))
    reading = [Sentence("attribute.read.models", what=knowledge)]
    if len(single.points) < single.distinct_values:
        shown, values = format_number(len(single.points)), format_number(single.distinct_values)
        reading.append(Sentence("attribute.read.models_some", shown=shown, values=values))
    figure = Figure("", lambda words: figures.draw_models(words, models, single), table, tuple(reading))
    return [heading("attribute.models"), figure]


def _make_sampling_blocks(result: Assessment) -> list[Block]:
    sentences = describe_sampling(result)
    shown = sentences and not has_exact_models(result)
    return [heading("attribute.sampling"), *paragraphs(sentences)] if shown else []


def describe_sampling(result: Assessment) -> list[Sentence]:
    """Say whether a sample finds the most dangerous attribute, and its cost."""
    sentences = (_judge_sampling(result), _describe_sampling_cost(result))
    return [sentence for sentence in sentences if sentence is not None] if sentences[0] else []


def _judge_sampling(result: Assessment) -> Sentence | None:
    entries = [entry for entry in result.attribute_risk if entry.sampled is not None]
    if not entries:
        return None
    if not has_samples(result):
        return Sentence("attribute.sampling.needless")
    top = result.attribute_risk[0]
    samples = format_number(result.settings.samples)
    knowledge = describe_knowledge(top.attribute, list_column_names(result))
    paper = result.settings.interval == "paper"
    coverage = Sentence("attribute.sampling.paper" if paper else "attribute.sampling.coverage")
    likely = [entry for entry in entries if entry.sampled is not None and entry.sampled.most_dangerous]
    if len(likely) > 1:
        names = list_names(entry.attribute for entry in likely)
        count = format_number(len(likely))
        return Sentence(
            "attribute.sampling.open", samples=samples, count=count, names=names, coverage=coverage
        )
    key = "wrong"
    if likely and likely[0] is top:
        key = "only" if result.settings.method == "sample" else "agree"
    return Sentence(f"attribute.sampling.{key}", samples=samples, what=knowledge, coverage=coverage)


def _describe_sampling_cost(result: Assessment) -> Sentence | None:
    """Compare the time and the records of sampling with those of counting."""
    entries = {e.attribute: e for e in result.attribute_risk if e.sampled is not None}
    sampling, counting, estimating = (
        _sum_seconds(result, names, entries) for names in (_SAMPLING, _COUNTING, _ESTIMATING)
    )
    if sampling is None:
        return None
    read = format_number(sum(e.sampled.records_read or 0 for e in entries.values() if e.sampled is not None))
    if counting is None and estimating is None:
        return Sentence("attribute.sampling.took_alone", sampling=format_duration(sampling), read=read)
    records = format_number(sum(e.records or 0 for e in entries.values()))
    took = Sentence("attribute.sampling.took", sampling=format_duration(sampling), read=read, records=records)
    if counting is None:
        return Sentence(
            "attribute.sampling.estimating", took=took, estimating=format_duration(estimating or 0.0)
        )
    factor = counting / max(sampling, 1e-9)
    if factor < _MIN_SPEEDUP:
        return Sentence("attribute.sampling.pays_not", took=took, counting=format_duration(counting))
    times = f"{factor:.1f}" if factor < 9.95 else format_number(round(factor))
    return Sentence("attribute.sampling.pays", took=took, counting=format_duration(counting), factor=times)


def _sum_seconds(result: Assessment, names: Iterable[str], attributes: Container[str]) -> float | None:
    """Sum the seconds of the named statements on attributes; None if none ran.

    An attribute counts once, even if it is also the coarser form of another one.
    """
    seconds: dict[str, float] = {}
    for statement in result.statements:
        attribute = statement.attribute
        if statement.name in names and attribute is not None and attribute in attributes:
            seconds.setdefault(attribute, statement.seconds)
    return sum(seconds.values()) if seconds else None


# --- values of records ---------------------------------------------------------------------------


def list_values(result: Assessment) -> list[Block]:
    """List the most dangerous values of attributes, if the settings ask for it."""
    detailed = [entry for entry in result.attribute_risk if entry.values]
    if not detailed or not result.settings.show_values:
        return []
    parts: list[Block] = [
        heading("attribute.values"),
        Paragraph(Sentence("assess.with_values"), "warning"),
        Paragraph(Sentence("attribute.read.values"), "reading"),
    ]
    for entry in detailed[:_MAX_DETAILED]:
        knowledge = describe_knowledge(entry.attribute, list_column_names(result))
        ranks = tuple((value.users, value.records) for value in entry.values or ())
        sql = ("attribute_values",)
        parts += [
            Heading(knowledge, 3),
            Listing.of(
                entry.values or (),
                lambda value: (
                    text_column("attribute.value", Data(value.value)),
                    number_column("attribute.value_records", format_number(value.records)),
                    number_column("attribute.value_users", format_number(value.users)),
                    number_column(
                        "attribute.records_per_user", format_number(value.records_per_user), priority=1
                    ),
                    number_column("attribute.probability", format_probability(value.probability), priority=1),
                    number_column(
                        "attribute.risk_of_value", format_probability(value.identification_given_value)
                    ),
                    number_column("attribute.part_of_risk", format_probability(value.identification)),
                ),
                ranks=ranks,
                listed=entry.values_listed,
                sql=sql,
            ),
        ]
    return parts
