"""Make the report on the most exposed records of a table."""

from __future__ import annotations

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.membership.release_risks.results import Exposure
from duckrisk.report.blocks import (
    Block,
    Document,
    Listing,
    Paragraph,
    number_column,
    paragraphs,
)
from duckrisk.report.sections.roc import describe_interval


def make_document(result: Exposure) -> Document:
    """Make the report: a headline, the exposed records, and what limits the search."""
    title = Sentence(
        "membership.exposed.title",
        original=Data(result.original.name),
        records=format_number(result.original.records),
    )
    blocks: list[Block] = [
        Paragraph(_write_headline(result), "headline"),
        *paragraphs([_warn_of_undecided(result)], "warning"),
    ]
    if result.exposed:
        blocks.append(_list_exposed(result))
    blocks.append(Paragraph(_explain_exposure(result), "reading"))
    return Document(title, tuple(blocks))


def _write_headline(result: Exposure) -> Sentence:
    """Compare the last of the exposed records with a typical one."""
    typical = result.typical
    if not result.exposed:
        return Sentence("membership.exposed.none")
    return Sentence(
        "membership.exposed.headline",
        exposed=format_number(len(result.exposed)),
        records=format_number(result.original.records),
        least=format_decimals(result.exposed[-1].exposure),
        median=format_decimals(typical.median),
        draws=format_number(typical.draws),
        interval=describe_interval(result.settings.confidence),
        lower=format_decimals(typical.lower),
        upper=format_decimals(typical.upper),
    )


def _warn_of_undecided(result: Exposure) -> Sentence | None:
    if not result.undecided:
        return None
    return Sentence(
        "membership.exposed.undecided",
        undecided=format_number(result.undecided),
        compared=format_number(result.compared),
    )


def _list_exposed(result: Exposure) -> Listing:
    shown = any(entry.record is not None for entry in result.exposed)
    return Listing.of(
        result.exposed,
        lambda entry: (
            number_column("membership.exposed.place", format_number(entry.place)),
            *([number_column("membership.exposed.record", format_number(entry.record))] if shown else []),
            number_column("membership.exposed.exposure", format_decimals(entry.exposure)),
            number_column("membership.exposed.nearest", format_decimals(entry.distance)),
        ),
        sql=("exposures", "list_exposed"),
    )


def _explain_exposure(result: Exposure) -> Sentence:
    return Sentence("membership.read.exposed", nearest=format_number(result.settings.nearest))
