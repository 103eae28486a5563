"""Make the report on attacks that guess from whose records a release was made."""

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
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.sections.roc import format_p_value, list_areas, list_rates, plot_curves, plot_hits

#: The rate of false alarms at which the most exposed are compared with all (PWS Cup 2026).
_FPR = 0.01


def make_document(result: Attacks) -> Document:
    """Make the report: the attacks, their hits, and the curves of their scores."""
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
        blocks += [_list_guesses(result.attacks), Paragraph(_explain_unknown(result), "reading")]
        return Document(title, tuple(blocks))
    hits = [(row.attack, row.hits or 0, len(row.guesses), row.expected or 0.0) for row in result.attacks]
    blocks += [
        plot_hits(hits, ("guess_hits",)),
        _list_hits(result.attacks),
        Paragraph(Sentence("membership.read.hits"), "reading"),
    ]
    for attack in result.attacks:
        if attack.experiment is not None:
            blocks += _describe_experiment(attack, attack.experiment, result.released.name)
    scored = [(Data(row.attack), row.scores) for row in result.attacks if row.scores and row.scores.curve]
    if scored:
        blocks += [heading("membership.scores"), list_areas(scored), list_rates(scored)]
        blocks += [Paragraph(Sentence("membership.read.scores"), "reading"), plot_curves(scored)]
    exposed = [(Data(row.attack), row.exposed) for row in result.attacks if row.exposed]
    if exposed:
        blocks += [heading("membership.exposed"), *paragraphs(map(_compare_exposed, result.attacks))]
        if result.exposed_undecided is not None:
            undecided = format_number(result.exposed_undecided)
            blocks.append(Paragraph(Sentence("membership.exposed.open", undecided=undecided), "warning"))
        blocks += [list_areas(exposed), list_rates(exposed)]
    return Document(title, tuple(blocks))


def _compare_exposed(attack: Attack) -> Sentence | None:
    """Say what an attack finds of all members and of the most exposed ones."""
    if attack.scores is None or attack.exposed is None:
        return None
    rates = next(
        pair for pair in zip(attack.scores.rates, attack.exposed.rates, strict=True) if pair[0].fpr == _FPR
    )
    shown = [f"{100 * rate.interpolated:.1f}" if rate.interpolated is not None else "-" for rate in rates]
    worst = [rate.interpolated for rate in rates if rate.interpolated is not None]
    return Sentence(
        "membership.exposed.compared",
        attack=attack.attack,
        every=shown[0],
        exposed=shown[1],
        members=format_number(rates[1].members),
        others=format_number(rates[1].others),
        fpr=f"{100 * _FPR:g}",
        worst=f"{100 * max(worst):.1f}" if worst else "-",
    )


def _explain_unknown(result: Attacks) -> Text:
    return Sentence("membership.attack.unknown", guesses=format_number(result.guesses))


def _list_guesses(attacks: Sequence[Attack]) -> Listing:
    return Listing.of(
        attacks,
        lambda row: (
            text_column("membership.attack", row.attack),
            text_column("membership.attack.first", ", ".join(map(str, row.guesses[:10]))),
        ),
        sql=("guessed_records", "ranked_scores"),
    )


def _list_hits(attacks: Sequence[Attack]) -> Listing:
    some_void = any(row.void for row in attacks)
    return Listing.of(
        attacks,
        lambda row: (
            text_column("membership.attack", row.attack),
            number_column("membership.hits", _format_hits(row)),
            number_column("membership.by_chance", f"{row.expected:.1f}"),
            number_column("membership.lift", f"{row.lift:.2f}"),
            number_column("membership.probability", format_p_value(row.chance)),
            *([text_column("membership.verdict", _describe_verdict(row))] if some_void else []),
        ),
        sql=("guess_hits", "hypergeometric_tail", "ranked_scores"),
    )


def _format_hits(attack: Attack) -> Text:
    return Sentence("share_of", part=format_number(attack.hits), whole=format_number(len(attack.guesses)))


def _describe_verdict(attack: Attack) -> Text:
    return Sentence("membership.inconclusive") if attack.void else ""


def _describe_experiment(attack: Attack, experiment: Experiment, released: str) -> list[Block]:
    several = [(released, experiment.largest, experiment.mean)]
    several += [(other.release, other.largest, other.mean) for other in experiment.other_releases or ()]
    scores = [(release, "largest", largest) for release, largest, _ in several]
    scores += [(release, "mean", mean) for release, _, mean in several]

    def make_columns(entry: tuple[str, str, ReleaseScore]) -> tuple[Column, ...]:
        release, name, score = entry
        return (
            *(
                [text_column("membership.experiment.release", Data(release))]
                if experiment.other_releases
                else []
            ),
            text_column("membership.experiment.score", Sentence(f"membership.experiment.{name}")),
            _make_deviation_column("members", score.members_mean, score.members_deviation),
            _make_deviation_column("others", score.others_mean, score.others_deviation),
            number_column("membership.auc", f"{score.auc:.3f}"),
        )

    method = Sentence(
        "membership.experiment.how",
        classifiers=format_number(2 * experiment.targets),
        copies=format_number(experiment.copies),
        others=format_number(experiment.others_per_target),
        folds=format_number(experiment.folds),
        held_out=format_number(experiment.held_out),
        false_alarms=format_number(experiment.false_alarms),
    )
    table = Listing.of(scores, make_columns, sql=("classifier_means", "classifier_scores"))
    verdicts = _list_verdicts(attack, experiment, released)
    return [heading("membership.experiment"), table, *paragraphs([*verdicts, method])]


def _make_deviation_column(group: str, mean: float, deviation: float | None) -> Column:
    return number_column(f"membership.experiment.{group}", f"{mean:.3f} ± {deviation:.3f}")


def _list_verdicts(attack: Attack, experiment: Experiment, released: str) -> list[Text]:
    """Say for which releases an attack works."""
    if not experiment.other_releases:
        return [Sentence(f"membership.experiment.{'void' if attack.void else 'works'}")]
    verdicts = [
        (released, attack.void),
        *((other.release, other.void) for other in experiment.other_releases),
    ]
    named = {void: [name for name, other in verdicts if bool(other) == void] for void in (False, True)}
    return [
        Sentence(f"membership.experiment.{'void_of' if void else 'works_of'}", releases=list_names(names))
        for void, names in named.items()
        if names
    ]
