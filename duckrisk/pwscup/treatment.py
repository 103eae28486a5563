"""Makes a release of a history: new pseudonyms that live for some periods, and what stands out left out.

The treatments are those of ``duckrisk anonymize``; records that they delete stay as empty ones in their
places, so that the release is aligned with the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duckrisk.anonymization import Step, applied
from duckrisk.anonymization.chain import Chain
from duckrisk.anonymization.output import Target
from duckrisk.anonymization.randomness import Chance
from duckrisk.errors import UsageError
from duckrisk.pwscup import tables, writing
from duckrisk.pwscup.options import Options, check_seed
from duckrisk.session import Resources, Session
from duckrisk.source import Request
from duckrisk.templates import identifier


@dataclass(frozen=True)
class Wishes:
    """What is to be done: a pseudonym lives for ``life`` periods (None: for all); records are deleted whose
    item is bought once or by fewer than ``rare_items`` users, or whose price is beyond the mean and so many
    standard deviations (``outliers``); shares of the records exchange their dates and their items within a
    period."""

    life: int | None = 1
    rare_items: int | None = None
    outliers: float | None = None
    perturb_dates: float | None = None
    perturb_items: float | None = None

    def steps(self, options: Options) -> list[Step]:
        """The treatments, in the order in which they run. Raises UsageError for what makes no sense."""
        layout = options.layout
        user, date, item, price = (
            (layout.user, layout.date, layout.item, layout.price)
            if layout is not None
            else ("customer", "date", "item", "price")
        )
        within = {"period": options.period, "time": date}
        made = []
        if self.rare_items is not None:
            made.append(Step("delete-rare", {"column": item, "user": user, "users": self.rare_items}))
        if self.outliers is not None:
            if price is None:
                raise UsageError("The column of the price is not named; give --price to delete outliers.")
            made.append(Step("delete-outliers", {"column": price, "deviations": self.outliers}))
        for column, share in ((date, self.perturb_dates), (item, self.perturb_items)):
            if share is not None:
                made.append(Step("swap", {"column": column, "share": share, **within}))
        last = {} if self.life is None else {**within, "life": self.life}
        return [*made, Step("pseudonymize", {"column": user, **last})]


@dataclass(frozen=True)
class Anonymized:
    """What was written: the release, how many ``records`` it has and how many of them are left, and what each
    of the ``steps`` did, in counts."""

    path: Path
    records: int
    left: int
    steps: list[dict[str, Any]] = field(default_factory=list)


def run(
    original: Request,
    target: Target,
    wishes: Wishes,
    seed: int | None,
    options: Options,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None = None,
) -> Anonymized:
    """Write a release that is aligned with the original. Raises the errors of :mod:`duckrisk.errors`."""
    if seed is not None:
        check_seed(seed)
    options.check()
    steps = wishes.steps(options)
    with (
        writing.place(target, [original], options.layout, private=False) as made,
        Session(resources, watch) as session,
    ):
        opened = tables.Files(session, options, original, outputs=[made])
        found = tables.load_history(session, opened)
        chain = Chain(session, tables.to_treat(session, opened, "original"), Chance(seed), {})
        every, user = chain.relation, chain.column(steps[-1].get("column"))
        done = list(applied(chain, steps))
        writing.align(session, chain, every, chain.relation, first=0, treated=True)
        counted = session.row(
            "count_released", source=chain.relation, user=user.binding, users=identifier(found.users_table)
        )
        if counted["customers"]:
            raise UsageError(
                "New pseudonyms are users of the original, whose names look like P and a number; give them "
                "other names first."
            )
        writing.write(session, chain, target.path, made, options.layout)
    return Anonymized(target.path, chain.records, counted["left"], done)
