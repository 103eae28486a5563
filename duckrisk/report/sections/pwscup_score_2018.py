"""Make the report on the score of a release of 2018: the losses of its cells, and the guesses at it."""

from __future__ import annotations

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.pwscup.generalized import Score2018
from duckrisk.report.blocks import (
    Block,
    Document,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)


def make_document(result: Score2018) -> Document:
    """Make the report: the judgement, the losses of the columns and the guesses."""
    blocks: list[Block] = [
        Paragraph(_write_headline(result), "headline"),
        *paragraphs([_describe_tables(result)]),
    ]
    blocks += [heading("pwscup.losses"), _list_losses(result)]
    if result.guesses:
        blocks += [heading("pwscup.guesses_2018"), _list_guesses(result)]
    keys = ["losses_2018", *(["guesses_2018"] if result.guesses else [])]
    blocks += [heading("pwscup.reading"), Items(tuple(Sentence(f"pwscup.read.{key}") for key in keys))]
    blocks.append(Paragraph(Sentence("pwscup.versions", **vars(result.environment)), "reading"))
    title = Sentence("pwscup.score_2018.title", original=Data(result.original), release=Data(result.release))
    return Document(title, tuple(blocks))


def _write_headline(result: Score2018) -> Sentence:
    values = {"release": Data(result.release), "loss": format_decimals(result.loss)}
    unsafe = next((guess for guess in result.guesses if guess.unsafe), None)
    if unsafe is not None:
        return Sentence(
            "pwscup.score_2018.unsafe",
            **values,
            name=Data(unsafe.name),
            right=format_number(unsafe.right_guesses),
            guesses=format_number(unsafe.guesses),
            needed=format_number(unsafe.needed_guesses),
        )
    return Sentence(f"pwscup.score_2018.{'no_guess' if result.unsafe is None else 'not_unsafe'}", **values)


def _describe_tables(result: Score2018) -> Sentence:
    return Sentence(
        "pwscup.score_2018.facts",
        original=Data(result.original),
        release=Data(result.release),
        records=format_number(result.records),
        users=format_number(result.users),
        surviving=format_number(result.surviving),
        pseudonyms=format_number(result.pseudonyms),
    )


def _list_losses(result: Score2018) -> Listing:
    rows = [
        (
            Sentence(f"pwscup.attribute.{lost.attribute}"),
            *map(format_number, (lost.deleted, lost.sets, lost.intervals)),
            format_decimals(lost.loss),
        )
        for lost in result.columns
    ]
    rows.append((Sentence("pwscup.mean_loss"), "", "", "", format_decimals(result.loss)))
    keys = ("deleted_cells", "sets", "intervals", "loss_2018")
    columns = (text_column("pwscup.attribute_2018"), *(number_column(f"pwscup.{key}") for key in keys))
    return Listing(columns, tuple(rows), sql=("generalization_loss", "generalized_cells"))


def _list_guesses(result: Score2018) -> Listing:
    return Listing.of(
        result.guesses,
        lambda guess: (
            text_column("pwscup.guess_2018", Data(guess.name)),
            number_column("pwscup.guessed", format_number(guess.guesses)),
            number_column("pwscup.right", format_number(guess.right_guesses)),
            number_column("pwscup.needed", format_number(guess.needed_guesses)),
            text_column(
                "pwscup.judgement", Sentence(f"pwscup.{('unsafe' if guess.unsafe else 'not_unsafe')}")
            ),
        ),
        sql=("declared_unsafe",),
    )
