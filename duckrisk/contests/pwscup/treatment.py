"""Makes a release of a history: new pseudonyms, outliers deleted, dates and items exchanged.

The treatments are those of ``duckrisk anonymize``. Deleted records stay as empty lines, so that the release
is aligned with the original. Records without a user, a date or an item are deleted too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.files import atomic_write, name_output
from duckrisk.base.numbers import format_number
from duckrisk.base.options.output import Draws
from duckrisk.base.results import Count, Result, aside
from duckrisk.base.sentences import Sentence
from duckrisk.contests.pwscup import tables, writing
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Options, ReleaseOptions
from duckrisk.contests.pwscup.pseudonym_control import pass_pseudonyms_on, renew_pseudonyms
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier, render
from duckrisk.release.anonymization import Step, StepDone, apply_steps, recipe
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.output import Target
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.steps import Treatment
from duckrisk.source import Request


@dataclass(frozen=True)
class ReleaseSettings(ReleaseOptions):
    """How a release is made; the fields are those of :class:`ReleaseOptions`."""

    def list_steps(self, options: Options) -> list[Step]:
        """Return the treatments in the order in which they run.

        Raises:
            UsageError: Outliers are to go, but no column of prices is named.
        """
        user, date, item, price = _name_columns(options)
        within = {"period": options.period, "time": date}
        steps = []
        if self.rare_items is not None:
            steps.append(Step("delete-rare", {"column": item, "user": user, "users": self.rare_items}))
        if self.outliers is not None:
            if price is None:
                raise UsageError("pwscup.price_missing")
            steps.append(Step("delete-outliers", {"column": price, "deviations": self.outliers}))
        for column, share in ((date, self.perturb_dates), (item, self.perturb_items)):
            if share is not None:
                steps.append(Step("swap", {"column": column, "share": share, **within}))
        last = {} if self.life is None else {**within, "life": self.life}
        return [*steps, Step("pseudonymize", {"column": user, **last})]


@dataclass(frozen=True, repr=False)
class Anonymized(Result):
    """A release that was written, aligned with the original, with its recipe and what the steps did."""

    report: ClassVar[str] = "pwscup_anonymize"
    sql: ClassVar[tuple[str, ...]] = ("count_where", "count_released")

    path: Path
    recipe_path: Path
    records: Annotated[Count, "The records of the release, deleted ones among them."]
    left: Annotated[Count, "Those that are not deleted."]
    incomplete: Annotated[Count, "Records of the original without a user, a date or an item."]
    steps: tuple[StepDone, ...]
    notes: tuple[Sentence, ...]
    statements: tuple[Statement, ...] = aside()


def run(
    original: Request,
    target: Target,
    settings: ReleaseSettings,
    seed: int | None,
    options: Options,
    resources: Resources,
    progress: ProgressCallback | None = None,
) -> Anonymized:
    """Write a release that is aligned with the original, and its recipe.

    Args:
        original: The history.
        target: The file that is written; the recipe is written to its folder.
        settings: How the release is made.
        seed: The seed of all draws; None draws by the system's randomness.
        options: The layout of the files.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What was written and what each step did.

    Raises:
        UsageError: The settings do not fit the history.
        SourceError: The original cannot be used.
        OutputError: A file cannot be written.
    """
    Draws(seed).check()
    options.check()
    settings.check()
    steps = settings.list_steps(options)
    recipe_path = recipe.check_recipe_path(target.named, original, overwrite=target.overwrite)
    with (
        atomic_write(recipe_path, private=False) as recipe_file,
        writing.open_run(
            target,
            [original],
            options.layout,
            resources,
            progress,
            private=False,
            steps=("anonymization", "writing"),
        ) as (session, file),
    ):
        files = Files(session, options, original, outputs=[file])
        history = tables.load_history(session, files)
        session.steps.begin("anonymization")
        treated = treat_history(session, files, history, settings, seed)
        chain = treated.chain
        session.steps.begin("writing")
        writing.write_records(session, chain, target.path, file, options.layout)
        source = files["original"].source
        zoned = source.timezone_notes if source is not None else []
        reading = Resources(timezone=session.timezone if zoned else None)
        comment = _comment_recipe(target.path, settings, seed)
        treatment = Treatment(tuple(steps), seed)
        with name_output(recipe_path):
            text = recipe.render_recipe(treatment, [], recipe_path.parent, comment, reading=reading)
            recipe_file.write_text(text, encoding="utf-8")
    seeded = [Sentence("anonymization.history_seed")] if seed is not None else []
    return Anonymized(
        path=target.path,
        recipe_path=recipe_path,
        records=chain.records,
        left=treated.left,
        incomplete=history.incomplete_records,
        steps=treated.steps,
        notes=(*zoned, *seeded, *treated.notes),
        statements=tuple(session.log),
    )


@dataclass(frozen=True)
class Treated:
    """A release as the last relation of a chain, aligned with its history.

    Attributes:
        chain: The chain.
        user: The binding of the pseudonyms.
        left: The records that are not deleted.
        steps: What the steps did.
        notes: What was done to pseudonyms after the steps.
    """

    chain: Chain
    user: str
    left: int
    steps: tuple[StepDone, ...]
    notes: tuple[Sentence, ...]


def treat_history(
    session: Session, files: Files, history: tables.Original, settings: ReleaseSettings, seed: int | None
) -> Treated:
    """Make a release of the history that was read last.

    Args:
        session: Runs the statements.
        files: The files of the run.
        history: The history.
        settings: How the release is made.
        seed: The seed of all draws; None draws by the system's randomness.

    Returns:
        The release.

    Raises:
        UsageError: The settings do not fit the history, or a pseudonym is a user.
    """
    steps = settings.list_steps(files.options)
    chain = Chain(session, tables.open_for_treatment(session, files, "original"), Chance(seed), {})
    every = chain.relation
    user, date, item = (chain.find_column(name) for name in _name_columns(files.options)[:3])
    chain.number = len(steps) + 1  # the steps have the numbers before
    chain.keep_records(render("is_complete", user=user.binding, date=date.binding, item=item.binding))
    done = tuple(apply_steps(chain, steps))
    writing.align_records(session, chain, every, chain.relation, first=0, treated=True)
    notes = _control_pseudonyms(chain, history, user.binding, settings)
    if settings.false_order:
        _exchange_places(session, chain, history)
        notes.append(Sentence("anonymization.false_order"))
    users = identifier(history.users_table)
    counted = session.fetch_row("count_released", source=chain.relation, user=user.binding, users=users)
    if counted["customers"]:
        raise UsageError("pwscup.pseudonyms_like_users")
    return Treated(chain, user.binding, counted["left"], done, tuple(notes))


def _control_pseudonyms(
    chain: Chain, history: tables.Original, user: str, settings: ReleaseSettings
) -> list[Sentence]:
    """Renew pseudonyms and pass them on; return what was done."""
    notes = []
    if settings.renew_after is not None:
        count = renew_pseudonyms(chain, history, user, settings.renew_after)
        after = format_number(settings.renew_after)
        notes.append(Sentence("anonymization.renewed", count=format_number(count), after=after))
    if settings.exchange_pseudonyms:
        count = pass_pseudonyms_on(chain, history, user, settings.exchange_pseudonyms)
        notes.append(Sentence("anonymization.passed_on", count=format_number(count)))
    return notes


def _exchange_places(session: Session, chain: Chain, history: tables.Original) -> None:
    """Continue a chain with each person's records in the lines of another person."""
    chain.number += 1
    name = chain.name_table("false_order")
    session.run(
        "false_order",
        name=name,
        source=chain.relation,
        original=identifier(history.table),
        drawn=chain.chance.render_draw("false_order"),
        columns=chain.bindings,
    )
    chain.continue_with_table(name)


def _name_columns(options: Options) -> tuple[str, str, str, str | None]:
    """Return the names of the columns of users, dates, items and prices."""
    layout = options.layout
    if layout is None:
        return ("customer", "date", "item", "price")
    return (layout.user, layout.date, layout.item, layout.price)


def _comment_recipe(path: Path, settings: ReleaseSettings, seed: int | None) -> list[str]:
    """Return the lines of the comment at the top of a recipe."""
    lines = [
        f"How duckrisk {duckrisk.__version__} made {path.name}: `duckrisk pwscup anonymize` leaves deleted",
        "records in their places, as empty ones. With names of columns the steps can also be run by",
        "`duckrisk anonymize SOURCE -o OUT --recipe FILE`, which leaves deleted records out.",
    ]
    if settings.renew_after is not None:
        records = f"{settings.renew_after} records (--renew-after)"
        lines.append(f"Then pseudonyms were renewed after {records}, which no step does.")
    if settings.exchange_pseudonyms:
        share = f"{settings.exchange_pseudonyms:g} (--exchange-pseudonyms)"
        lines.append(f"Then in each period a share of {share} passed pseudonyms on, which no step does.")
    if settings.false_order:
        lines.append("In the end the records of each person took the places of another's (--false-order).")
    return lines if seed is not None else [*lines, "Without a seed every run draws anew."]
