"""Writes the tables of the contest: true pseudonyms, what attackers get of a release, and what they know."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from duckrisk.base.errors import UsageError
from duckrisk.base.files import atomic_write
from duckrisk.base.options.output import Draws
from duckrisk.contests.common import copy_without_header, count_rows, format_without_header
from duckrisk.contests.pwscup import contest_format, tables, violations
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import KnownShare, Layout, Options
from duckrisk.contests.pwscup.results import Written
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.release.anonymization import output
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.output import Target
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.source import Request
from duckrisk.source.hierarchies import render_period

Progress = ProgressCallback | None
#: Columns; a table of pseudonyms has one a period (a choice: three years of days stay readable).
_MAX_COLUMNS = 1000
_CONTEST_QUOTING = ", QUOTE '', ESCAPE ''"
_RELEASE, _TRUE, _KNOWN, _WRITTEN = "pws_release", "pws_true", "pws_known", "pws_written"


# --- the jobs -------------------------------------------------------------------------------------


def pseudonyms(
    original: Request,
    release: Request,
    master: Request | None,
    target: Target,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write the true pseudonyms: a line a user, a cell a period, DEL for none.

    Args:
        original: The history.
        release: The release, aligned with the original.
        master: The master table, which lists all users.
        target: The file that is written.
        options: The layout of the files.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What was written.

    Raises:
        UsageError: There are more periods than a table has columns.
        SourceError: A file breaks a constraint.
    """
    requests = [original, release, *([master] if master is not None else [])]
    with open_run(target, requests, options.layout, resources, progress, private=True) as (session, file):
        files = Files(session, options, original, master, [release], outputs=[file])
        history = tables.load_history(session, files)
        check_width(history)
        tables.load_release(session, files, 0, history, _RELEASE)
        session.steps.begin("writing")
        tables.make_truth(session, history, _RELEASE, _TRUE)
        write_pseudonyms(session, history, _TRUE, target.path, file, options.layout)
        return Written("pseudonyms", target.path, history.users, count_rows(session, _TRUE))


def release(
    source: Request,
    target: Target,
    seed: int | None,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write what attackers get: the records that are not deleted, shuffled.

    Args:
        source: The release.
        target: The file that is written.
        seed: The seed of the order; None draws by the system's randomness, so nobody can restore the order.
        options: The layout of the files.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What was written.

    Raises:
        UsageError: The seed is out of range.
        SourceError: The release breaks the format.
    """
    Draws(seed).check()
    drawn = secrets.randbits(63) if seed is None else seed
    with open_run(target, [source], options.layout, resources, progress, private=False) as (session, file):
        files = Files(session, options, releases=[source], outputs=[file])
        violations.clear(session)
        tables.read_cells(session, files, "release_0", options, needed=False)
        tables.refuse_bad_cells(session, files["release_0"])
        session.steps.begin("writing")
        chain = _open_chain(session, files, "release_0")
        user = chain.find_column(options.layout.user if options.layout else "customer")
        _, kept = chain.count_records(render("survives", column=user.binding))
        chain.keep_records(render("survives", column=user.binding))
        chain.set_order(render("shuffled", seed=drawn))
        write_records(session, chain, target.path, file, options.layout)
        return Written("release", target.path, kept, kept, seed)


def partial_knowledge(
    original: Request,
    target: Target,
    alpha: float,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write what an attacker knows: a share of the records, the others empty.

    Args:
        original: The history.
        target: The file that is written.
        alpha: The known share of the records, in percent.
        options: The layout of the files, the seed of the draw, and the known characters of an item.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What was written.

    Raises:
        UsageError: The share, the seed or the prefix is out of range.
        SourceError: The original cannot be used.
    """
    KnownShare(alpha).check()
    options.check()
    seed, prefix = options.seed, options.item_prefix
    with open_run(target, [original], options.layout, resources, progress, private=True) as (session, file):
        files = Files(session, options, original, outputs=[file])
        history = tables.load_history(session, files)
        session.steps.begin("writing")
        tables.draw_partial(session, history, alpha, seed, prefix, _KNOWN)
        chain = _open_chain(session, files, "original")
        if prefix is not None:
            item = chain.find_column(options.layout.item if options.layout else "item")
            chain.replace_column(item, render("first_characters", column=item.binding, characters=prefix))
        align_records(session, chain, chain.relation, identifier(_KNOWN), first=1, treated=False)
        write_records(session, chain, target.path, file, options.layout)
        return Written("partial_knowledge", target.path, chain.records, count_rows(session, _KNOWN), seed)


# --- their parts ----------------------------------------------------------------------------------


@contextmanager
def open_run(
    target: Target,
    sources: Sequence[Request],
    layout: Layout | None,
    resources: Resources,
    progress: Progress,
    *,
    private: bool,
    steps: Sequence[str] = ("writing",),
) -> Iterator[tuple[Session, Path]]:
    """Open the file that is renamed to the target in the end, and a session.

    Args:
        target: The file that is written.
        sources: The sources of the run, which must not be overwritten.
        layout: The layout of named columns; None for files of the contest.
        resources: The limits of the engine.
        progress: Receives the progress.
        private: Whether only the user may read the file.
        steps: The steps of the run after reading its sources.

    Raises:
        UsageError: The file would overwrite a source or has the wrong suffix.
        OutputError: The file cannot be written.
    """
    with (
        open_target(target, sources, layout, private=private) as file,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", *steps)
        yield session, file


def _open_chain(session: Session, files: Files, role: str) -> Chain:
    chain = Chain(session, tables.open_for_treatment(session, files, role), Chance(0), {})
    chain.number = 1
    return chain


def align_records(
    session: Session, chain: Chain, every: Sql, kept: Sql, *, first: int, treated: bool
) -> None:
    """Continue a chain with all records in their lines, empty if not kept.

    Args:
        session: Runs the statement.
        chain: The chain of treatments.
        every: The relation of all records.
        kept: The relation of the records that are kept.
        first: The number of the first record in `kept`.
        treated: Whether the cells are taken from `kept` rather than from `every`.
    """
    chain.number += 1
    name = chain.name_table("aligned")
    session.run(
        "aligned_records",
        name=name,
        source=every,
        kept_records=kept,
        first_number=first,
        treated=treated,
        columns=chain.bindings,
    )
    chain.continue_with_table(name)


def write_records(session: Session, chain: Chain, path: Path, file: Path, layout: Layout | None) -> None:
    """Write the records of a chain: without a header for the contest, else with one."""
    if layout is not None:
        output.write_file(session, chain, path, file)
        return
    session.run("contest_text", name=_WRITTEN, source=chain.relation)
    copy_without_header(
        session,
        identifier(_WRITTEN),
        chain.bindings,
        contest_format.COLUMNS,
        chain.get_order(),
        path,
        file,
        _CONTEST_QUOTING,
    )


def check_width(original: tables.Original) -> None:
    """Refuse to write a table of pseudonyms with too many columns.

    Raises:
        UsageError: There are more periods than a table has columns.
    """
    if original.periods > _MAX_COLUMNS:
        raise UsageError("pwscup.too_many_pseudonym_columns", periods=original.periods)


def write_pseudonyms(
    session: Session, original: tables.Original, cells: str, path: Path, file: Path, layout: Layout | None
) -> None:
    """Write a table of pseudonyms by user and period: a line a user, a cell a period."""
    session.run(
        "pseudonym_table",
        name=_WRITTEN,
        source=identifier(cells),
        users=identifier(original.users_table),
        periods=original.periods,
        order=original.order,
    )
    columns = ["user_id", *(f"p{index}" for index in range(original.periods))]
    names = [layout.user if layout else "user", *_name_periods(session, original)]
    if names[0] in names[1:]:
        names[0] = "user"
    arguments = {
        "source": identifier(_WRITTEN),
        "columns": columns,
        "order": identifier("record"),
        "path": str(file),
        "options": format_without_header(_CONTEST_QUOTING) if layout is None else output.get_format(path),
        "group_bytes": output.get_group_bytes(session, path),
    }
    with output.name_output_in_errors(session, path):
        session.run("copy_release", **arguments, names=names)
    session.redact_last_statement(
        "copy_release", **arguments, names=columns
    )  # the names of periods are values of records


def _name_periods(session: Session, original: tables.Original) -> list[str]:
    label = render_period(identifier("start"), "TIMESTAMP", original.unit, "period")
    rows = session.run(
        "period_names",
        unit=original.unit,
        start=identifier(tables.START),
        periods=original.periods,
        period_text=label,
    )
    return [row["name"] for row in rows]


@contextmanager
def open_target(
    target: Target, sources: Sequence[Request], layout: Layout | None, *, private: bool
) -> Iterator[Path]:
    """Open the file that is renamed to the target; see :func:`check_target`."""
    check_target(target, sources, layout)
    with atomic_write(target.path, private=private) as file:
        yield file.absolute()


def check_target(target: Target, sources: Sequence[Request], layout: Layout | None) -> None:
    """Refuse a target before anything runs.

    Raises:
        UsageError: The file would overwrite a source or has the wrong suffix.
        OutputError: The file cannot be written.
    """
    for source in sources:
        output.check_output(target, source)
    if layout is None and target.path.suffix.lower() != ".csv":
        raise UsageError("pwscup.output_not_csv", path=target.path.name)
