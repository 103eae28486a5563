"""Make the report on how long pseudonyms may live: what it costs, and what attackers find."""

from __future__ import annotations

from collections.abc import Iterator

from duckrisk.base.numbers import format_decimals, format_number, format_percent, format_share
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.contests.pwscup.attacks import list_legends
from duckrisk.contests.pwscup.lifetime_results import FoundUsers, Lifetimes, LifetimeSetting
from duckrisk.contests.pwscup.lives import STRONGEST
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Figure,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing, format_tick
from duckrisk.report.drawings import LINE_STYLES, Axis, Curve, draw_lines
from duckrisk.report.sections.pwscup_attack import format_percent as format_known
from duckrisk.report.words import Words

#: The treatments other than the life of pseudonyms; a column of each that a setting has is shown.
_COUNTS = ("delete_rare_items", "renew_after")
_SHARES = ("perturb_dates", "perturb_items", "exchange_pseudonyms")
_SQL = ("lifetime_front", "reidentification_rates", "contest_score")


def make_document(result: Lifetimes) -> Document:
    """Make the report: what attackers find, what it costs, and what is cheapest."""
    blocks: list[Block] = [Paragraph(text, "headline") for text in _write_headlines(result)]
    blocks += paragraphs(_describe_original(result))
    blocks.append(_list_found(result))
    if any(len(points) > 1 for points in _list_fronts(result)):
        blocks.append(_plot_fronts(result))
    blocks += [heading("pwscup.reading"), Items(tuple(_explain_figures(result)))]
    blocks.append(Paragraph(Sentence("pwscup.versions", **vars(result.environment)), "reading"))
    return Document(Sentence("pwscup.lifetimes.title", original=Data(result.original.name)), tuple(blocks))


# --- the answer ------------------------------------------------------------------------------------


def _write_headlines(result: Lifetimes) -> Iterator[Sentence]:
    """Say for each known share what is found, and the cheapest setting within a limit."""
    for place, known in enumerate(result.known):
        least = min(result.measured, key=lambda setting: setting.found[place].rates.right_users)
        values: dict[str, Text] = {"known": format_known(known.alpha)}
        if result.cheapest is None:
            most = max(result.measured, key=lambda setting: setting.found[place].rates.right_users)
            values |= _describe_found(result, most, place)
            if most is least:
                yield Sentence("pwscup.lifetimes.found", **values)
                continue
            other = _describe_found(result, least, place)
            fewest = {f"least_{name}": other[name] for name in ("found", "share", "setting", "utl")}
            yield Sentence("pwscup.lifetimes.between", **values, **fewest)
            continue
        cheapest = result.cheapest[place].place
        chosen = least if cheapest is None else result.measured[cheapest]
        key = "none_within" if cheapest is None else "cheapest"
        limit, count = format_percent(result.settings.found or 0), format_number(len(result.measured))
        values |= {"limit": limit, "count": count, **_describe_found(result, chosen, place)}
        yield Sentence(f"pwscup.lifetimes.{key}", **values)


def _describe_found(result: Lifetimes, setting: LifetimeSetting, place: int) -> dict[str, Text]:
    rates = setting.found[place].rates
    return {
        "found": format_number(rates.right_users),
        "users": format_number(rates.users),
        "share": format_share(rates.strict),
        "chance": format_share(rates.blind_strict),
        "setting": _describe_setting(result, setting),
        "utl": format_decimals(setting.utl),
    }


def _describe_setting(result: Lifetimes, setting: LifetimeSetting) -> Text:
    """Describe a setting, as the part of a sentence."""
    if setting.life is None:
        parts = [Sentence("pwscup.lifetimes.for_ever")]
    else:
        periods = Sentence(f"pwscup.periods.{result.original.period}", count=format_number(setting.life))
        parts = [Sentence("pwscup.lifetimes.lives", periods=periods)]
    for name in (*_COUNTS, *_SHARES):
        if (value := getattr(setting, name)) is not None:
            text = format_number(value) if name in _COUNTS else format_percent(value)
            parts.append(Sentence(f"pwscup.lifetimes.{name}", value=text))
    return join_texts(parts)


def _describe_original(result: Lifetimes) -> list[Sentence | None]:
    original = result.original
    held = join_texts(
        Sentence("pwscup.attack.share", count=format_number(known.records), alpha=format_known(known.alpha))
        for known in result.known
    )
    left_out = original.incomplete_records
    return [
        Sentence(
            "pwscup.original",
            records=format_number(original.records),
            users=format_number(original.users),
            periods=Sentence(f"pwscup.periods.{original.period}", count=format_number(original.periods)),
        ),
        Sentence("pwscup.left_out", count=format_number(left_out)) if left_out else None,
        Sentence("pwscup.attack.known", held=held),
    ]


# --- the table and the figure ----------------------------------------------------------------------


def _list_found(result: Lifetimes) -> Listing:
    rows = [(setting, found) for setting in result.measured for found in setting.found]
    return Listing.of(rows, lambda row: _make_columns(result, *row), sql=_SQL)


def _make_columns(result: Lifetimes, setting: LifetimeSetting, found: FoundUsers) -> tuple[Column, ...]:
    rates = found.rates
    ends = Sentence("to", lower=f"{found.lower:.4f}", upper=f"{found.upper:.4f}")
    return (
        *_make_setting_columns(result, setting),
        number_column("pwscup.known", format_known(found.alpha)),
        number_column("pwscup.utl", format_decimals(setting.utl)),
        number_column("pwscup.strict", format_decimals(rates.strict)),
        text_column("pwscup.lifetimes.interval", ends, priority=1),
        number_column("pwscup.chance", format_decimals(rates.blind_strict), priority=2),
        number_column("pwscup.active_cell", format_decimals(rates.active_cell)),
        number_column("pwscup.sec", format_decimals(setting.sec), priority=3),
        text_column("pwscup.lifetimes.front", Sentence(f"pwscup.lifetimes.{_name_place(found)}")),
    )


def _name_place(found: FoundUsers) -> str:
    return "on_front" if found.on_front else "beaten"


def _make_setting_columns(result: Lifetimes, setting: LifetimeSetting) -> list[Column]:
    """Make the columns of a setting: its life, and what any of the settings has."""
    life = Sentence("pwscup.lifetimes.all") if setting.life is None else format_number(setting.life)
    columns = [text_column("pwscup.lifetimes.life", life)]
    for name in (*_COUNTS, *_SHARES):
        if any(getattr(other, name) is not None for other in result.measured):
            value = getattr(setting, name)
            shown = "-" if value is None else format_number(value) if name in _COUNTS else f"{value:g}"
            columns.append(number_column(f"pwscup.lifetimes.short.{name}", shown))
    return columns


def _list_fronts(result: Lifetimes) -> list[list[tuple[LifetimeSetting, FoundUsers]]]:
    """List the settings on the front of each known share, those that lose least first."""
    return [
        [(setting, setting.found[place]) for setting in result.measured if setting.found[place].on_front]
        for place in range(len(result.known))
    ]


def _plot_fronts(result: Lifetimes) -> Figure:
    """Plot the users found against the loss, a line for each known share."""
    fronts = _list_fronts(result)
    curves = [
        Curve(
            Sentence("pwscup.lifetimes.knows", known=format_known(known.alpha)),
            tuple((setting.utl, found.rates.strict) for setting, found in front),
        )
        for known, front in zip(result.known, fronts, strict=True)
    ]
    utl = Axis(Sentence("pwscup.axis.utl"), 0, 1, format_tick)
    up = Axis(Sentence("pwscup.axis.found"), 0, 1, format_tick)
    title = Sentence("pwscup.lifetimes.plot")

    def draw(words: Words) -> Drawing:
        drawn = curves[: len(LINE_STYLES)]
        left_out = len(curves) - len(drawn)
        return draw_lines(words, drawn, utl, up, description=title, entries_left_out=left_out)

    table = Listing.of(
        [row for front in fronts for row in front],
        lambda row: (
            number_column("pwscup.known", format_known(row[1].alpha)),
            *_make_setting_columns(result, row[0]),
            number_column("pwscup.utl", format_decimals(row[0].utl)),
            number_column("pwscup.strict", format_decimals(row[1].rates.strict)),
        ),
        sql=_SQL,
    )
    return Figure(title, draw, table, (Sentence("pwscup.lifetimes.read.plot"),), only_drawn=True)


def _explain_figures(result: Lifetimes) -> Iterator[Sentence]:
    """Explain how to read the figures."""
    yield from list_legends([STRONGEST])
    yield Sentence("pwscup.lifetimes.read.strict")
    yield Sentence("pwscup.read.chance")
    yield Sentence("pwscup.lifetimes.read.front")
    scores = [setting.sec for setting in result.measured]
    least, most = format_decimals(min(scores)), format_decimals(max(scores))
    key = "sec_alike" if least == most else "sec"
    yield Sentence(f"pwscup.lifetimes.read.{key}", least=least, most=most)
    if any(setting.exchange_pseudonyms is not None for setting in result.measured):
        yield Sentence("pwscup.lifetimes.read.passed_on")
    yield Sentence("pwscup.read.losses")
    yield Sentence("pwscup.lifetimes.read.seed", seed=str(result.settings.seed))
