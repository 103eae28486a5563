"""Show what each release is still good for: one line, means by group, models, and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.release.comparison.prediction import MAX_RECORDS
from duckrisk.release.comparison.results import ComparedTable, Comparison
from duckrisk.release.comparison.summary import format_score, summarize_utility
from duckrisk.release.comparison.utility_results import (
    Distribution,
    DistributionPart,
    MeansByGroup,
    Prediction,
)
from duckrisk.report.blocks import (
    Block,
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
from duckrisk.report.drawings import Axis, Rung, draw_ladder
from duckrisk.report.words import Words

#: Attributes of a release whose distributions are drawn (a choice: ten screens; the JSON report has all).
MAX_DRAWN = 30
#: Marks of the terminal for shares, from nothing to the largest.
_LEVELS = "▁▂▃▄▅▆▇█"


def show_utility(result: Comparison) -> list[Block]:
    """Make the section on what each release is still good for, if it was measured."""
    measured = [release for release in result.releases if release.utility is not None]
    blocks: list[Block] = []
    blocks += paragraphs((_write_line(result.original, release) for release in measured), "headline")
    for release in measured:
        named: list[Block] = [Heading(Data(release.name), 3)] if len(measured) > 1 else []
        every = release.utility.distributions if release.utility is not None else ()
        figures = [plot_distributions(every, Sentence("useful.distributions"))] if every else []
        shown = [*_list_means(release), *_list_models(release), *figures]
        blocks += [*named, *shown] if shown else []
    return [heading("useful.title"), *blocks] if blocks else []


def describe_use(result: Comparison) -> list[Block]:
    """Say in a line for each release what it is still good for."""
    measured = [release for release in result.releases if release.utility is not None]
    lines = paragraphs(_write_line(result.original, release) for release in measured)
    return [heading("useful.title", 3), *lines] if lines else []


def _write_line(original: ComparedTable, release: ComparedTable) -> Sentence | None:
    utility = release.utility
    assert utility is not None
    line = summarize_utility(
        release.detail, release.records, original.records, utility.group_means, utility.prediction
    )
    return Sentence("useful.line", release=Data(release.name), line=line) if line is not None else None


# --- means by group and models -------------------------------------------------------------------


def _list_means(release: ComparedTable) -> list[Block]:
    means: MeansByGroup | None = release.utility.group_means if release.utility is not None else None
    if means is None:
        return []
    listing = Listing.of(
        means.numbers,
        lambda entry: (
            text_column("useful.number", Data(entry.number)),
            number_column("useful.median", format_share(entry.median)),
            number_column("useful.within", format_share(entry.within)),
        ),
        sql=("mean_changes",),
    )
    counts = {"groups": format_number(means.groups), "categories": format_number(means.categories)}
    reading = [Paragraph(Sentence("useful.read.means", **counts), "reading")]
    if means.left_out:
        text = Sentence("useful.columns_left_out", count=format_number(means.left_out))
        reading.append(Paragraph(text, "reading"))
    return [listing, *reading]


def _list_models(release: ComparedTable) -> list[Block]:
    prediction: Prediction | None = release.utility.prediction if release.utility is not None else None
    if prediction is None:
        return []
    target = Data(prediction.target)
    measure = Sentence(f"useful.measure.{prediction.measure}", target=target)
    listing = Listing.of(
        prediction.models,
        lambda entry: (
            text_column(measure, Sentence(f"useful.model.{entry.model}")),
            number_column("useful.before", format_score(entry.before)),
            number_column("useful.after", format_score(entry.after)),
        ),
    )
    texts: list[Text] = []
    if prediction.reason is not None:
        texts.append(Sentence(f"useful.{prediction.reason}", target=target, release=Data(release.name)))
    if prediction.after is not None:
        names = ("learned", "learned_before", "tested")
        counts = {name: format_number(getattr(prediction, name)) for name in names}
        texts.append(Sentence("useful.read.models", **counts))
        if MAX_RECORDS in (prediction.learned, prediction.learned_before, prediction.tested):
            texts.append(Sentence("useful.read.drawn", most=format_number(MAX_RECORDS)))
        if not prediction.corresponding:
            texts.append(Sentence("useful.read.not_divided"))
    return [*([listing] if listing.rows else []), *(Paragraph(text, "reading") for text in texts)]


# --- distributions -------------------------------------------------------------------------------


def plot_distributions(every: Sequence[Distribution], title: Text) -> Figure:
    """Draw distributions; other forms list them as rows of marks."""
    drawn = every[:MAX_DRAWN]
    listing = Listing.of(
        drawn,
        lambda entry: (
            text_column("useful.attribute", Data(entry.attribute)),
            text_column("useful.before", _write_marks(entry, [part.before for part in entry.parts])),
            text_column("useful.after", _write_marks(entry, [part.after for part in entry.parts])),
        ),
        sql=("part_shares",),
    )
    reading: tuple[Text, ...] = (Sentence("useful.read.parts"),)
    if all(part.first_value is None for entry in every for part in entry.parts):
        reading = (*reading, Sentence("useful.read.names"))
    if len(every) > MAX_DRAWN:
        count = format_number(len(every) - MAX_DRAWN)
        reading = (*reading, Sentence("useful.attributes_left_out", count=count))
    return Figure(title, lambda words: draw_distributions(words, drawn), listing, reading)


def _write_marks(entry: Distribution, shares: Sequence[float]) -> str:
    """Write shares as marks whose heights compare before and after."""
    top = max([0.0, *(max(part.before, part.after) for part in entry.parts)]) or 1.0
    return "".join(_LEVELS[round(share / top * (len(_LEVELS) - 1))] for share in shares)


def name_part(part: DistributionPart, entry: Distribution) -> Text:
    """Name a part by its values if the report has them, else by its place."""
    if part.kind == "missing":
        return Sentence("useful.missing")
    if part.kind == "others":
        return Sentence("useful.others", count=format_number(part.values))
    if part.first_value is not None and part.last_value is not None:
        if part.values == 1:
            return Data(part.first_value)
        return Data(f"{part.first_value} – {part.last_value}")
    if part.kind == "value":
        return Sentence("useful.rank", rank=format_number(part.part))
    bands = [one for one in entry.parts if one.kind == "band"]
    position = bands.index(part)
    below = bands[position - 1].share_below or 0.0 if position else 0.0
    return f"{round(100 * below)}–{round(100 * (part.share_below or 0.0))}%"


def draw_distributions(words: Words, entries: Sequence[Distribution]) -> list[Drawing]:
    """Draw each distribution, each part with a bar before and a bar after."""
    legend = [("square", "blue", Sentence("useful.before")), ("square", "orange", Sentence("useful.after"))]
    axis = Axis(Sentence("attribute.axis.share"))
    drawings = []
    for entry in entries:
        rungs = [_make_rung(part, entry) for part in entry.parts]
        drawing = draw_ladder(
            words, rungs, axis, legend=legend, description=Sentence("useful.read.parts"), small=True
        )
        drawings.append(replace(drawing, title=Data(entry.attribute)))
    return drawings


def _make_rung(part: DistributionPart, entry: Distribution) -> Rung:
    name = name_part(part, entry)
    shares = {"before": format_share(part.before), "after": format_share(part.after)}
    return Rung(
        name,
        ((part.before, "blue"), (part.after, "orange")),
        f"{shares['before']} → {shares['after']}",
        tip=Sentence("useful.tip", name=name, **shares),
    )
