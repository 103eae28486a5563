"""Make the report on releases one after another."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_probability, format_share
from duckrisk.base.sentences import Data, Sentence, list_names
from duckrisk.decision.assessment.verdict import describe_together
from duckrisk.measures.sequence.results import (
    ChangedPeople,
    LeftValues,
    LinkedPeople,
    PeopleOfRelease,
    ReleasesTogether,
)
from duckrisk.release.sequence.results import ReleaseSequence
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Fact,
    Facts,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)


def make_document(result: ReleaseSequence) -> Document:
    """Say who is alone in all releases together, then what else they show."""
    title = Sentence(
        "sequence.title",
        count=format_number(len(result.releases)),
        names=list_names(release.name for release in result.releases),
    )
    versions = Sentence(
        "assess.versions",
        duckrisk=Data(result.environment.duckrisk),
        duckdb=Data(result.environment.duckdb),
    )
    blocks: list[Block] = [
        Paragraph(describe_together(result.together), "headline"),
        Paragraph(_describe_attacker(result)),
        *_make_cards(result.together),
        heading("sequence.releases"),
        Listing.of(result.releases, _list_release, whole=True, sql=("sequence_counts",)),
        *_list_changes(result),
        *_list_links(result),
        *_list_values(result),
        heading("sequence.reading"),
        Items(tuple(Sentence(f"sequence.read.{name}") for name in ("tuple", "changes", "links", "values"))),
        *paragraphs(result.notes, "warning"),
        Paragraph(versions),
    ]
    return Document(title, tuple(blocks))


def _describe_attacker(result: ReleaseSequence) -> Sentence:
    """Say what an attacker needs to know to use several releases."""
    return Sentence("sequence.keyed" if result.together.keyed else "sequence.linked", user=Data(result.user))


def _make_cards(together: ReleasesTogether) -> list[Block]:
    figures = {
        "people": format_number(together.people),
        "hidden": format_number(together.hidden),
        "alone": format_number(together.alone),
        "exposed": format_share(together.exposed_share),
    }
    cards = [Fact(Sentence(f"sequence.card.{name}"), figure) for name, figure in figures.items()]
    return [Facts(tuple(cards))]


def _list_release(release: PeopleOfRelease) -> tuple[Column, ...]:
    lacks = list_names(release.lacks) if release.lacks else "-"
    return (
        text_column("sequence.release", Data(release.name)),
        number_column("sequence.people", format_number(release.people)),
        number_column("sequence.alone", format_number(release.alone)),
        number_column("sequence.alone_of_common", format_number(release.alone_of_common)),
        number_column("sequence.smallest_class", format_number(release.smallest_class)),
        text_column("sequence.lacks", lacks, priority=1),
        text_column("sequence.unused", list_names(release.unused) if release.unused else "-", priority=2),
    )


def _list_changes(result: ReleaseSequence) -> list[Block]:
    """List who joined and who left."""

    def list_change(entry: ChangedPeople) -> tuple[Column, ...]:
        return (
            text_column("sequence.release", Data(entry.release)),
            text_column("sequence.change", Sentence(f"sequence.{entry.change}")),
            number_column("sequence.people", format_number(entry.people)),
            number_column("sequence.alone_of_them", format_number(entry.alone)),
            number_column("sequence.hidden_in_release", format_number(entry.hidden)),
        )

    listing = Listing.of(result.changes, list_change, whole=True, sql=("changed_people",))
    return [heading("sequence.changes"), listing] if result.changes else []


def _list_links(result: ReleaseSequence) -> list[Block]:
    """List who is linked by stable columns alone."""
    if not result.links:
        return [heading("sequence.links"), Paragraph(Sentence("sequence.no_stable"))]

    def list_link(entry: LinkedPeople) -> tuple[Column, ...]:
        return (
            text_column("sequence.release", Data(entry.release)),
            text_column("sequence.next", Data(entry.next_release)),
            number_column("sequence.people", format_number(entry.people)),
            number_column("sequence.linked_people", format_number(entry.linked)),
            number_column("sequence.right", format_number(entry.linked_right)),
            number_column("sequence.wrong", format_number(entry.linked_wrong)),
            number_column("sequence.chance", format_probability(entry.chance)),
        )

    names = Sentence("sequence.stable", names=list_names(result.stable))
    listing = Listing.of(result.links, list_link, whole=True, sql=("linked_people",))
    return [heading("sequence.links"), Paragraph(names), listing]


def _list_values(result: ReleaseSequence) -> list[Block]:
    """List what is left of sensitive values."""
    if not result.values:
        return [heading("sequence.values"), Paragraph(Sentence("sequence.no_sensitive"))]

    def list_value(entry: LeftValues) -> tuple[Column, ...]:
        return (
            text_column("sequence.column", Data(entry.column)),
            number_column("sequence.several", format_number(entry.several)),
            number_column("sequence.disclosed", format_number(entry.disclosed)),
            number_column("sequence.share", format_share(entry.share)),
            number_column("sequence.correct", format_number(entry.correct)),
            number_column("sequence.emptied", format_number(entry.emptied)),
        )

    listing = Listing.of(result.values, list_value, whole=True, sql=("left_values",))
    return [heading("sequence.values"), listing]
