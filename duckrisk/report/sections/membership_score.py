"""Make the report on the scores of attacks on membership."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.contests.membership.attacks.results import LeagueEntry, Score, ScoredRecords, Submission
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.sections.roc import (
    describe_interval,
    format_p_value,
    list_areas,
    list_rates,
    plot_curves,
    plot_hits,
)


def make_document(result: Score) -> Document:
    """Make the report: the league, each submission, and the curves of scores."""
    title = Sentence(
        "membership.score.title",
        candidates=format_number(result.population.records),
        population=Data(result.population.name),
    )
    blocks: list[Block] = []
    if result.league:
        blocks += [heading("membership.league"), _list_league(result.league)]
    attacked = [submission for submission in result.submissions if submission.attacks]
    several = len({submission.phase for submission in result.submissions}) > 1
    for submission in attacked:
        blocks += [
            Heading(_name_submission(submission, several)),
            Paragraph(_write_verdict(submission), "verdict"),
        ]
        hits = [(Data(row.attacker), row.hits, row.guesses, row.expected) for row in submission.attacks]
        blocks += [
            plot_hits(hits, ("score_of_guess",)),
            _list_attacks(submission, result.settings.confidence),
        ]
    if attacked:
        blocks += paragraphs(
            [Sentence("membership.read.score"), Sentence("membership.read.inconclusive")], "reading"
        )
    if result.scores:
        blocks += _describe_scores(result.scores, result.settings.confidence)
    return Document(title, tuple(blocks))


def _name_submission(submission: Submission, several: bool) -> Sentence:
    values = {"name": Data(submission.name), "members": format_number(submission.members.records)}
    if not several:
        return Sentence("membership.submission", **values)
    return Sentence(
        "membership.submission.phase", **values, phase=Sentence(f"membership.round.{submission.phase}")
    )


def _write_verdict(submission: Submission) -> Sentence:
    return Sentence(
        f"membership.safety.{'inconclusive' if submission.void else 'attacked'}",
        safety=format_decimals(submission.safety),
        accuracy=f"{100 * (submission.accuracy or 0):.1f}",
        probability=format_p_value(submission.p_value),
    )


def _list_attacks(submission: Submission, confidence: float) -> Listing:
    return Listing.of(
        submission.attacks,
        lambda attack: (
            text_column("membership.attacker", Data(attack.attacker)),
            number_column(
                "membership.hits",
                Sentence("share_of", part=format_number(attack.hits), whole=format_number(attack.guesses)),
            ),
            number_column("membership.by_chance", f"{attack.expected:.1f}"),
            number_column("membership.lift", f"{attack.lift:.2f}"),
            number_column("membership.probability", format_p_value(attack.p_value)),
            text_column(
                Sentence("membership.accuracy_interval", interval=describe_interval(confidence)),
                Sentence("to", lower=f"{attack.intervals.lower:.3f}", upper=f"{attack.intervals.upper:.3f}"),
                short="membership.accuracy",
            ),
            text_column(
                "membership.verdict", Sentence(f"membership.{('inconclusive' if attack.void else 'works')}")
            ),
        ),
        sql=("score_of_guess", "hypergeometric_tail", "clopper_pearson"),
    )


def _list_league(entries: Sequence[LeagueEntry]) -> Listing:
    return Listing.of(
        entries,
        lambda entry: (
            text_column("membership.team", Data(entry.name)),
            number_column("membership.overall", format_decimals(entry.overall)),
            number_column("membership.safety", format_decimals(entry.safety)),
            number_column("membership.safety_rank", format_number(entry.safety_rank)),
            number_column("membership.attack_score", format_decimals(entry.attack)),
            number_column("membership.attack_rank", format_number(entry.attack_rank)),
        ),
        sql=("attack_league", "best_attack"),
    )


def _describe_scores(entries: Sequence[ScoredRecords], confidence: float) -> list[Block]:
    several = len({entry.submission for entry in entries}) > 1
    scored = [(_name_attacker(entry, several), entry.receiver) for entry in entries]
    blocks: list[Block] = [heading("membership.scores"), list_areas(scored), list_rates(scored, confidence)]
    blocks += paragraphs([_warn_of_few_others(entries), Sentence("membership.read.scores")], "reading")
    return [*blocks, plot_curves(scored)] if any(receiver.curve for _, receiver in scored) else blocks


def _name_attacker(entry: ScoredRecords, several: bool) -> Text:
    """Name an attacker, and the submission that is attacked if there are several."""
    return Data(f"{entry.attacker}@{entry.submission}" if several else entry.attacker)


def _warn_of_few_others(entries: Sequence[ScoredRecords]) -> Sentence | None:
    """Warn if there are too few non-members to measure a low rate of false alarms."""
    others = min(entry.receiver.others for entry in entries)
    low = [f"{rate.fpr:g}" for rate in entries[0].receiver.rates if rate.fpr * others < 1]
    return (
        Sentence("membership.few_others", others=format_number(others), rates=join_texts(low))
        if low
        else None
    )
