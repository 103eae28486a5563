"""Deletes the records of small classes, and holds a release against the class sizes that were asked for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import EngineError, UsageError
from duckrisk.engine.templates import identifier
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step

#: Classes are made under no more sets of columns than these.
_MAX_SETS = 1000
#: Methods after which the records of a class are still in one, and no fewer.
_KEEPING_METHODS = ("generalize", "suppress", "top", "bottom", "shuffle")


@dataclass(frozen=True)
class ClassRequest:
    """What a step asked for: ``least`` records in each class of any ``together`` of these columns, or so many
    different users where their column is named."""

    columns: Sequence[str]
    least: int
    together: int
    user: str | None = None

    @property
    def sets(self) -> Iterator[list[str]]:
        return map(list, itertools.combinations(self.columns, self.together))


def get_class_request(chain: Chain, step: Step) -> ClassRequest | None:
    """What a step asks of class sizes, in the columns that are still there; None where it does not."""
    if step.method not in ("k-anonymize", "delete-classes"):
        return None
    remaining = [chain.find_remaining(name) for name in step.get("quasi_identifiers")]
    columns = [column.binding for column in remaining if column is not None]
    together = min(step.get("together", len(columns)), len(columns))
    if not columns:
        return None
    user = chain.find_remaining(step.get("user")) if "user" in step.options else None
    if user is None and "user" in step.options:  # nobody can be counted any more
        return None
    least = step.get("k", step.get("below"))
    return ClassRequest(columns, least, together, user.binding if user is not None else None)


def delete_classes(chain: Chain, step: Step) -> Done:
    """Delete the records that quasi-identifiers, so many of them together, tell apart from all but a few. To
    delete for one set can make classes of another small: what is left is looked at until nothing is."""
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
    if user is not None and together < len(columns):
        raise UsageError("anonymization.user_with_together")
    asked, source, session = (
        ClassRequest(columns, step.get("below"), together, user),
        chain.relation,
        chain.session,
    )
    tuples, small = chain.name_table("class_tuples"), chain.name_table("left_out")
    session.run("class_tuples", name=tuples, source=source, columns=columns, user=user)
    _remove_small_classes(chain, tuples, asked)
    session.run("records_left_out", name=small, source=source, left=identifier(tuples), columns=columns)
    records, _ = chain.count_records()
    deleted = session.fetch_row("table_size", source=identifier(small))["found"]
    chain.leave_out_records(small, deleted)
    if (least := measure_smallest_class(chain, asked)) is not None and least < asked.least:
        raise EngineError("anonymization.small_classes_remain")
    return Done(deleted=deleted, records=records - deleted)


def _remove_small_classes(chain: Chain, tuples: str, asked: ClassRequest) -> None:
    """Take small classes out of the combinations that are left, set after set, until no set has any: what
    is left then is the same in whatever order."""
    sets = list(asked.sets)
    before, clean = chain.session.fetch_row("table_size", source=identifier(tuples))["found"], 0
    for chosen in itertools.cycle(sets):
        chain.session.run("leave_small_classes", name=tuples, columns=chosen, below=asked.least)
        after = chain.session.fetch_row("table_size", source=identifier(tuples))["found"]
        clean = 1 if after < before else clean + 1
        before = after
        if clean >= len(sets):
            return


def measure_smallest_class(chain: Chain, asked: ClassRequest) -> int | None:
    """The records of the smallest class of all sets, read from the records as they are now."""
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
    """Raise UsageError where later steps made classes small again that an earlier one had seen to."""
    for number, step in enumerate(steps, 1):
        later = [other.method for other in steps[number:] if other.method not in _KEEPING_METHODS]
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
