"""What is told of releases beside their original: the risk that is left, and what was lost for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from duckrisk.base.numbers import (
    format_currency,
    format_decimals,
    format_money,
    format_number,
    format_probability,
    format_ratio,
    format_share,
)
from duckrisk.base.sentences import Amount, Data, Sentence, Text, join_texts, list_names
from duckrisk.decision.policy import name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.advice.results import PeopleLine
from duckrisk.release.comparison.results import ComparedTable, Comparison, Utility
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Fact,
    Facts,
    Figure,
    Heading,
    Items,
    Listing,
    Paragraph,
    column,
    head,
    numbers,
    paragraphs,
)
from duckrisk.report.charts import Axis, Drawing, Point, round_up, scatter
from duckrisk.report.words import Words

#: So many releases stand side by side with the original.
BESIDE = 3
#: So many cross tables of a release are listed, those that changed most.
MOST_PAIRS = 10
#: Of the statements behind the table of all figures, those behind its groups that matter most.
_FIGURES_SQL = ("facts_together", "equivalence_classes", "release_distance")
_Tables = Sequence[ComparedTable]
_Figure = tuple[Text, Callable[[ComparedTable], Text | None]]


def document(result: Comparison) -> Document:
    """Each release in a sentence, all figures side by side, then attribute by attribute."""
    original, releases = result.original, result.releases
    title = Sentence("compare.title", original=Data(original.name), count=format_number(len(releases)))
    if len(releases) == 1:
        title = Sentence("compare.title_of_one", original=Data(original.name), release=Data(releases[0].name))
    groups = list(_groups(result))
    blocks: list[Block] = [
        *paragraphs((_people(original, release) for release in releases), "verdict"),
        *paragraphs(why for release in releases for why in _undecided(release)),
        *paragraphs((_headline(original, r) for r in releases if _says(original, r)), "headline"),
        *_facts(original, releases),
        *paragraphs((problem for release in releases for problem in _problems(original, release)), "warning"),
        *paragraphs(result.notes, "warning"),
        head("compare.figures"),
        *(_figures(result, tables) for tables in groups),
        *_plot(result),
    ]
    if original.risk is not None:
        blocks += [head("compare.risks"), *(_risks(result, tables) for tables in groups)]
    blocks += _each(releases, "compare.losses", _losses) + _each(releases, "compare.pairs", _pairs)
    blocks += [head("compare.reading"), Items(tuple(_reading(result)))]
    seed, made_by = str(result.settings.seed), result.environment
    versions = Sentence("compare.versions", duckrisk=made_by.duckrisk, duckdb=made_by.duckdb, seed=seed)
    return Document(title, (*blocks, Paragraph(versions)))


def _groups(result: Comparison) -> Iterator[_Tables]:
    """The tables that stand side by side: the original with a few releases at a time."""
    for start in range(0, len(result.releases), BESIDE):
        yield (result.original, *result.releases[start : start + BESIDE])


def _heads(result: Comparison, tables: _Tables) -> list[Column]:
    """A column for each table, by its name without the ending that all have."""
    endings = {os.path.splitext(table.name)[1] for table in result.tables}
    ending = endings.pop() if len(endings) == 1 else ""
    return [Column(Data(table.name.removesuffix(ending) or table.name), True) for table in tables]


# --- in sentences --------------------------------------------------------------------------------


def _people(original: ComparedTable, release: ComparedTable) -> Sentence | None:
    """Who is singled out, the smallest class, and the policy, before and after."""
    before, after = original.people, release.people
    if before is None or after is None:
        return None
    return Sentence(
        "compare.people",
        release=Data(release.name),
        policy=name_policy(after.verdict.policy, after.verdict.limits_from),
        before=format_number(before.singled_out),
        of=format_number(before.people),
        after=format_number(after.singled_out),
        people=format_number(after.people),
        singled_out=_change(before.singled_out_share, after.singled_out_share, lower=True),
        k_before=format_number(before.smallest_class),
        k=format_number(after.smallest_class),
        classes=_change(before.smallest_class, after.smallest_class, lower=False),
        outcome=_limits(after),
    )


def _undecided(release: ComparedTable) -> list[Sentence]:
    """What has to be settled before a verdict on a release can be a pass."""
    because = release.people.verdict.undecided_because if release.people is not None else ()
    return [Sentence("compare.undecided", release=Data(release.name), because=reason) for reason in because]


def _limits(people: PeopleLine) -> Sentence:
    """What the policy says to a table."""
    verdict = people.verdict
    if verdict.exceeded:
        return Sentence("compare.limits", count=format_number(len(verdict.exceeded)))
    if verdict.kept:
        return Sentence("compare.limits_kept")
    return Sentence("compare.limits_open")


def _change(before: float, after: float, *, lower: bool) -> Sentence:
    """Better or worse, by word and arrow; ``lower`` says which of them less is."""
    if before == after:
        return Sentence("compare.same")
    arrow = "↓" if after < before else "↑"
    return Sentence("compare.better" if (after < before) == lower else "compare.worse", arrow=arrow)


def _marked(original: ComparedTable, key: str, write: Callable[[float | None], str], lower: bool) -> _Figure:
    """A figure of the risk for people, marked in releases by whether it is better."""

    def cell(table: ComparedTable) -> Text | None:
        now, before = _of(table, "people", key), _of(original, "people", key)
        if now is None or before is None or table.original:
            return None if now is None else write(now)
        return Sentence("compare.marked", figure=write(now), change=_change(before, now, lower=lower))

    return Sentence(f"compare.people_{key}"), cell


def _says(original: ComparedTable, release: ComparedTable) -> bool:
    """Whether a release has a headline: what it takes may not have been measured."""
    return release.detail is not None or None not in (_value(original), _value(release))


def _headline(original: ComparedTable, release: ComparedTable) -> Sentence:
    """A release in one sentence: the damages of a leak, and what is left."""
    left = Sentence("compare.left_unknown")
    if release.detail is not None:
        summary = summarize_detail(release.detail, release.records, original.records)
        left = Sentence("compare.left", left=summary)
    damages = _damages(original, release)
    return Sentence("compare.headline", release=Data(release.name), damages=damages, left=left)


def _damages(original: ComparedTable, release: ComparedTable) -> Sentence:
    before, after = _value(original), _value(release)
    if before is None or after is None:
        return Sentence("compare.damages_unknown")
    values = {"before": _money(original, before, original), "after": _money(original, after, release)}
    if after == before:
        return Sentence("compare.damages_stay", before=values["before"])
    part = format_ratio(abs(after - before) / before) if before else "-"
    return Sentence("compare.damages_fall" if after < before else "compare.damages_rise", part=part, **values)


def _value(table: ComparedTable) -> float | None:
    """Return what a leak of a table is worth, if enough of its columns have a level."""
    worth = table.identifiability
    return worth.total_value if worth is not None and worth.has_leak else None


def _jo_value(table: ComparedTable) -> float | None:
    worth = table.identifiability
    return worth.jo_total_value if worth is not None and worth.has_leak else None


def _money(original: ComparedTable, value: float, table: ComparedTable) -> Sentence:
    """Say what a leak of a table is worth, in the currency of the original."""
    assert original.identifiability is not None
    amount = format_money(value, original.identifiability.currency, short=True)
    least = table.identifiability is not None and table.identifiability.is_least
    return Sentence("compare.damages_least", value=amount) if least else amount


def _currency(original: ComparedTable) -> Text:
    return format_currency(original.identifiability.currency) if original.identifiability is not None else ""


def _facts(original: ComparedTable, releases: _Tables) -> list[Block]:
    """What to see first where there is one release."""
    if len(releases) > 1:
        return []
    release = releases[0]
    facts = [Fact(Sentence("compare.records"), format_number(release.records))]
    before, after = original.identifiability, release.identifiability
    if before is not None and after is not None:
        was = Sentence("compare.before", before=format_number(before.singled_out))
        facts.append(Fact(Sentence("compare.singled_out"), format_number(after.singled_out), was))
        worth, left = _value(original), _value(release)
        if worth is not None and left is not None:
            was = Sentence("compare.before", before=_money(original, worth, original))
            facts.append(Fact(Sentence("compare.damages_fact"), _money(original, left, release), was))
    if release.detail is not None:
        facts.append(Fact(Sentence("compare.detail_left"), format_share(release.detail.detail_left)))
    return [Facts(tuple(facts))]


def _problems(original: ComparedTable, release: ComparedTable) -> list[Sentence]:
    """What makes figures invalid, or kept them from being computed."""
    name, information, texts = Data(release.name), release.information, []
    if release.records > original.records:
        texts.append(
            Sentence("compare.more", release=name, records=format_number(release.records - original.records))
        )
    if release.records < original.records:
        texts.append(
            Sentence("compare.fewer", release=name, records=format_number(original.records - release.records))
        )
    tables = release.utility.cross_tables if release.utility is not None else ()
    if left_out := sum(table.total_variation is None for table in tables):
        texts.append(Sentence("compare.tables_too_much", release=name, count=format_number(left_out)))
    if information is None:
        for entry in release.utility.attributes if release.utility is not None else ():
            if entry.cells.false_cells:
                values = {"attribute": Data(entry.attribute), "count": format_number(entry.cells.false_cells)}
                texts.append(Sentence("compare.false_left", release=name, **values))
        return texts
    for attribute, cells in information.false_cells.items():
        values = {"attribute": Data(attribute), "count": format_number(cells)}
        layout = Data(information.false_forms[attribute])
        texts.append(Sentence("compare.false_cells", release=name, layout=layout, **values))
    if information.valid is False:
        texts.append(
            Sentence("compare.uncovered", release=name, count=format_number(information.uncovered_records))
        )
    if not information.exact:
        texts.append(Sentence(f"compare.{information.reason}", release=name))
    return texts


def _reading(result: Comparison) -> Iterator[Sentence]:
    """How the figures are to be read, and which of them assume something."""
    settings, tables = result.settings, result.tables
    if "information" in settings.only:
        yield Sentence("compare.read.information")
        yield Sentence("compare.read.gcp")
    if "risk" in settings.only:
        yield Sentence("compare.read.risk")
    yield Sentence("compare.read.classes", names=list_names(result.quasi_identifiers))
    if "utility" in settings.only:
        yield Sentence("compare.read.losses")
    if any(table.left_out for table in tables):
        yield Sentence("compare.read.left_out")
    if linked := [table.linkage for table in tables if table.linkage is not None]:
        yield Sentence(
            "compare.read.linkage", records=format_number(max(linkage.records for linkage in linked))
        )
    if recommended := [table.recommendation for table in tables if table.recommendation is not None]:
        item, top = Data(recommended[0].item), format_number(recommended[0].top)
        yield Sentence("compare.read.recommendation", item=item, top=top)
    if settings.aligned:
        yield Sentence("compare.read.by_order")
    elif settings.key is not None:
        yield Sentence("compare.read.by_key", key=Data(settings.key))
    else:
        yield Sentence("compare.read.not_corresponding")


# --- side by side --------------------------------------------------------------------------------


def _figures(result: Comparison, tables: _Tables) -> Listing:
    """All figures, one row each; a table has a column."""
    rows: list[tuple[Text, ...]] = []
    for key, figures in _all_figures(result).items():
        filled = [(name, [value(table) for table in tables]) for name, value in figures]
        filled = [(name, cells) for name, cells in filled if any(cell not in (None, "-") for cell in cells)]
        if filled and key:
            rows.append((Sentence(f"compare.group.{key}"), *("" for _ in tables)))
        for name, cells in filled:
            label = Sentence("compare.indented", name=name) if key else name
            rows.append((label, *("-" if cell is None else cell for cell in cells)))
    return Listing(
        (column("compare.figure"), *_heads(result, tables)), tuple(rows), whole=True, sql=_FIGURES_SQL
    )


def _all_figures(result: Comparison) -> dict[str, list[_Figure]]:
    """The figures by their group; the first have none."""
    currency, k = _currency(result.original), format_number(result.settings.k)
    return {
        "": [
            (Sentence("compare.records"), lambda t: format_number(t.records)),
            (Sentence("compare.left_out"), lambda t: format_number(len(t.left_out)) if t.left_out else None),
        ],
        "people": [
            _marked(result.original, "singled_out", format_number, True),
            _marked(result.original, "singled_out_share", format_share, True),
            _marked(result.original, "smallest_class", format_number, False),
            _marked(result.original, "one_fact", format_share, True),
            (
                Sentence("compare.people_policy"),
                lambda t: _limits(t.people) if t.people is not None else None,
            ),
        ],
        "risk": [
            (
                Sentence("compare.singled_out"),
                lambda t: format_number(_of(t, "identifiability", "singled_out")),
            ),
            (Sentence("compare.damages", currency=currency), lambda t: _short(_value(t))),
            (Sentence("compare.jo", currency=currency), lambda t: _short(_jo_value(t))),
            (Sentence("compare.highest_risk"), _highest_risk),
        ],
        "classes": [
            (Sentence("compare.classes"), lambda t: format_number(t.classes.classes)),
            (Sentence("compare.smallest_class"), lambda t: format_number(t.classes.smallest_class)),
            (Sentence("compare.records_below_k", k=k), lambda t: format_number(t.classes.records_below_k)),
            (Sentence("compare.average_class_size"), lambda t: format_number(t.classes.average_class_size)),
            (Sentence("compare.discernibility"), lambda t: format_number(round(t.classes.discernibility))),
        ],
        "information": [
            (Sentence("compare.detail_left"), _detail_left),
            (Sentence("compare.information"), _information),
            (
                Sentence("compare.bound"),
                lambda t: format_decimals(_of(t, "information", "bound", "information")),
            ),
            (Sentence("compare.kl"), lambda t: format_decimals(_of(t, "information", "kl"))),
            (Sentence("compare.ncp"), lambda t: format_number(_of(t, "information", "ncp"))),
            (Sentence("compare.gcp"), lambda t: format_decimals(_of(t, "information", "gcp"))),
        ],
        "utility": [_decimals("utility", "means", name) for name in _LOSSES],
        "linkage": [
            *(_shares("linkage", name) for name in ("rate", "blind_rate")),
            _decimals("linkage", "p_value"),
        ],
        "recommendation": [_decimals("recommendation", name) for name in ("similarity_loss", "top_loss")],
    }


_LOSSES = ("total_variation", "cross_table_loss", "correlation_loss", "subset_loss")


def _decimals(*path: str) -> _Figure:
    return Sentence(f"compare.{path[-1]}"), lambda table: format_decimals(_of(table, *path))


def _shares(*path: str) -> _Figure:
    return Sentence(f"compare.{path[-1]}"), lambda table: format_share(_of(table, *path))


def _of(table: ComparedTable, *path: str) -> float | None:
    """A figure inside parts of a table that it may lack."""
    value: object = table
    for name in path:
        value = getattr(value, name, None)
    assert value is None or isinstance(value, (int, float))
    return value


def _short(value: float | None) -> Text | None:
    return None if value is None else Amount(value, short=True)


def _highest_risk(table: ComparedTable) -> str | None:
    listed = table.risk.attribute_risk if table.risk is not None else ()
    risks = [entry.mean_risk for entry in listed if entry.mean_risk is not None]
    return format_probability(max(risks)) if risks else None


def _detail_left(table: ComparedTable) -> str | None:
    return format_share(table.detail.detail_left) if table.detail is not None else None


def _information(table: ComparedTable) -> Text | None:
    section = table.information
    if section is None:
        return None
    if section.information is not None:
        return format_decimals(section.information)
    return Sentence("compare.invalid" if section.exact else "compare.not_exact")


def _risks(result: Comparison, tables: _Tables) -> Listing:
    """The risk of each attribute in each table."""
    risks = [
        {row.attribute: row.mean_risk for row in table.risk.attribute_risk} if table.risk is not None else {}
        for table in tables
    ]
    names = dict.fromkeys(name for by_name in risks for name in by_name)
    rows = tuple(
        (Data(name), *(format_probability(by_name.get(name)) for by_name in risks)) for name in names
    )
    return Listing((column("compare.attribute"), *_heads(result, tables)), rows, sql=("attribute_risk",))


# --- one release ---------------------------------------------------------------------------------


def _each(releases: _Tables, key: str, table: Callable[[ComparedTable, Utility], Listing]) -> list[Block]:
    """A listing for each release whose utility was measured."""
    blocks: list[Block] = []
    for release in releases:
        listing = table(release, release.utility) if release.utility is not None else None
        if listing is not None and listing.rows:
            named = [Heading(Data(release.name), 3)] if len(releases) > 1 else []
            blocks += [*named, listing]
    return [head(key), *blocks] if blocks else []


def _losses(release: ComparedTable, utility: Utility) -> Listing:
    """What each attribute of a release lost, the largest loss of information first."""
    order = sorted(
        utility.attributes, key=lambda e: (e.information is not None, e.information or 0.0, e.attribute)
    )
    return Listing.of(
        order,
        lambda entry: (
            column("compare.attribute", Data(entry.attribute)),
            numbers("compare.attribute_information", _information_of(entry.information)),
            numbers("compare.variation", format_decimals(entry.total_variation)),
            numbers(
                "compare.generalised", format_share(entry.cells.generalised / release.records), priority=2
            ),
            numbers("compare.suppressed", format_share(entry.cells.suppressed / release.records), priority=2),
            numbers("compare.false", format_share(entry.cells.false_cells / release.records), priority=2),
            numbers("compare.missing", format_number(entry.cells.missing), priority=3),
        ),
        ranks=tuple(entry.information for entry in order),
        sql=("release_distance", "release_cell_losses"),
    )


def _information_of(left: float | None) -> Text:
    return Sentence("compare.invalid") if left is None else format_decimals(left)


def _pairs(_: ComparedTable, utility: Utility) -> Listing:
    """The pairs of attributes whose cross table changed, most first."""
    changed = [table for table in utility.cross_tables if table.total_variation]
    changed.sort(key=lambda table: (-(table.total_variation or 0.0), table.attributes))
    return Listing.of(
        changed,
        lambda table: (
            column("compare.pair", join_texts(map(Data, table.attributes))),
            numbers("compare.loss", format_decimals(table.total_variation)),
            numbers("compare.largest", format_decimals(table.largest_difference)),
        ),
        most=MOST_PAIRS,
        ranks=tuple(table.total_variation for table in changed),
        sql=("release_distance",),
    )


# --- the plot ------------------------------------------------------------------------------------


def _plot(result: Comparison) -> list[Block]:
    """The damages of a leak against the information that is left, by both models."""
    original = result.original
    drawn = [
        (table, table.detail.detail_left, value)
        for table in result.tables
        if table.detail is not None and (value := _value(table)) is not None
    ]
    if len(drawn) < 2:
        return []
    currency = _currency(original)
    damages, jo = Sentence("compare.damages", currency=currency), Sentence("compare.jo", currency=currency)
    listing = Listing.of(
        drawn,
        lambda shown: (
            column("compare.release", Data(shown[0].name)),
            numbers("compare.detail_left", format_share(shown[1])),
            numbers(damages, _short(shown[2])),
            numbers(jo, _short(_jo_value(shown[0])) or "-"),
        ),
        sql=("total_penalty", "jo_model"),
    )
    points = [_point(table, left, value) for table, left, value in drawn]
    heights = [height for point in points for height in (point.y, *(other[2] for other in point.also))]
    across = Axis(Sentence("compare.detail_left"), 0.0, 1.0, _tick)
    up = Axis(damages, 0.0, round_up(max(heights) or 1.0), lambda value: Amount(value, short=True))

    def draw(words: Words) -> Drawing:
        legend = [
            ("dot", "blue", Sentence("compare.legend_ours")),
            ("diamond", "orange", Sentence("compare.legend_jo")),
        ]
        about = _headline(original, result.releases[0])
        return scatter(words, points, across, up, legend=legend, description=about)

    return [
        Figure(Sentence("compare.plot"), draw, listing, (Sentence("compare.read.plot"),), only_drawn=True)
    ]


def _point(table: ComparedTable, left: float, value: float) -> Point:
    name = Sentence("compare.original") if table.original else Data(table.name)
    jo = _jo_value(table)

    def tip(height: float) -> Sentence:
        return Sentence("compare.tip", table=Data(table.name), value=Amount(height, short=True))

    also = (("diamond", "orange", jo, tip(jo)),) if jo is not None else ()
    return Point(name, left, value, tip(value), also)


def _tick(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
