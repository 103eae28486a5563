"""Make the report on a search for a release that reaches the thresholds of the contest."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.membership.synthesis.results import Annealed, NoiseAttack, NoiseSearch, NoiseTried
from duckrisk.report.blocks import Block, Column, Document, Listing, Paragraph, number_column, text_column
from duckrisk.report.sections.anonymize import list_notes
from duckrisk.report.sections.membership_utility import PASSED, describe_indices, format_index, name_index


def make_document(result: Annealed) -> Document:
    """Make the report: the release, the search, and the indices of its result."""
    title = Sentence(
        "membership.anneal.title", release=Data(result.release), records=format_number(result.records)
    )
    blocks: list[Block] = []
    if result.interrupted is not None:
        stopped = Sentence("membership.anneal.interrupted", iterations=format_number(result.iterations))
        blocks.append(Paragraph(stopped, "warning"))
        if result.state is not None:
            blocks.append(Paragraph(Sentence("membership.anneal.resume", state=Data(result.state))))
    if result.noise is not None:
        blocks += [*_describe_noise(result, result.noise), *list_notes(result.notes)]
        return Document(title, tuple(blocks))
    searched = Sentence(
        "membership.anneal.searched",
        start=f"{result.start:.4f}",
        cost=f"{result.cost:.4f}",
        iterations=format_number(result.iterations),
        rate=format_number(round(result.iterations / result.seconds)) if result.seconds else "-",
        kept=format_number(result.kept),
        measured=format_number(result.measured),
    )
    blocks += [Paragraph(searched), *describe_indices(result.indices), *list_notes(result.notes)]
    return Document(title, tuple(blocks))


def _describe_noise(result: Annealed, noise: NoiseSearch) -> list[Block]:
    """Say how much noise a release bears and what an attack finds in it."""
    found = Sentence(
        "membership.anneal.noise" if result.cost <= 0 else "membership.anneal.noise_missed",
        keep=f"{noise.keep:.2f}",
        drawn=Sentence(f"membership.anneal.drawn.{noise.drawn}"),
        draws=format_number(noise.draws),
        round=Sentence(f"membership.round.{result.round}"),
    )
    tried = Listing.of(noise.tried, _make_columns)
    reading = Paragraph(Sentence("membership.anneal.read.noise"), "reading")
    return [
        Paragraph(found, "headline"),
        *([Paragraph(_describe_attack(noise.attack), "headline")] if noise.attack is not None else []),
        tried,
        *describe_indices(result.indices),
        reading,
    ]


def _describe_attack(attack: NoiseAttack) -> Sentence:
    return Sentence(
        "membership.anneal.attack",
        attack=Data(attack.attack),
        hits=format_number(attack.hits),
        guesses=format_number(attack.guesses),
        candidates=format_number(attack.candidates),
        expected=format_number(attack.expected),
        auc="-" if attack.auc is None else f"{attack.auc:.3f}",
    )


def _make_columns(tried: NoiseTried) -> tuple[Column, ...]:
    return (
        number_column("membership.anneal.keep", f"{tried.keep:.2f}"),
        *(number_column(name_index(check), format_index(check.value)) for check in tried.checks),
        text_column("membership.anneal.outcome", Sentence(f"membership.anneal.{PASSED[tried.passed]}")),
    )
