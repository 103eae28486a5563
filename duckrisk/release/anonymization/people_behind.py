"""Find the person behind each record of a release, by its original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.release.anonymization import apply_steps, recipe
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.steps import DRAWING_METHODS, Step, Treatment
from duckrisk.roles.overrides import form_joined_key
from duckrisk.source import Column, Request, Source, hierarchies
from duckrisk.source.model import find_column
from duckrisk.source.recipes import find_recipe

#: Methods that leave records out or change their order.
_MOVING_METHODS = (
    *("delete", "delete-rare", "delete-outliers", "delete-classes", "sample", "truncate"),
    *("summarize", "shuffle"),
)
#: Columns that are compared row by row (a choice: enough to see that two tables belong together).
_MAX_COMPARED_COLUMNS = 32
_NUMBERS = Sql("temp.main.released_numbers")


@dataclass(frozen=True)
class Matching:
    """How the records of a release are matched with those of its original.

    Attributes:
        treatment: The treatment of the release's recipe; None without one.
        is_aligned: Whether a person says that records correspond in their order.
        key: Bindings of a key in the original and in the release; None without one.
        numbers: View of the numbers of the released records, in the order of the release; None to find them.
    """

    treatment: Treatment | None = None
    is_aligned: bool = False
    key: tuple[str, str] | None = None
    numbers: Sql | None = None

    @classmethod
    def by_recipe(cls, release: Request, **given: Any) -> Matching:
        """Return the matching by the recipe of a release, else as given.

        Args:
            release: How the release is opened.
            given: Arguments of the matching.
        """
        path = find_recipe(release)
        return cls(None if path is None else recipe.load(path), **given)


@dataclass(frozen=True)
class OriginalTable:
    """The original of a release, matched with it by the recipe of the release.

    See :class:`duckrisk.decision.assessment.release_roles.Original`.
    """

    table: Request

    def build_request(self, release: Request) -> Request:
        """Return how to read the original, completed by the recipe.

        Args:
            release: How the release is opened.
        """
        treatment = Matching.by_recipe(release).treatment
        return self.table if treatment is None else self.table.with_defaults_from(treatment.source)

    def create_people_table(
        self,
        session: Session,
        original: Source,
        user: Column,
        release: Source,
        relation: Sql,
        request: Request,
        table: str,
    ) -> None:
        """Create a table of the person behind each record of the release."""
        create_people_table(session, original, user, release, relation, Matching.by_recipe(request), table)


def create_people_table(
    session: Session,
    original: Source,
    user: Column,
    release: Source,
    relation: Sql,
    matching: Matching,
    table: str,
    *,
    folds: bool = False,
) -> None:
    """Create a table of the person behind each record of a release.

    Args:
        session: The session, with the original as the assessed view.
        original: The original.
        user: The user column of the original.
        release: The release.
        relation: The relation of the session that holds its records.
        matching: How the records are matched.
        table: Name of the table, with the columns "number" (of a record) and "person".
        folds: Whether keys that differ only in case, blanks or width are one.

    Raises:
        UsageError: The records cannot be matched, or the original is another table.
    """
    form_joined_key(original, user.name)
    if folds and user.type == "VARCHAR" and not original.has_folded_key:
        original.form_person_key([user.name], fold=True)
    _match_numbers(session, original, release, relation, matching)
    found = session.fetch_row("table_size", source=_NUMBERS)["found"]
    records = session.fetch_row("count_records", source=relation)["records"]
    if found != records:
        raise UsageError(
            "anonymization.release_count_differs",
            release=release.name,
            original=original.name,
            records=records,
            found=found,
        )
    if not matching.is_aligned and matching.key is None:
        _check_rows(session, original, release, relation, matching.treatment)
    session.run("people_behind", original=ASSESSED, numbers=_NUMBERS, user=user.binding, table=table)


def _match_numbers(
    session: Session, original: Source, release: Source, relation: Sql, matching: Matching
) -> None:
    """Match the numbers of the records of both tables."""
    if matching.numbers is not None:
        session.run("given_numbers", source=matching.numbers)
        return
    if matching.key is not None:
        keys = dict(zip(("original_key", "release_key"), matching.key, strict=True))
        session.run("key_numbers", original=ASSESSED, release=relation, **keys)
        return
    steps = _list_moving_steps(matching.treatment)
    if matching.treatment is None or not steps:
        session.run("same_numbers", original=ASSESSED)
        return
    treatment = matching.treatment
    drawing = (*DRAWING_METHODS, *(["pseudonymize"] if _is_sorted(steps) else []))
    if treatment.seed is None and any(step.method in drawing for step in steps):
        raise UsageError("anonymization.release_drawn_without_seed", release=release.name)
    definitions = hierarchies.parse_hierarchies(treatment.hierarchies, treatment.folder, "the treatment")
    digested = original.digest_positions
    original.use_digests(())  # conditions compare whole texts
    chain = Chain(session, original, Chance(treatment.seed), definitions)
    for _ in apply_steps(chain, steps):
        pass
    session.run("kept_numbers", source=chain.relation, order=chain.get_order() or identifier("record"))
    original.use_digests(digested)


def _list_moving_steps(treatment: Treatment | None) -> Sequence[Step]:
    """Return the steps up to the last one that leaves out or reorders records.

    A sorted release is in the order of what all steps gave.
    """
    steps = treatment.steps if treatment is not None else ()
    if _is_sorted(steps):
        return steps
    moving = [place for place, step in enumerate(steps, 1) if step.method in _MOVING_METHODS]
    return steps[: moving[-1]] if moving else ()


def _is_sorted(steps: Sequence[Step]) -> bool:
    return any(step.method == "sort" for step in steps)


def _check_rows(
    session: Session, original: Source, release: Source, relation: Sql, treatment: Treatment | None
) -> None:
    """Check that unchanged columns have the same values row by row.

    Without a recipe, one column with several values must be the same row by row.

    Raises:
        UsageError: They have these values in other rows.
    """
    changed = {
        name.casefold()
        for step in (treatment.steps if treatment else ())
        for name in _list_changed_columns(step)
    }
    pairs = [
        (column, there)
        for column in release.columns
        if (there := find_column(original.columns, column.name)) is not None
        and there.type == column.type
        and there.name.casefold() not in changed
    ][:_MAX_COMPARED_COLUMNS]
    is_alike = treatment is not None
    if pairs:
        shared = {"original": ASSESSED, "release": relation}
        row = session.fetch_row(
            "rows_alike",
            **shared,
            numbers=_NUMBERS,
            columns=[there.binding for _, there in pairs],
            released=[column.binding for column, _ in pairs],
        )
        is_copy = row["present"] == row["alike"] and len(pairs) == len(release.columns)
        figures = zip(pairs, row["present"], row["alike"], row["varies"], strict=True)
        for (column, there), present, alike, varies in figures:
            is_alike = is_alike or is_copy or (alike == present and varies)
            if 2 * alike < present:
                bindings = {"column": there.binding, "released_column": column.binding}
                if not session.fetch_row("foreign_values", **shared, **bindings)["found"]:
                    raise UsageError(
                        "anonymization.release_order_differs",
                        column=column.name,
                        release=release.name,
                        original=original.name,
                    )
    if not is_alike:
        raise UsageError("anonymization.release_not_alignable", release=release.name, original=original.name)


def _list_changed_columns(step: Step) -> Sequence[str]:
    """List the columns that a step changes."""
    recoded = step.get("quasi_identifiers", ()) if step.method == "k-anonymize" else ()
    return [name for name in (step.get("column"), *step.get("columns", ()), *recoded) if name]
