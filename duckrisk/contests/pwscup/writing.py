"""Writes the tables of the contest: the true pseudonyms, what attackers get of a release, what they know."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from duckrisk.base.errors import UsageError
from duckrisk.base.files import atomic_write
from duckrisk.contests.pwscup import contest_format, tables, violations
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Layout, Options, check_alpha, check_prefix, check_seed
from duckrisk.contests.pwscup.results import Written
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.release.anonymization import output
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.output import Target
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.source import Request, Source
from duckrisk.source.hierarchies import cell_of_moment

Progress = ProgressCallback | None
#: A table of pseudonyms has a column for each period.
_MOST_COLUMNS = 1000
_CONTEST = Sql("FORMAT csv, HEADER false, QUOTE '', ESCAPE ''")
_RELEASE, _TRUE, _KNOWN, _WRITTEN = "pws_release", "pws_true", "pws_known", "pws_written"


# --- what is written ------------------------------------------------------------------------------


def pseudonyms(
    original: Request,
    release: Request,
    master: Request | None,
    target: Target,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write the true pseudonyms: a line for each user, a cell for each period, DEL where there is none."""
    asked = [original, release, *([master] if master is not None else [])]
    with (
        open_target(target, asked, options.layout, private=True) as beside,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", "writing")
        files = Files(session, options, original, master, [release], outputs=[beside])
        history = tables.load_history(session, files)
        check_cells(history)
        tables.load_release(session, files, 0, history, _RELEASE)
        session.steps.begin("writing")
        tables.truth(session, history, _RELEASE, _TRUE)
        write_cells(session, history, _TRUE, target.path, beside, options.layout)
        return Written("pseudonyms", target.path, history.users, tables.size(session, _TRUE))


def release(
    source: Request,
    target: Target,
    seed: int | None,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write what attackers get of a release: the records that are not deleted, shuffled by the seed, or
    without one by the system's randomness, so that nobody can put them in their order again."""
    drawn = secrets.randbits(63) if seed is None else seed
    check_seed(drawn)
    with (
        open_target(target, [source], options.layout, private=False) as beside,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", "writing")
        files = Files(session, options, releases=[source], outputs=[beside])
        violations.begin(session)
        tables.read_cells(session, files, "release_0", options, needed=False)
        tables.refuse_cells(session, files["release_0"])
        session.steps.begin("writing")
        chain = _chain(session, files, "release_0")
        user = chain.find_column(options.layout.user if options.layout else "customer")
        _, kept = chain.count_records(render("survives", column=user.binding))
        chain.keep_records(render("survives", column=user.binding))
        chain.set_order(render("shuffled", seed=drawn))
        write(session, chain, target.path, beside, options.layout)
        return Written("release", target.path, kept, kept, seed)


def partial_knowledge(
    original: Request,
    target: Target,
    alpha: float,
    seed: int,
    prefix: int | None,
    options: Options,
    resources: Resources,
    progress: Progress = None,
) -> Written:
    """Write what an attacker knows: ``alpha`` percent of the records in their places, the others empty, and
    the first ``prefix`` characters of items."""
    check_alpha(alpha)
    check_seed(seed)
    check_prefix(prefix)
    with (
        open_target(target, [original], options.layout, private=True) as beside,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", "writing")
        files = Files(session, options, original, outputs=[beside])
        history = tables.load_history(session, files)
        session.steps.begin("writing")
        tables.draw_partial(session, history, alpha, seed, prefix, _KNOWN)
        chain = _chain(session, files, "original")
        if prefix is not None:
            item = chain.find_column(options.layout.item if options.layout else "item")
            chain.replace_column(item, render("first_characters", column=item.binding, characters=prefix))
        align(session, chain, chain.relation, identifier(_KNOWN), first=1, treated=False)
        write(session, chain, target.path, beside, options.layout)
        return Written("partial_knowledge", target.path, chain.records, tables.size(session, _KNOWN), seed)


# --- how ------------------------------------------------------------------------------------------


def _chain(session: Session, files: Files, role: str) -> Chain:
    source: Source = tables.to_treat(session, files, role)
    chain = Chain(session, source, Chance(0), {})
    chain.number = 1
    return chain


def align(session: Session, chain: Chain, every: Sql, kept: Sql, *, first: int, treated: bool) -> None:
    """Go on with all records in their places, empty where they are not among those that are kept."""
    chain.number += 1
    name = chain.name_table("aligned")
    session.run(
        "aligned_records",
        name=name,
        source=every,
        kept=kept,
        first=first,
        treated=treated,
        columns=chain.bindings,
    )
    chain.continue_with_table(name)


def write(session: Session, chain: Chain, path: Path, beside: Path, layout: Layout | None) -> None:
    """Write the records of a chain: as the contest does, or as a treatment does."""
    if layout is not None:
        output.write_file(session, chain, path, beside)
        return
    session.run("contest_text", name=_WRITTEN, source=chain.relation)
    with output.name_output_in_errors(session, path):
        session.run(
            "copy_release",
            source=identifier(_WRITTEN),
            columns=chain.bindings,
            names=list(contest_format.COLUMNS),
            order=chain.get_order(),
            path=str(beside),
            options=_CONTEST,
            group_bytes=None,
        )


def check_cells(original: tables.Original) -> None:
    """Raise UsageError for more periods than a table of pseudonyms has columns."""
    if original.periods > _MOST_COLUMNS:
        raise UsageError("pwscup.too_many_pseudonym_columns", periods=original.periods)


def write_cells(
    session: Session, original: tables.Original, cells: str, path: Path, beside: Path, layout: Layout | None
) -> None:
    """Write the pseudonyms in a standard table: a line for each user, a cell for each period."""
    session.run(
        "pseudonym_table",
        name=_WRITTEN,
        source=identifier(cells),
        users=identifier(original.users_table),
        periods=original.periods,
        order=original.order,
    )
    columns = ["user_id", *(f"p{index}" for index in range(original.periods))]
    names = [layout.user if layout else "user", *_periods(session, original)]
    asked = {
        "source": identifier(_WRITTEN),
        "columns": columns,
        "order": identifier("record"),
        "path": str(beside),
        "options": _format(path, layout),
        "group_bytes": output.get_group_bytes(session, path),
    }
    with output.name_output_in_errors(session, path):
        session.run(
            "copy_release", **asked, names=names if names[0] not in names[1:] else ["user", *names[1:]]
        )
    session.redact_last_statement(
        "copy_release", **asked, names=columns
    )  # the names of periods are values of records


def _format(path: Path, layout: Layout | None) -> Sql:
    return _CONTEST if layout is None else output.get_format(path)


def _periods(session: Session, original: tables.Original) -> list[str]:
    label = cell_of_moment(identifier("start"), "TIMESTAMP", original.unit, "period")
    rows = session.run(
        "period_names",
        unit=original.unit,
        start=identifier(tables.START),
        periods=original.periods,
        shown=label,
    )
    return [row["name"] for row in rows]


@contextmanager
def open_target(
    target: Target, sources: Sequence[Request], layout: Layout | None, *, private: bool
) -> Iterator[Path]:
    """The file beside the target that is renamed in the end; raises what :func:`check_target` does."""
    check_target(target, sources, layout)
    with atomic_write(target.path, private=private) as beside:
        yield beside.absolute()


def check_target(target: Target, sources: Sequence[Request], layout: Layout | None) -> None:
    """Raise UsageError or OutputError now for what could not be written later."""
    for source in sources:
        output.check_output(target, source)
    if layout is None and target.path.suffix.lower() != ".csv":
        raise UsageError("pwscup.output_not_csv", path=target.path.name)
