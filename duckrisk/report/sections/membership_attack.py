"""What is told of attacks that guess whose records a release was made from."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.contests.membership.attacks.results import Attack, Attacks, Experiment, ReleaseScore
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
    return Listing.of(
        attacks,
        lambda row: (
            column("membership.attack", row.attack),
            column("membership.attack.first", ", ".join(map(str, row.guesses[:10]))),
        ),
        sql=("guessed_records", "ranked_scores"),
    )


def _hits(attacks: Sequence[Attack]) -> Listing:
    some_void = any(row.void for row in attacks)
    return Listing.of(
        attacks,
        lambda row: (
            column("membership.attack", row.attack),
            numbers("membership.hits", _hits_of(row)),
            numbers("membership.by_chance", f"{row.expected:.1f}"),
            numbers("membership.lift", f"{row.lift:.2f}"),
            numbers("membership.probability", probability_value(row.chance)),
            *([column("membership.verdict", _verdict(row))] if some_void else []),
        ),
        sql=("guess_hits", "hypergeometric_tail", "ranked_scores"),
    )


def _hits_of(attack: Attack) -> Text:
    return Sentence("share_of", part=format_number(attack.hits), whole=format_number(len(attack.guesses)))


def _verdict(attack: Attack) -> Text:
    return Sentence("membership.inconclusive") if attack.void else ""


def _experiment(attack: Attack, experiment: Experiment, released: str) -> list[Block]:
    several = [(released, experiment.largest, experiment.mean)]
    several += [(other.release, other.largest, other.mean) for other in experiment.also or ()]
    scores = [(release, "largest", largest) for release, largest, _ in several]
    scores += [(release, "mean", mean) for release, _, mean in several]

    def columns(told: tuple[str, str, ReleaseScore]) -> tuple[Column, ...]:
        release, name, score = told
        return (
            *([column("membership.experiment.release", Data(release))] if experiment.also else []),
            column("membership.experiment.score", Sentence(f"membership.experiment.{name}")),
            _deviating("members", score.members_mean, score.members_deviation),
            _deviating("others", score.others_mean, score.others_deviation),
            numbers("membership.auc", f"{score.auc:.3f}"),
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
    table = Listing.of(scores, columns, sql=("classifier_means", "classifier_scores"))
    verdicts = _verdicts(attack, experiment, released)
    return [head("membership.experiment"), table, *paragraphs([*verdicts, how])]


def _deviating(whose: str, mean: float, deviation: float | None) -> Column:
    return numbers(f"membership.experiment.{whose}", f"{mean:.3f} ± {deviation:.3f}")


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
