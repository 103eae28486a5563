"""Make the report on scores of releases: their league, their losses, and the users that attacks find."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from duckrisk.base.numbers import format_decimals, format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text, join_texts, list_names
from duckrisk.contests.pwscup.results import Guesser, Rates, Safety, Score, Submission
from duckrisk.report.blocks import (
    Block,
    Column,
    Detail,
    Document,
    Figure,
    Heading,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing, format_tick
from duckrisk.report.drawings import Axis, Point, Stroke, draw_points
from duckrisk.report.sections.pwscup_attack import format_percent
from duckrisk.report.words import Words

#: Submissions in one table (a choice: four columns of figures fit 80 characters).
SUBMISSIONS_SIDE_BY_SIDE = 4
#: Submissions whose rates of all attacks are listed (a choice: the JSON report has those of all).
MAX_SUBMISSIONS = 20
_RATES = ("strict", "cell", "active_cell", "row")
_Row = tuple[Text, ...]
_LOSSES_SQL = ("contest_score", "similarity_loss", "date_loss")
_FURTHER_SQL = ("rules_loss", "cross_table_loss")
_RATES_SQL = ("reidentification_rates", "contest_score")


def make_document(result: Score) -> Document:
    """Make the report: the league, the losses and the attacks of all releases."""
    entries = result.releases
    several = len(entries) > 1
    blocks: list[Block] = [
        Paragraph(_write_headline(result), "headline"),
        *paragraphs(_describe_tables(result)),
    ]
    if several:
        blocks += [heading("pwscup.league"), _list_submissions(entries)]
    if entries[0].safety is not None:
        blocks.append(_plot_scores(entries))
    blocks += [
        heading("pwscup.losses"),
        *_set_side_by_side(entries, "pwscup.loss", _list_losses, _LOSSES_SQL),
    ]
    further_losses = _set_side_by_side(entries, "pwscup.loss", _list_further_losses, _FURTHER_SQL)
    blocks += [heading("pwscup.further"), *further_losses, *_list_rules(entries)]
    if entries[0].safety is not None:
        blocks += _list_attacks(entries, result.guessers or ())
    blocks += [heading("pwscup.reading"), Items(tuple(_explain_figures(result)))]
    blocks.append(Paragraph(Sentence("pwscup.versions", **vars(result.environment)), "reading"))
    return Document(_write_title(result), tuple(blocks))


def _write_title(result: Score) -> Sentence:
    original = Data(result.original.name)
    key = f"pwscup.{result.kind}.title"
    if result.release is None:
        return Sentence(key, original=original)
    return Sentence(f"{key}_of_one", original=original, release=Data(result.release.name))


def _write_headline(result: Score) -> Sentence:
    """Describe the release in one sentence, or the best of several."""
    best = result.releases[0]
    values: dict[str, Text] = {"release": Data(best.name), "utl": format_decimals(best.utl)}
    if best.safety is not None:
        values["avg"] = format_decimals(best.safety.avg)
    if result.release is None:
        return Sentence(f"pwscup.{result.kind}.best", **values)
    values["loss"] = _name_worst_loss(best)
    if best.safety is not None:
        values |= {"sec": format_decimals(best.safety.sec), "attack": _name_best_attack(best.safety)}
    return Sentence(f"pwscup.{result.kind}.headline", **values)


def _name_worst_loss(entry: Submission, short: bool = False) -> Sentence:
    """Name the largest loss, the first of equal ones."""
    measured = entry.utility.measured()
    name = max(measured, key=lambda name: measured[name])
    if not measured[name]:
        return Sentence("pwscup.nothing_lost")
    return Sentence(f"pwscup.short.{name}" if short else f"pwscup.loss.{name}")


def _name_best_attack(safety: Safety) -> Data | Sentence:
    """Name the attack or the guesses that the safety score comes from."""
    if not safety.sec:
        return Sentence("pwscup.nobody_found")
    if safety.sec_of_guesses == safety.sec:
        return Sentence("pwscup.guesses")
    return Data(next(row.attack for row in safety.sec_by_attack if row.sec == safety.sec))


def _describe_tables(result: Score) -> list[Sentence]:
    """Describe the original, and how much of it the releases keep."""
    original = result.original
    facts = [
        Sentence(
            "pwscup.original",
            records=format_number(original.records),
            users=format_number(original.users),
            periods=Sentence(f"pwscup.periods.{original.period}", count=format_number(original.periods)),
        )
    ]
    if original.incomplete_records:
        facts.append(Sentence("pwscup.left_out", count=format_number(original.incomplete_records)))
    if result.release is not None:
        share = format_share(result.release.surviving / original.records)
        facts.append(Sentence("pwscup.surviving", release=Data(result.release.name), share=share))
    for entry in result.releases:
        if entry.surviving < original.records // 2:
            facts.append(Sentence("pwscup.too_few", release=Data(entry.name)))
    for entry in result.releases:
        if entry.omitted_users:
            facts.append(_describe_users_left_out(entry, result.settings.most_items))
    return facts


def _describe_users_left_out(entry: Submission, max_items: int | None) -> Sentence:
    """Count the users whose many items keep them out of the losses by similarity."""
    counts = join_texts(
        Sentence(
            "pwscup.users_left_out_of",
            loss=Sentence(f"pwscup.short.{row.loss}"),
            users=format_number(row.users),
            pseudonyms=format_number(row.pseudonyms),
        )
        for row in entry.omitted_users
    )
    return Sentence(
        "pwscup.omitted_users", release=Data(entry.name), most=format_number(max_items), counts=counts
    )


def _explain_figures(result: Score) -> Iterator[Sentence]:
    """Explain how to read the figures."""
    settings = result.settings
    yield Sentence("pwscup.read.losses")
    yield Sentence("pwscup.read.profile", profile=Data(settings.profile), top=format_number(settings.top))
    yield Sentence("pwscup.read.further")
    if settings.omitted_attributes:
        yield Sentence("pwscup.read.attributes", names=list_names(settings.omitted_attributes))
    if settings.attacked is None:
        return
    yield Sentence("pwscup.read.avg")
    yield Sentence("pwscup.read.safety")
    drawn = [format_percent(partial.alpha) for partial in settings.attacked.partials if partial.file is None]
    if drawn:
        yield Sentence("pwscup.read.drawn", seed=str(settings.attacked.seed), drawn=join_texts(drawn))
    yield Sentence("pwscup.read.rates")
    if settings.attacked.attacks == "all":
        yield Sentence("pwscup.read.stronger")


# --- all submissions -----------------------------------------------------------------------------


def _list_submissions(entries: Sequence[Submission]) -> Listing:
    """List all submissions with UTL, SEC and AVG, the best first."""
    return Listing.of(enumerate(entries, 1), lambda ranked: _rank_submission(*ranked), sql=("contest_score",))


def _rank_submission(rank: int, entry: Submission) -> list[Column]:
    safety = entry.safety
    columns = [
        number_column("pwscup.rank", format_number(rank)),
        text_column("pwscup.submission", Data(entry.name)),
        number_column("pwscup.utl", format_decimals(entry.utl)),
    ]
    if safety is not None:
        columns += [
            number_column("pwscup.sec", format_decimals(safety.sec)),
            number_column("pwscup.avg", format_decimals(safety.avg)),
        ]
    columns.append(text_column("pwscup.worst_loss", _name_worst_loss(entry, short=True), priority=1))
    if safety is not None:
        columns.append(text_column("pwscup.best_attack", _name_best_attack(safety), priority=2))
    return columns


def _plot_scores(entries: Sequence[Submission]) -> Figure:
    """Plot the UTL of each submission against its SEC.

    Left is better, and low is better.
    """
    scored = [(entry, safety) for entry in entries if (safety := entry.safety) is not None]
    points = [
        Point(
            Data(entry.name),
            entry.utl,
            safety.sec,
            Sentence("pwscup.plot.tip", name=Data(entry.name), avg=format_decimals(safety.avg)),
        )
        for entry, safety in scored
    ]
    strokes = [  # where UTL + SEC is twice the score
        Stroke((max(0.0, 2 * score - 1), min(1.0, 2 * score)), (min(1.0, 2 * score), max(0.0, 2 * score - 1)))
        for score in (0.25, 0.5, 0.75)
    ]
    utl = Axis(Sentence("pwscup.axis.utl"), 0, 1, format_tick)
    sec = Axis(Sentence("pwscup.axis.sec"), 0, 1, format_tick)

    def draw(words: Words) -> Drawing:
        return draw_points(words, points, utl, sec, strokes=strokes, description=Sentence("pwscup.read.plot"))

    table = Listing.of(
        scored,
        lambda pair: (
            text_column("pwscup.submission", Data(pair[0].name)),
            number_column("pwscup.utl", format_decimals(pair[0].utl)),
            number_column("pwscup.sec", format_decimals(pair[1].sec)),
            number_column("pwscup.avg", format_decimals(pair[1].avg)),
        ),
        sql=("contest_score",),
    )
    return Figure(Sentence("pwscup.plot"), draw, table, (Sentence("pwscup.read.plot"),), only_drawn=True)


# --- side by side --------------------------------------------------------------------------------


def _list_losses(entries: Sequence[Submission]) -> list[_Row]:
    """List the seven losses and their maximum."""
    by_name = [entry.utility.by_name() for entry in entries]
    rows: list[_Row] = [
        (Sentence(f"pwscup.loss.{name}"), *(format_decimals(losses[name]) for losses in by_name))
        for name in by_name[0]
    ]
    return [*rows, (Sentence("pwscup.utl"), *(format_decimals(entry.utl) for entry in entries))]


def _list_further_losses(entries: Sequence[Submission]) -> list[_Row]:
    """List losses that do not count for the score."""
    further = [entry.further for entry in entries]
    rules = [losses.association_rules for losses in further]
    rows: list[_Row] = [
        (Sentence("pwscup.loss.rules"), *(format_decimals(losses.loss_rules) for losses in rules)),
        (Sentence("pwscup.loss.confidence"), *(format_decimals(losses.loss_confidence) for losses in rules)),
    ]
    of_three = [losses.rules_of_three for losses in further]
    rows += [
        (
            Sentence("pwscup.loss.rules_of_three"),
            *(format_decimals(losses.loss_rules) for losses in of_three),
        ),
        (
            Sentence("pwscup.loss.confidence_of_three"),
            *(format_decimals(losses.loss_confidence) for losses in of_three),
        ),
    ]
    for tables in zip(*(losses.cross_tables for losses in further), strict=True):
        name = Sentence("pwscup.loss.cross_table", attribute=Data(tables[0].attribute))
        rows.append((name, *(format_decimals(table.total_variation) for table in tables)))
    for means in zip(*(losses.subsets for losses in further), strict=True):
        name = Sentence(f"pwscup.loss.mean_{means[0].number}", attribute=Data(means[0].attribute))
        rows.append((name, *(format_decimals(mean.loss) for mean in means)))
    return rows


def _list_rules(entries: Sequence[Submission]) -> list[Block]:
    """List the strongest rules of the original with their confidence in each release.

    The rules hold values of records, so the report warns of them.
    """
    strongest = [entry.further.rules_of_three.strongest for entry in entries]
    if not strongest[0]:
        return []
    rows = [
        (
            join_texts([Data(name) for name in (rule.first, rule.second) if name is not None]),
            Data(rule.then_item),
            format_share(rule.support),
            format_share(rule.confidence),
            *(format_share(several[i].released_confidence) for several in strongest if several is not None),
        )
        for i, rule in enumerate(strongest[0])
    ]
    ranks = [(rule.confidence, rule.support) for rule in strongest[0]]
    pairs = sum(rule.second is None for rule in strongest[0])
    first = entries[0].further.rules_of_three
    heads = (
        text_column("pwscup.rule_if"),
        text_column("pwscup.rule_then"),
        number_column("pwscup.support", priority=1),
        number_column("pwscup.confidence"),
        *(Column(Data(entry.name), True) for entry in entries),
    )
    sql = ("first_rules", "kept_rules")
    return [
        Heading(Sentence("pwscup.strongest_rules"), 3),
        Paragraph(Sentence("assess.with_values"), "warning"),
        Listing(heads, tuple(rows[:pairs]), ranks=tuple(ranks[:pairs]), listed=first.pairs_listed, sql=sql),
        Listing(heads, tuple(rows[pairs:]), ranks=tuple(ranks[pairs:]), listed=first.threes_listed, sql=sql),
        Paragraph(Sentence("pwscup.read.strongest_rules"), "reading"),
    ]


def _list_sec_scores(entries: Sequence[Submission]) -> list[_Row]:
    """List the SEC of each attack."""
    safeties = [entry.safety for entry in entries if entry.safety is not None]
    rows: list[_Row] = [
        (Data(attacks[0].attack), *(format_decimals(attack.sec) for attack in attacks))
        for attacks in zip(*(safety.sec_by_attack for safety in safeties), strict=True)
    ]
    if any(safety.sec_of_guesses is not None for safety in safeties):
        rows.append(
            (Sentence("pwscup.guesses"), *(format_decimals(safety.sec_of_guesses) for safety in safeties))
        )
    rows.append((Sentence("pwscup.sec"), *(format_decimals(safety.sec) for safety in safeties)))
    if safeties[0].sec_all is not None:
        rows.append((Sentence("pwscup.sec_all"), *(format_decimals(safety.sec_all) for safety in safeties)))
    return rows


def _set_side_by_side(
    entries: Sequence[Submission],
    key: str,
    rows_of: Callable[[Sequence[Submission]], list[_Row]],
    sql: tuple[str, ...],
) -> list[Block]:
    """Make tables with a column for each submission.

    All tables have about as many columns. The head of a column is the name of the file without the extension
    that all files share. A narrow terminal shows the rank instead.
    """
    extensions = {os.path.splitext(entry.name)[1] for entry in entries}
    extension = extensions.pop() if len(extensions) == 1 else ""
    blocks: list[Block] = []
    size = -(-len(entries) // -(-len(entries) // SUBMISSIONS_SIDE_BY_SIDE))
    for start in range(0, len(entries), size):
        group = entries[start : start + size]
        if len(entries) == 1:
            columns = [number_column("pwscup.value")]
        else:
            columns = [
                Column(
                    Data(entry.name.removesuffix(extension) or entry.name),
                    True,
                    Sentence("pwscup.rank_of", rank=format_number(rank)),
                )
                for rank, entry in enumerate(group, start + 1)
            ]
        blocks.append(Listing((text_column(key), *columns), tuple(rows_of(group)), sql=sql))
    return blocks


# --- attacks -------------------------------------------------------------------------------------


def _list_attacks(entries: Sequence[Submission], guessers: Sequence[Guesser]) -> list[Block]:
    """List the attacks on all releases, or on one by the attacker's records."""
    blocks: list[Block] = [heading("pwscup.attacks")]
    if len(entries) > 1:
        blocks += _set_side_by_side(entries, "pwscup.attack", _list_sec_scores, _RATES_SQL)
        blocks += _list_guessers(guessers, entries)
    for entry in entries[:MAX_SUBMISSIONS]:
        assert entry.safety is not None
        if len(entries) == 1:
            blocks.append(_list_strict_rates(entry.safety))
            if entry.safety.guesses:
                blocks.append(_list_rates(_make_guess_rows(entry.safety)))
            if entry.safety.sec_all is not None:
                blocks.append(
                    Paragraph(Sentence("pwscup.sec_of_all", sec=format_decimals(entry.safety.sec_all)))
                )
        rates = _list_rates([*_make_attack_rows(entry.safety), *_make_guess_rows(entry.safety)])
        blocks.append(Detail(Sentence("pwscup.rates_of", release=Data(entry.name)), (rates,)))
    return blocks


def _list_guessers(guessers: Sequence[Guesser], entries: Sequence[Submission]) -> list[Block]:
    """List the league of guessers: their rates in each release, and the mean."""
    if not guessers:
        return []
    names = [entry.name for entry in entries]
    league = Listing.of(
        enumerate(guessers, 1),
        lambda ranked: (
            number_column("pwscup.rank", format_number(ranked[0])),
            *_list_rates_of_guesser(ranked[1], names),
        ),
        sql=("guess_league", "reidentification_rates"),
    )
    return [
        Heading(Sentence("pwscup.guessers"), 3),
        league,
        Paragraph(Sentence("pwscup.read.guessers"), "reading"),
    ]


def _list_rates_of_guesser(guesser: Guesser, releases: Sequence[str]) -> list[Column]:
    """Make the columns of a guesser: mean rate, and rate in each release."""
    rates = {row.release: format_decimals(row.strict) for row in guesser.releases}
    return [
        text_column("pwscup.guesser", Data(guesser.name)),
        number_column("pwscup.guesser_found", format_decimals(guesser.mean)),
        *(Column(Data(name), True, priority=1, cell=rates.get(name, "-")) for name in releases),
    ]


def _list_strict_rates(safety: Safety) -> Listing:
    """List the strict rates of each attack by the attacker's share of records."""
    shares = list(dict.fromkeys(row.alpha for row in safety.attacks))
    strict = {(row.attack, row.alpha): row.rates.strict for row in safety.attacks}
    return Listing.of(
        safety.sec_by_attack,
        lambda row: (
            text_column("pwscup.attack", Data(row.attack)),
            *(
                Column(
                    format_percent(alpha), True, priority=1, cell=format_decimals(strict[row.attack, alpha])
                )
                for alpha in shares
            ),
            number_column("pwscup.sec", format_decimals(row.sec)),
        ),
        sql=_RATES_SQL,
    )


def _list_rates(rows: Sequence[_Row]) -> Listing:
    keys = ("known", *_RATES)
    columns = (text_column("pwscup.attack"), *(number_column(f"pwscup.{key}") for key in keys))
    return Listing(columns, tuple(rows), sql=("reidentification_rates",))


def _make_attack_rows(safety: Safety) -> list[_Row]:
    return [
        (Data(row.attack), format_percent(row.alpha), *_format_rates(row.rates)) for row in safety.attacks
    ]


def _make_guess_rows(safety: Safety) -> list[_Row]:
    return [
        (
            Sentence("pwscup.guess", name=Data(row.guess)),
            Sentence("pwscup.any") if row.alpha is None else format_percent(row.alpha),
            *_format_rates(row.rates),
        )
        for row in safety.guesses
    ]


def _format_rates(rates: Rates) -> list[str]:
    return [format_decimals(getattr(rates, name)) for name in _RATES]
