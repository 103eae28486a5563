"""Make the report on releases and their original: the remaining risk, and the information lost for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from duckrisk.base.numbers import (
    format_decimals,
    format_number,
    format_probability,
    format_share,
)
from duckrisk.base.sentences import Amount, Data, Sentence, Text, join_texts
from duckrisk.release.comparison.results import ComparedTable, Comparison, Utility
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Figure,
    Heading,
    Items,
    Listing,
    PageOnly,
    Pair,
    Paragraph,
    fold_sections,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing, round_up
from duckrisk.report.drawings import Axis, Point, draw_points
from duckrisk.report.sections import compare_front
from duckrisk.report.sections.compare_sentences import (
    describe_change,
    describe_limits,
    describe_people,
    explain_figures,
    get_currency,
    get_jo_value,
    get_leak_value,
    has_headline,
    list_earlier,
    list_open_questions,
    list_problems,
    write_headline,
)
from duckrisk.report.sections.compare_utility import describe_use, show_utility
from duckrisk.report.words import Words

#: Releases in one table with the original (a choice: four columns of figures fit 80 characters).
RELEASES_SIDE_BY_SIDE = 3
#: Cross tables of a release, those that changed most (a choice: the JSON report has all of them).
MAX_PAIRS = 10
#: Statements behind the most important groups of the table of all figures.
_FIGURES_SQL = ("facts_together", "equivalence_classes", "release_distance")
_Tables = Sequence[ComparedTable]
_Figure = tuple[Text, Callable[[ComparedTable], Text | None]]


def make_document(result: Comparison) -> Document:
    """Make the report: sentences, figures side by side, then each attribute."""
    original, releases = result.original, result.releases
    title = Sentence("compare.title", original=Data(original.name), count=format_number(len(releases)))
    if len(releases) == 1:
        title = Sentence("compare.title_of_one", original=Data(original.name), release=Data(releases[0].name))
    blocks: list[Block] = [
        *paragraphs((describe_people(original, release) for release in releases), "verdict"),
        *paragraphs(question for release in releases for question in list_open_questions(release)),
        *paragraphs(sentence for release in releases for sentence in list_earlier(release)),
        *paragraphs((write_headline(original, r) for r in releases if has_headline(original, r)), "headline"),
        *compare_front.make_cards(original, releases),
        *paragraphs(
            (problem for release in releases for problem in list_problems(original, release)), "warning"
        ),
        *paragraphs(result.notes, "warning"),
        PageOnly((Pair(tuple(compare_front.plot_people(original, releases)), tuple(describe_use(result))),)),
        heading("compare.figures"),
        *_set_side_by_side(result),
    ]
    evidence: list[Block] = [
        *_plot_damages(result),
        *show_utility(result),
        *_list_by_release(releases, "compare.losses", _list_losses),
        *_list_by_release(releases, "compare.pairs", _list_pairs),
        heading("compare.reading"),
        Items(tuple(explain_figures(result))),
    ]
    seed, made_by = str(result.settings.seed), result.environment
    versions = Sentence("compare.versions", duckrisk=made_by.duckrisk, duckdb=made_by.duckdb, seed=seed)
    return Document(title, (*blocks, *fold_sections(evidence), Paragraph(versions)))


def _set_side_by_side(result: Comparison) -> list[Block]:
    """List the figures and the risks, those of a single release side by side."""
    groups = list(_group_tables(result))
    figures: list[Block] = [_list_figures(result, tables) for tables in groups]
    if result.original.risk is None:
        return figures
    title = Heading(Sentence("compare.risks"), 3, "compare-risks")
    risks: list[Block] = [title, *(_list_risks(result, tables) for tables in groups)]
    return [Pair(tuple(figures), tuple(risks))] if len(result.releases) == 1 else [*figures, *risks]


def _group_tables(result: Comparison) -> Iterator[_Tables]:
    """Yield the tables of each listing: the original with some of the releases."""
    for start in range(0, len(result.releases), RELEASES_SIDE_BY_SIDE):
        yield (result.original, *result.releases[start : start + RELEASES_SIDE_BY_SIDE])


def _make_table_columns(result: Comparison, tables: _Tables) -> list[Column]:
    """Make a column for each table, named after its file.

    The name omits the extension that all files share.
    """
    extensions = {os.path.splitext(table.name)[1] for table in result.tables}
    extension = extensions.pop() if len(extensions) == 1 else ""
    return [Column(Data(table.name.removesuffix(extension) or table.name), True) for table in tables]


# --- key figures ---------------------------------------------------------------------------------


def _mark_change(
    original: ComparedTable, key: str, write: Callable[[float | None], str], lower: bool
) -> _Figure:
    """Make a figure on people that marks changes as better or worse.

    `lower` says that lower figures are better.
    """

    def format_cell(table: ComparedTable) -> Text | None:
        now, before = _get_figure(table, "people", key), _get_figure(original, "people", key)
        if now is None or before is None or table.original:
            return None if now is None else write(now)
        return Sentence("compare.marked", figure=write(now), change=describe_change(before, now, lower=lower))

    return Sentence(f"compare.people_{key}"), format_cell


# --- side by side --------------------------------------------------------------------------------


def _list_figures(result: Comparison, tables: _Tables) -> Listing:
    """List all figures, one in each row, with a column for each table."""
    rows: list[tuple[Text, ...]] = []
    for key, figures in _group_figures(result).items():
        filled = [(name, [value(table) for table in tables]) for name, value in figures]
        filled = [(name, cells) for name, cells in filled if any(cell not in (None, "-") for cell in cells)]
        if filled and key:
            rows.append((Sentence(f"compare.group.{key}"), *("" for _ in tables)))
        for name, cells in filled:
            label = Sentence("compare.indented", name=name) if key else name
            rows.append((label, *("-" if cell is None else cell for cell in cells)))
    return Listing(
        (text_column("compare.figure"), *_make_table_columns(result, tables)),
        tuple(rows),
        whole=True,
        sql=_FIGURES_SQL,
    )


def _group_figures(result: Comparison) -> dict[str, list[_Figure]]:
    """Return the figures by their groups; the group of the first figures has no name."""
    currency, k = get_currency(result.original), format_number(result.settings.k)
    return {
        "": [
            (Sentence("compare.records"), lambda t: format_number(t.records)),
            (
                Sentence("compare.left_out"),
                lambda t: format_number(len(t.missing_attributes)) if t.missing_attributes else None,
            ),
        ],
        "people": [
            _mark_change(result.original, "singled_out", format_number, True),
            _mark_change(result.original, "singled_out_share", format_share, True),
            _mark_change(result.original, "smallest_class", format_number, False),
            _mark_change(result.original, "one_fact", format_share, True),
            (
                Sentence("compare.people_policy"),
                lambda t: describe_limits(t.people) if t.people is not None else None,
            ),
        ],
        "risk": [
            (
                Sentence("compare.singled_out"),
                lambda t: format_number(_get_figure(t, "identifiability", "singled_out")),
            ),
            (Sentence("compare.damages", currency=currency), lambda t: _shorten_amount(get_leak_value(t))),
            (Sentence("compare.jo", currency=currency), lambda t: _shorten_amount(get_jo_value(t))),
            (Sentence("compare.highest_risk"), _format_highest_risk),
        ],
        "classes": [
            (Sentence("compare.classes"), lambda t: format_number(t.classes.classes)),
            (Sentence("compare.smallest_class"), lambda t: format_number(t.classes.smallest_class)),
            (Sentence("compare.records_below_k", k=k), lambda t: format_number(t.classes.records_below_k)),
            (Sentence("compare.average_class_size"), lambda t: format_number(t.classes.average_class_size)),
            (Sentence("compare.discernibility"), lambda t: format_number(round(t.classes.discernibility))),
        ],
        "information": [
            (Sentence("compare.detail_left"), _format_detail_left),
            (Sentence("compare.information"), _format_information),
            (
                Sentence("compare.bound"),
                lambda t: format_decimals(_get_figure(t, "information", "bound", "information")),
            ),
            (Sentence("compare.kl"), lambda t: format_decimals(_get_figure(t, "information", "kl"))),
            (Sentence("compare.ncp"), lambda t: format_number(_get_figure(t, "information", "ncp"))),
            (Sentence("compare.gcp"), lambda t: format_decimals(_get_figure(t, "information", "gcp"))),
        ],
        "utility": [_make_decimal_figure("utility", "means", name) for name in _LOSSES],
        "linkage": [
            *(_make_share_figure("linkage", name) for name in ("rate", "blind_rate")),
            _make_decimal_figure("linkage", "p_value"),
        ],
        "recommendation": [
            _make_decimal_figure("recommendation", name) for name in ("similarity_loss", "top_loss")
        ],
    }


_LOSSES = ("total_variation", "cross_table_loss", "correlation_loss", "subset_loss")


def _make_decimal_figure(*path: str) -> _Figure:
    return Sentence(f"compare.{path[-1]}"), lambda table: format_decimals(_get_figure(table, *path))


def _make_share_figure(*path: str) -> _Figure:
    return Sentence(f"compare.{path[-1]}"), lambda table: format_share(_get_figure(table, *path))


def _get_figure(table: ComparedTable, *path: str) -> float | None:
    """Return the figure at a path of attributes; None if the table lacks one of them."""
    value: object = table
    for name in path:
        value = getattr(value, name, None)
    assert value is None or isinstance(value, (int, float))
    return value


def _shorten_amount(value: float | None) -> Text | None:
    return None if value is None else Amount(value, short=True)


def _format_highest_risk(table: ComparedTable) -> str | None:
    listed = table.risk.attribute_risk if table.risk is not None else ()
    risks = [entry.mean_risk for entry in listed if entry.mean_risk is not None]
    return format_probability(max(risks)) if risks else None


def _format_detail_left(table: ComparedTable) -> str | None:
    return format_share(table.detail.detail_left) if table.detail is not None else None


def _format_information(table: ComparedTable) -> Text | None:
    section = table.information
    if section is None:
        return None
    if section.information is not None:
        return format_decimals(section.information)
    if section.exact:
        return Sentence("compare.invalid")
    least = section.bound.information if section.bound is not None else None
    return Sentence(
        "compare.not_exact" if least is None else "compare.at_least", value=format_decimals(least)
    )


def _list_risks(result: Comparison, tables: _Tables) -> Listing:
    """List the risk of each attribute in each table."""
    risks = [
        {row.attribute: row.mean_risk for row in table.risk.attribute_risk} if table.risk is not None else {}
        for table in tables
    ]
    names = dict.fromkeys(name for by_name in risks for name in by_name)
    rows = tuple(
        (Data(name), *(format_probability(by_name.get(name)) for by_name in risks)) for name in names
    )
    return Listing(
        (text_column("compare.attribute"), *_make_table_columns(result, tables)),
        rows,
        sql=("attribute_risk",),
    )


# --- one release ---------------------------------------------------------------------------------


def _list_by_release(
    releases: _Tables, key: str, table: Callable[[ComparedTable, Utility], Listing]
) -> list[Block]:
    """Make a section with a listing for each release whose utility was measured."""
    blocks: list[Block] = []
    for release in releases:
        listing = table(release, release.utility) if release.utility is not None else None
        if listing is not None and listing.rows:
            named = [Heading(Data(release.name), 3)] if len(releases) > 1 else []
            blocks += [*named, listing]
    return [heading(key), *blocks] if blocks else []


def _list_losses(release: ComparedTable, utility: Utility) -> Listing:
    """List what each attribute lost, the largest loss of information first."""
    order = sorted(
        utility.attributes, key=lambda e: (e.information is not None, e.information or 0.0, e.attribute)
    )
    return Listing.of(
        order,
        lambda entry: (
            text_column("compare.attribute", Data(entry.attribute)),
            number_column("compare.attribute_information", _format_attribute_information(entry.information)),
            number_column("compare.variation", format_decimals(entry.total_variation)),
            number_column(
                "compare.generalised", format_share(entry.cells.generalised / release.records), priority=2
            ),
            number_column(
                "compare.suppressed", format_share(entry.cells.suppressed / release.records), priority=2
            ),
            number_column(
                "compare.false", format_share(entry.cells.false_cells / release.records), priority=2
            ),
            number_column("compare.missing", format_number(entry.cells.missing), priority=3),
        ),
        ranks=tuple(entry.information for entry in order),
        sql=("release_distance", "release_cell_losses"),
    )


def _format_attribute_information(information: float | None) -> Text:
    return Sentence("compare.invalid") if information is None else format_decimals(information)


def _list_pairs(_: ComparedTable, utility: Utility) -> Listing:
    """List the pairs of attributes whose cross table changed most."""
    changed = [table for table in utility.cross_tables if table.total_variation]
    changed.sort(key=lambda table: (-(table.total_variation or 0.0), table.attributes))
    return Listing.of(
        changed,
        lambda table: (
            text_column("compare.pair", join_texts(map(Data, table.attributes))),
            number_column("compare.loss", format_decimals(table.total_variation)),
            number_column("compare.largest", format_decimals(table.largest_difference)),
        ),
        max_rows=MAX_PAIRS,
        ranks=tuple(table.total_variation for table in changed),
        sql=("release_distance",),
    )


# --- the plot ------------------------------------------------------------------------------------


def _plot_damages(result: Comparison) -> list[Block]:
    """Plot the damages of a leak against the remaining information, by both models."""
    original = result.original
    drawn = [
        (table, table.detail.detail_left, value)
        for table in result.tables
        if table.detail is not None and (value := get_leak_value(table)) is not None
    ]
    if len(drawn) < 2:
        return []
    currency = get_currency(original)
    damages, jo = Sentence("compare.damages", currency=currency), Sentence("compare.jo", currency=currency)
    listing = Listing.of(
        drawn,
        lambda row: (
            text_column("compare.release", Data(row[0].name)),
            number_column("compare.detail_left", format_share(row[1])),
            number_column(damages, _shorten_amount(row[2])),
            number_column(jo, _shorten_amount(get_jo_value(row[0])) or "-"),
        ),
        sql=("total_penalty", "jo_model"),
    )
    points = [_make_point(table, left, value) for table, left, value in drawn]
    heights = [height for point in points for height in (point.y, *(other[2] for other in point.others))]
    across = Axis(Sentence("compare.detail_left"), 0.0, 1.0, _format_tick)
    up = Axis(damages, 0.0, round_up(max(heights) or 1.0), lambda value: Amount(value, short=True))

    def draw(words: Words) -> Drawing:
        legend = [
            ("dot", "blue", Sentence("compare.legend_ours")),
            ("diamond", "orange", Sentence("compare.legend_jo")),
        ]
        description = write_headline(original, result.releases[0])
        return draw_points(words, points, across, up, legend=legend, description=description)

    reading = (Sentence("compare.read.plot"),)
    figure = Figure(Sentence("compare.plot"), draw, listing, reading, only_drawn=True)
    return [heading("compare.plot"), figure]


def _make_point(table: ComparedTable, detail: float, value: float) -> Point:
    name = Sentence("compare.original") if table.original else Data(table.name)
    jo = get_jo_value(table)

    def make_tip(height: float) -> Sentence:
        return Sentence("compare.tip", table=Data(table.name), value=Amount(height, short=True))

    others = (("diamond", "orange", jo, make_tip(jo)),) if jo is not None else ()
    return Point(name, detail, value, make_tip(value), others)


def _format_tick(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
