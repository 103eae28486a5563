"""What is told of attacks that guess whose records a release was made from."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.contests.membership.attacks.results import Attack, Attacks, Experiment
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Items,
    Listing,
    Paragraph,
    column,
    head,
    numbers,
    paragraphs,
)
from duckrisk.report.sections.roc import areas, curves, probability_value, rates


def document(result: Attacks) -> Document:
    """The attacks, what came of them, and of their scores."""
    title = Sentence(
        "membership.attack.title",
        candidates=format_number(result.population.records),
        population=Data(result.population.name),
        release=Data(result.released.name),
        records=format_number(result.released.records),
    )
    blocks: list[Block] = [
        Items(tuple(Sentence(f"membership.attack.{row.attack}") for row in result.attacks))
    ]
    if result.members is None:
        blocks += [_guesses(result.attacks), Paragraph(_unknown(result), "reading")]
        return Document(title, tuple(blocks))
    blocks += [_hits(result.attacks), Paragraph(Sentence("membership.read.hits"), "reading")]
    for attack in result.attacks:
        if attack.experiment is not None:
            blocks += _experiment(attack, attack.experiment, result.released.name)
    scored = [(Data(row.attack), row.scores) for row in result.attacks if row.scores and row.scores.curve]
    if scored:
        blocks += [head("membership.scores"), areas(scored), rates(scored)]
        blocks += [Paragraph(Sentence("membership.read.scores"), "reading"), curves(scored)]
    return Document(title, tuple(blocks))


def _unknown(result: Attacks) -> Text:
    return Sentence("membership.attack.unknown", guesses=format_number(result.guesses))


def _guesses(attacks: Sequence[Attack]) -> Listing:
    rows = tuple((row.attack, ", ".join(map(str, row.guesses[:10]))) for row in attacks)
    columns = (column("membership.attack"), column("membership.attack.first"))
    return Listing(columns, rows, sql=("guessed_records", "ranked_scores"))


def _hits(attacks: Sequence[Attack]) -> Listing:
    rows = tuple(
        (
            row.attack,
            Sentence("share_of", part=format_number(row.hits), whole=format_number(len(row.guesses))),
            f"{row.expected:.1f}",
            f"{row.lift:.2f}",
            probability_value(row.chance),
            Sentence("membership.inconclusive") if row.void else "",
        )
        for row in attacks
    )
    keys = ("hits", "by_chance", "lift", "probability")
    columns = [column("membership.attack"), *(numbers(f"membership.{key}") for key in keys)]
    if any(row.void for row in attacks):
        columns.append(column("membership.verdict"))
    sql = ("guess_hits", "hypergeometric_tail", "ranked_scores")
    return Listing(tuple(columns), tuple(row[: len(columns)] for row in rows), sql=sql)


def _experiment(attack: Attack, experiment: Experiment, released: str) -> list[Block]:
    several = [(released, experiment.largest, experiment.mean)]
    several += [(other.release, other.largest, other.mean) for other in experiment.also or ()]
    rows = tuple(
        (
            *([Data(release)] if experiment.also else []),
            Sentence(f"membership.experiment.{name}"),
            f"{score.members_mean:.3f} ± {score.members_deviation:.3f}",
            f"{score.others_mean:.3f} ± {score.others_deviation:.3f}",
            f"{score.auc:.3f}",
        )
        for nth, name in ((1, "largest"), (2, "mean"))
        for release, *scores in several
        for score in [scores[nth - 1]]
    )
    columns: tuple[Column, ...] = (
        *([column("membership.experiment.release")] if experiment.also else []),
        column("membership.experiment.score"),
        numbers("membership.experiment.members"),
        numbers("membership.experiment.others"),
        numbers("membership.auc"),
    )
    how = Sentence(
        "membership.experiment.how",
        classifiers=format_number(2 * experiment.targets),
        copies=format_number(experiment.copies),
        beside=format_number(experiment.beside),
        folds=format_number(experiment.folds),
        held_out=format_number(experiment.held_out),
        false_alarms=format_number(experiment.false_alarms),
    )
    table = Listing(columns, rows, sql=("classifier_means", "classifier_scores"))
    verdicts = _verdicts(attack, experiment, released)
    return [head("membership.experiment"), table, *paragraphs([*verdicts, how])]


def _verdicts(attack: Attack, experiment: Experiment, released: str) -> list[Text]:
    """Say what the experiment shows, of which of several releases."""
    if not experiment.also:
        return [Sentence(f"membership.experiment.{'void' if attack.void else 'works'}")]
    judged = [(released, attack.void), *((other.release, other.void) for other in experiment.also)]
    named = {void: [name for name, other in judged if bool(other) == void] for void in (False, True)}
    return [
        Sentence(f"membership.experiment.{'void_of' if void else 'works_of'}", releases=list_names(names))
        for void, names in named.items()
        if names
    ]
