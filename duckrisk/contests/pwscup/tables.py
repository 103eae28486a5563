"""Reads histories, releases, partial tables, master tables and guesses into the standard tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.common import count_rows
from duckrisk.contests.pwscup import violations
from duckrisk.contests.pwscup.contest_format import COLUMNS as CONTEST_COLUMNS
from duckrisk.contests.pwscup.contest_format import DATE, NUMBER
from duckrisk.contests.pwscup.files import Files, Opened, Text, partial_role
from duckrisk.contests.pwscup.options import Layout, Options
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date, is_number, is_timestamp
from duckrisk.source import VIEW, Column, Source

ORIGINAL, USERS, MASTER = "pws_original", "pws_users", "pws_master"
#: The records of the file that was read last, as they are written.
CELLS = "pws_cells"
#: The first day of the first period. It is a value of records, so statements hold no literal of it.
START = "pws_start"
_LINES, _PARSED = "pws_lines", "pws_parsed"
_FIELDS = len(CONTEST_COLUMNS)
_MASTER_COLUMNS = ("user_id", "sex", "born", "country")
#: Months; a file of the contest holds at least this many periods (rules of PWS Cup 2017).
_PERIODS_OF_A_YEAR = 12
#: Periods; with more, a date is far off (a choice: 27 years of days).
_MAX_PERIODS = 10_000


@dataclass(frozen=True)
class Original:
    """The original as a standard table.

    Attributes:
        name: The file.
        records: Records in the file.
        incomplete_records: Records without a user, a date or an item.
        users: Users, of the master table if there is one.
        periods: Periods that a pseudonym can be valid for.
        first: The first day of the first period.
        order: SQL of the order of users.
        unit: The unit of periods, such as "month".
        table: The standard table.
        users_table: The table of users.
    """

    name: str
    records: int
    incomplete_records: int
    users: int
    periods: int
    first: dt.date
    order: Sql
    unit: str
    table: str = ORIGINAL
    users_table: str = USERS


# --- the original --------------------------------------------------------------------------------


def load_history(session: Session, files: Files) -> Original:
    """Read the original into :data:`ORIGINAL` and :data:`USERS`, and the master table.

    Raises:
        SourceError: The file breaks the format, has no complete record or too many periods.
    """
    options, file = files.options, files["original"]
    contest = options.layout is None
    violations.clear(session)
    read_cells(session, files, "original", options, needed=True)
    if contest:
        files.plain = session.fetch_row("ends_with_lf", source=identifier(_LINES))["found"]
        session.run("deleted_violations", name=violations.TABLE, source=identifier(CELLS))
    refuse_bad_cells(session, file)
    begun = find_first_period(session, options)
    keep_start(session, options)
    if begun["first_day"] is None:
        raise SourceError("pwscup.no_complete_record_in_file", file=file.name)
    periods = begun["periods"]
    if contest:
        periods = count_contest_periods(file, periods)
    if periods > _MAX_PERIODS:
        raise SourceError("pwscup.too_many_periods", file=file.name, periods=periods)
    make_standard_history(session, ORIGINAL, options.period, None)
    records = count_rows(session, CELLS)
    complete = count_rows(session, ORIGINAL)
    if not complete:
        raise SourceError("pwscup.no_complete_record_in_file", file=file.name)
    if "master" in files:
        load_master(session, files)
    session.run("make_users", name=USERS, source=identifier(MASTER if "master" in files else ORIGINAL))
    counted = session.fetch_row("count_users", users=identifier(USERS))
    return Original(
        name=file.name,
        records=records,
        incomplete_records=records - complete,
        users=counted["users"],
        periods=periods,
        first=begun["first_day"],
        order=render("user_order", numeric=bool(counted["numeric"])),
        unit=options.period,
    )


def count_contest_periods(file: Opened, periods: int) -> int:
    """Return the number of periods of a file of the contest: 12, or 13 in 2016.

    Raises:
        SourceError: The file covers more than that.
    """
    if periods > _PERIODS_OF_A_YEAR + 1:
        raise SourceError("pwscup.several_years", file=file.name)
    return max(periods, _PERIODS_OF_A_YEAR)


def load_master(session: Session, files: Files) -> None:
    """Read the master table into :data:`MASTER`: ``user_id`` and attributes.

    Raises:
        SourceError: The file breaks the format or misses users of the original.
    """
    file, layout = files["master"], files.options.layout
    violations.clear(session)
    if layout is None:
        patterns = {"c1": "f|m", "c2": DATE, "c3": "[A-Z][a-zA-Z]* ?[A-Za-z]*"}
        skipped = read_lines(session, files, "master", len(_MASTER_COLUMNS), patterns)
        columns = [f"c{index}" for index in range(len(_MASTER_COLUMNS))]
        records, names = identifier(_LINES), list(_MASTER_COLUMNS)
    else:
        source, records = file.source_and_view
        user = source.column(layout.user)
        others = [column for column in source.columns if column.binding != user.binding]
        columns = [user.binding, *(column.binding for column in others)]
        names = ["user_id", *(_attribute_name(column.name) for column in others)]
        skipped = 0
    session.run(
        "make_master", name=MASTER, source=records, columns=columns, names=names, skip_first=skipped > 0
    )
    session.run(
        "master_violations", name=violations.TABLE, source=identifier(MASTER), original=identifier(ORIGINAL)
    )
    violations.refuse(
        session, file.name, (*violations.FORMAT, *violations.GUESS), fields=len(_MASTER_COLUMNS)
    )


def _attribute_name(name: str) -> str:
    return name if name.casefold() != "user_id" else f"{name} of the master table"


# --- releases and partial tables -----------------------------------------------------------------


def load_release(
    session: Session,
    files: Files,
    number: int,
    original: Original,
    table: str,
    passed: Sequence[str] = ("survivors",),
) -> int:
    """Read a release that is aligned with the original into a standard table.

    Args:
        session: Runs the statements.
        files: The files of the run.
        number: The number of the release, from 0.
        original: The original, which is read before.
        table: The standard table that is made.
        passed: The constraints that the release may break.

    Returns:
        The number of records that are not deleted.

    Raises:
        SourceError: The release breaks another constraint.
    """
    note_release_violations(session, files, number, original)
    violations.refuse(
        session,
        files[f"release_{number}"].name,
        (*violations.FORMAT, *violations.RELEASE),
        passed=passed,
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    return make_standard_release(session, original, table)


def note_release_violations(session: Session, files: Files, number: int, original: Original) -> None:
    """Read a release and list its violations in :data:`violations.TABLE`."""
    violations.clear(session)
    read_cells(session, files, f"release_{number}", files.options, needed=False)
    session.run(
        "release_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        original=identifier(original.table),
        users=identifier(original.users_table),
        records=original.records,
        unit=original.unit,
    )


def make_standard_release(session: Session, original: Original, table: str) -> int:
    """Make the table of the release that was read last; return the records it keeps."""
    make_standard_history(session, _PARSED, original.unit, None)
    session.run(
        "standard_release", name=table, source=identifier(_PARSED), original=identifier(original.table)
    )
    surviving: int = session.fetch_row("count_surviving", source=identifier(table))["records"]
    return surviving


def load_knowledge(
    session: Session, files: Files, original: Original, alphas: Sequence[float]
) -> dict[float, str]:
    """Make a table of known records for each share: from its file, or drawn.

    Args:
        session: Runs the statements.
        files: The files of the run, with the partial tables that there are.
        original: The original, which is read before.
        alphas: The shares of the records that attackers know, in percent.

    Returns:
        The name of the table of each share.

    Raises:
        SourceError: A partial table breaks a constraint.
    """
    options, knowledge = files.options, {}
    for index, alpha in enumerate(alphas):
        table = knowledge[alpha] = f"pws_known_{index}"
        if partial_role(alpha) in files:
            load_partial(session, files, alpha, original, table)
        else:
            draw_partial(session, original, alpha, options.seed, options.item_prefix, table)
    return knowledge


def load_partial(session: Session, files: Files, alpha: float, original: Original, table: str) -> None:
    """Read a partial table into the standard table of known records.

    Raises:
        SourceError: The file breaks a constraint.
    """
    options, role = files.options, partial_role(alpha)
    violations.clear(session)
    read_cells(session, files, role, options, needed=False)
    session.run(
        "partial_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        original=identifier(original.table),
        users=identifier(original.users_table),
        records=original.records,
        aligned=options.layout is None,
    )
    violations.refuse(
        session,
        files[role].name,
        (*violations.FORMAT, *violations.GUESS, *violations.RELEASE),
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    make_standard_history(session, table, original.unit, options.item_prefix)


def draw_partial(
    session: Session, original: Original, alpha: float, seed: int, prefix: int | None, table: str
) -> None:
    """Draw `alpha` percent of the original's records into a table of known records."""
    session.run(
        "partial_records",
        name=table,
        original=identifier(original.table),
        alpha=format_percent(alpha),
        seed=seed,
        prefix=prefix,
    )


def format_percent(alpha: float) -> str:
    """Write a percentage as text, the same for 25 and 25.0."""
    return str(int(alpha)) if alpha == int(alpha) else f"{alpha:.9f}".rstrip("0")


def make_truth(session: Session, original: Original, release: str, table: str) -> None:
    """Make the table of the true pseudonyms of a release by user and period."""
    session.run(
        "true_pseudonyms", name=table, original=identifier(original.table), release=identifier(release)
    )


def make_released(session: Session, release: str, table: str) -> None:
    """Make the table that attackers get: the records that are not deleted, in order."""
    session.run("surviving_records", name=table, source=identifier(release), pseudonym="pseudonym")


# --- guesses -------------------------------------------------------------------------------------


def load_guess(session: Session, files: Files, number: int, original: Original, table: str) -> None:
    """Read a guess into a table of pseudonyms by user and period.

    Raises:
        SourceError: The guess breaks a constraint.
    """
    note_guess_violations(session, files, number, original)
    violations.refuse(
        session,
        files[f"guess_{number}"].name,
        (*violations.FORMAT, *violations.GUESS),
        fields=original.periods + 1,
    )
    session.run("guessed_pseudonyms", name=table, source=identifier(CELLS), periods=original.periods)


def note_guess_violations(session: Session, files: Files, number: int, original: Original) -> None:
    """Read a guess and list its violations in :data:`violations.TABLE`."""
    file = files[f"guess_{number}"]
    assert file.text is not None
    violations.clear(session)
    columns = [f"c{index}" for index in range(original.periods + 1)]
    if files.options.layout is None:
        session.run("contest_lines", name=_LINES, path=file.text.path, columns=len(columns))
        source, number_of, users = identifier(_LINES), "record", identifier(original.users_table)
        header_lines = int(session.fetch_row("guess_header", source=source, users=users)["found"])
        _note_format_violations(session, files, file.text, len(columns), header_lines)
    else:
        source, number_of, header_lines = _open_guess_with_header(session, file, columns), None, 0
    session.run(
        "guess_cells", name=CELLS, source=source, columns=columns, number=number_of, header_lines=header_lines
    )
    session.run(
        "guess_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        users=identifier(original.users_table),
        order=original.order,
    )


def _open_guess_with_header(session: Session, file: Opened, columns: Sequence[str]) -> Sql:
    """Make a view of the lines of a guess with every cell as text."""
    assert file.text is not None
    arguments = {"header": True, "all_varchar": True, "delim": ",", "quote": '"', "escape": '"'}
    lines = render("read_csv", paths=[file.text.path], arguments=arguments)
    if (width := len(session.describe(lines))) != len(columns):
        raise SourceError("pwscup.guess_column_count", file=file.name, width=width, count=len(columns) - 1)
    session.views.define(_LINES, lines, list(columns))
    return identifier(_LINES)


# --- records as they are written -----------------------------------------------------------------


def read_cells(session: Session, files: Files, role: str, options: Options, *, needed: bool) -> None:
    """Read the records of a file into :data:`CELLS` and list format violations.

    Args:
        session: Runs the statements.
        files: The files of the run.
        role: The file, such as "original" or "release_0".
        options: The options, with the layout of the file.
        needed: All columns of the layout must exist; otherwise user, date and item.

    Raises:
        UsageError: A column does not exist or holds no dates.
    """
    file = files[role]
    if options.layout is None:
        skipped = read_lines(session, files, role, _FIELDS, {"c2": DATE, "c5": NUMBER, "c6": NUMBER})
        session.run("contest_cells", name=CELLS, source=identifier(_LINES), header_lines=skipped)
    else:
        source, view = file.source_and_view
        session.run("history_cells", name=CELLS, source=view, **_bind_columns(source, options.layout, needed))
    session.run(
        "cell_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        contest=options.layout is None,
    )


def read_lines(
    session: Session, files: Files, role: str, fields: int, patterns: Mapping[str, str], table: str = _LINES
) -> int:
    """Read the lines of a file of the contest and list violations of their format.

    Args:
        session: Runs the statements.
        files: The files of the run.
        role: The file, such as "original" or "release_0".
        fields: The number of fields of a line.
        patterns: By column, what a cell of a record matches; a first line without a match is a header.
        table: The table of lines that is made.

    Returns:
        The number of header lines, 0 or 1.
    """
    file = files[role]
    assert file.text is not None
    session.run("contest_lines", name=table, path=file.text.path, columns=fields)
    header = session.fetch_row(
        "contest_header", source=identifier(table), columns=list(patterns), patterns=list(patterns.values())
    )
    _note_format_violations(session, files, file.text, fields, int(header["found"]), table)
    return int(header["found"])


def _note_format_violations(
    session: Session, files: Files, text: Text, fields: int, skipped: int, table: str = _LINES
) -> None:
    session.run(
        "format_violations",
        name=violations.TABLE,
        source=identifier(table),
        lf_only=files.plain,
        fields=fields,
        has_bom=text.marked,
        not_utf8=text.foreign,
        header_lines=skipped,
    )


def refuse_bad_cells(session: Session, file: Opened) -> None:
    """Refuse the file that was read last if it breaks the format.

    Raises:
        SourceError: The first constraint that it breaks.
    """
    violations.refuse(
        session, file.name, (*violations.FORMAT, *violations.RELEASE), passed=("deleted",), fields=_FIELDS
    )


def _bind_columns(source: Source, layout: Layout, needed: bool) -> dict[str, str | int | None]:
    """Return the arguments of the statement that reads named columns."""
    names = layout.columns()
    if not needed:  # a release or a partial table may lack what is not essential
        present = {column.name.casefold() for column in source.columns}
        essential = ("user", "date", "item")
        names = {role: n for role, n in names.items() if role in essential or n.casefold() in present}
    columns = {role: source.column(name) for role, name in names.items()}
    date, price = columns["date"], columns.get("price")
    has_clock = is_timestamp(date.type)
    if not has_date(date.type) and date.type != "VARCHAR":
        raise UsageError("pwscup.column_not_a_date", date=date.name, source=source.name)
    number = price is not None and is_number(price.type)
    return {
        "user": columns["user"].binding,
        "moment": date.binding,
        "item": columns["item"].binding,
        "clock": columns["time"].binding if "time" in columns else None,
        "has_clock": has_clock,
        "price": price.binding if price is not None else None,
        "is_number": number,
        "quantity": columns["quantity"].binding if "quantity" in columns else None,
        "invoice": columns["invoice"].binding if "invoice" in columns else None,
    }


def open_for_treatment(session: Session, files: Files, role: str) -> Source:
    """Return the records of the file that was read last as the source of a treatment.

    A file of the contest gets the names of its columns, and its date becomes a date.
    """
    file = files[role]
    if file.source is not None:
        source, view = file.source_and_view
        session.views.define(VIEW, view, [column.binding for column in source.columns])
        return source
    session.run("contest_records", name=VIEW, source=identifier(_LINES))
    columns = [
        Column(position, name, "DATE" if name == "date" else "VARCHAR")
        for position, name in enumerate(CONTEST_COLUMNS)
    ]
    return Source(file.name, "csv", columns, identifier(VIEW), list(CONTEST_COLUMNS))


def bind_treated(files: Files) -> dict[str, str | int | None]:
    """Return the columns of a treated original, as ``history_cells`` takes them."""
    file, layout = files["original"], files.options.layout
    if layout is not None:
        return _bind_columns(file.source_and_view[0], layout, needed=True)
    roles = ("user", "invoice", "moment", "clock", "item", "price", "quantity")
    bindings = {role: f"c{place}" for place, role in enumerate(roles)}
    return {**bindings, "has_clock": False, "is_number": False}


def find_first_period(session: Session, options: Options) -> dict[str, Any]:
    """Return ``first_day`` (None without a day) and ``periods`` of the last file."""
    return session.fetch_row("first_period", **_period_arguments(options))


def keep_start(session: Session, options: Options, *, adds: bool = False) -> None:
    """Keep the first day of the file that was read last as the table :data:`START`.

    With `adds` the earliest day of this file and of those before is kept.
    """
    periods = render("first_period", **_period_arguments(options))
    session.run("begin_periods", name=START, periods=periods, add_day=adds)


def _period_arguments(options: Options) -> dict[str, Any]:
    return {"source": identifier(CELLS), "unit": options.period, "contest": options.layout is None}


def make_standard_history(session: Session, table: str, unit: str, prefix: int | None) -> None:
    """Make the standard history of the file that was read last."""
    session.run(
        "standard_history",
        name=table,
        source=identifier(CELLS),
        unit=unit,
        start=identifier(START),
        prefix=prefix,
    )
