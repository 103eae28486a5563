"""Delete the records of small classes, and check the class sizes of a release."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import EngineError, UsageError
from duckrisk.engine.templates import Attribute, identifier
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.recoding import list_forms
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step

#: Sets of columns of one step (a choice: each takes a statement for every round).
_MAX_SETS = 1000
#: Methods that keep the records of a class together, and keep all of them.
_KEEPING_METHODS = ("generalize", "suppress", "top", "bottom", "shuffle")


@dataclass(frozen=True)
class ClassRequest:
    """The class sizes that a step asked for.

    Attributes:
        columns: Bindings of the quasi-identifiers.
        least: Minimum number of records in each class, or of different users if there is a user column.
        together: Number of columns that an attacker knows together.
        user: Binding of the user column; None to count records.
    """

    columns: Sequence[str]
    least: int
    together: int
    user: str | None = None

    @property
    def sets(self) -> Iterator[list[str]]:
        """The sets of columns that make classes."""
        return map(list, itertools.combinations(self.columns, self.together))


def get_class_request(chain: Chain, step: Step) -> ClassRequest | None:
    """Return the class sizes that a step asks for.

    Args:
        chain: The chain; only its remaining columns count.
        step: The step.

    Returns:
        The request; None if the step asks for none, or nothing is left to count.
    """
    if step.method not in ("k-anonymize", "delete-classes"):
        return None
    remaining = [chain.find_remaining(name) for name in step.get("quasi_identifiers")]
    columns = [column.binding for column in remaining if column is not None]
    together = min(step.get("together", len(columns)), len(columns))
    if not columns:
        return None
    user = chain.find_remaining(step.get("user")) if "user" in step.options else None
    if user is None and "user" in step.options:  # the user column was dropped
        return None
    least = step.get("k", step.get("below"))
    return ClassRequest(columns, least, together, user.binding if user is not None else None)


def delete_classes(chain: Chain, step: Step) -> Done:
    """Delete the records in classes of quasi-identifiers that are too small.

    Deleting for one set of columns can make classes of another set small, so this repeats until no set has
    any.

    Args:
        chain: The chain.
        step: The step, with its quasi-identifiers and the class size.

    Raises:
        UsageError: The options do not fit the columns.
    """
    columns = [chain.find_column(name).binding for name in step.get("quasi_identifiers")]
    if len(set(columns)) < len(columns):
        raise UsageError("anonymization.duplicate_quasi_identifier")
    together = step.get("together", len(columns))
    if together > len(columns):
        raise UsageError("anonymization.together_above_count", together=together, count=len(columns))
    if math.comb(len(columns), together) > _MAX_SETS:
        raise UsageError(
            "anonymization.too_many_sets",
            together=together,
            count=len(columns),
            most_sets=_MAX_SETS,
        )
    user = chain.find_column(step.get("user")).binding if "user" in step.options else None
    sensitive = [chain.find_column(name).binding for name in step.get("sensitive", ())]
    if (user is not None or sensitive) and together < len(columns):
        raise UsageError("anonymization.user_with_together")
    if common := set(sensitive) & set(columns):
        name = next(column.name for column in chain.columns if column.binding in common)
        raise UsageError("anonymization.sensitive_quasi_identifier", column=name)
    asked, source, session = (
        ClassRequest(columns, step.get("below"), together, user),
        chain.relation,
        chain.session,
    )
    tuples, small = chain.name_table("class_tuples"), chain.name_table("left_out")
    session.run("class_tuples", name=tuples, source=source, columns=columns, user=user)
    _remove_small_classes(chain, tuples, asked)
    if sensitive:
        _remove_disclosing_classes(chain, tuples, asked, list_forms(chain, step))
    session.run("records_left_out", name=small, source=source, remaining=identifier(tuples), columns=columns)
    records, _ = chain.count_records()
    deleted = session.fetch_row("table_size", source=identifier(small))["found"]
    chain.leave_out_records(small, deleted)
    if (least := measure_smallest_class(chain, asked)) is not None and least < asked.least:
        raise EngineError("anonymization.small_classes_remain")
    return Done(deleted=deleted, records=records - deleted)


def _remove_small_classes(chain: Chain, tuples: str, asked: ClassRequest) -> None:
    """Remove small classes of set after set from the combinations, until none is left.

    The result does not depend on the order of the sets.
    """
    sets = list(asked.sets)
    before, clean = chain.session.fetch_row("table_size", source=identifier(tuples))["found"], 0
    for chosen in itertools.cycle(sets):
        chain.session.run("leave_small_classes", name=tuples, columns=chosen, below=asked.least)
        after = chain.session.fetch_row("table_size", source=identifier(tuples))["found"]
        clean = 1 if after < before else clean + 1
        before = after
        if clean >= len(sets):
            return


def _remove_disclosing_classes(
    chain: Chain, tuples: str, asked: ClassRequest, forms: Sequence[Attribute]
) -> None:
    """Remove the combinations of classes that disclose a sensitive value.

    The shares of all people change with each deletion.
    """
    session, listed = chain.session, chain.name_table("disclosing")
    while True:
        session.run(
            "disclosing_classes",
            name=listed,
            remaining=tuples,
            source=chain.relation,
            columns=asked.columns,
            user=asked.user,
            forms=list(forms),
        )
        if not session.fetch_row("table_size", source=identifier(listed))["found"]:
            return
        session.run("leave_other_classes", name=tuples, columns=asked.columns, listed=listed)


def _keeps_records(step: Step) -> bool:
    """Return whether a step keeps all records, and those of a class together."""
    return step.method in _KEEPING_METHODS and not {"bands", "groups"} & step.options.keys()


def measure_smallest_class(chain: Chain, asked: ClassRequest) -> int | None:
    """Measure the smallest class of all sets in the records as they are now.

    Args:
        chain: The chain.
        asked: The requested classes.

    Returns:
        Number of records, or of users; None without records.
    """
    table = chain.name_table("made_tuples")
    chain.session.run(
        "class_tuples", name=table, source=chain.relation, columns=asked.columns, user=asked.user
    )
    rows = [
        chain.session.fetch_row("smallest_class", source=identifier(table), columns=chosen)
        for chosen in asked.sets
    ]
    chain.session.run("drop_table", table=table)
    return min((row["smallest"] for row in rows if row["smallest"] is not None), default=None)


def check_classes(chain: Chain, steps: Sequence[Step]) -> None:
    """Check that later steps kept the class sizes that earlier steps made.

    Args:
        chain: The chain after all steps.
        steps: The steps.

    Raises:
        UsageError: Classes became too small again.
    """
    for number, step in enumerate(steps, 1):
        later = [other.method for other in steps[number:] if not _keeps_records(other)]
        asked = get_class_request(chain, step)
        if asked is None or not later:
            continue
        size = measure_smallest_class(chain, asked)
        if size is not None and size < asked.least:
            by = ", ".join(dict.fromkeys(later))
            raise UsageError(
                "anonymization.classes_below_minimum",
                number=number,
                method=step.method,
                least=asked.least,
                by=by,
                found=size,
            )
