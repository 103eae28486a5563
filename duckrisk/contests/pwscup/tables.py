"""Reads histories, releases, partial tables, master tables and guesses into the standard tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.pwscup import violations
from duckrisk.contests.pwscup.contest_format import COLUMNS as CONTEST_COLUMNS
from duckrisk.contests.pwscup.contest_format import DATE, NUMBER
from duckrisk.contests.pwscup.files import Files, Opened, Text
from duckrisk.contests.pwscup.options import Layout, Options
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date, is_number, is_timestamp
from duckrisk.source import VIEW, Column, Source

ORIGINAL, USERS, MASTER = "pws_original", "pws_users", "pws_master"
#: The records of the file that was read last, as they are written.
CELLS = "pws_cells"
#: The day that the first period begins with, a value of records: statements hold no literal of it.
START = "pws_start"
_LINES, _PARSED = "pws_lines", "pws_parsed"
_FIELDS = len(CONTEST_COLUMNS)
_MASTER_COLUMNS = ("user_id", "sex", "born", "country")
_PERIODS_OF_A_YEAR = 12
_MOST_PERIODS = 10_000


@dataclass(frozen=True)
class Original:
    """The original as a standard table: ``records`` of them in the file, of which ``left_out`` lack a user, a
    date or an item; as many ``users`` and ``periods``, the first from the day ``first`` on. ``order`` is SQL
    of what users are ordered by."""

    name: str
    records: int
    left_out: int
    users: int
    periods: int
    first: dt.date
    order: Sql
    unit: str
    table: str = ORIGINAL
    users_table: str = USERS


@dataclass(frozen=True)
class Table:
    """A standard table that was read: how many ``records`` the file has and how many ``survive``."""

    name: str
    table: str
    records: int
    surviving: int


# --- the original --------------------------------------------------------------------------------


def load_history(session: Session, files: Files) -> Original:
    """The original as the tables ``pws_original`` and ``pws_users``, and ``pws_master`` where there is a
    master table. Raises SourceError for a file that cannot be one."""
    options, file = files.options, files["original"]
    contest = options.layout is None
    violations.begin(session)
    read_cells(session, files, "original", options, needed=True)
    if contest:
        files.plain = session.fetch_row("ends_with_lf", source=identifier(_LINES))["found"]
        session.run("deleted_violations", name=violations.TABLE, source=identifier(CELLS))
    refuse_cells(session, file)
    begun = first_period(session, options)
    keep_start(session, options)
    if begun["first_day"] is None:
        raise SourceError("pwscup.no_complete_record_in_file", file=file.name)
    periods = begun["periods"]
    if contest:
        periods = periods_of_a_year(file, periods)
    if periods > _MOST_PERIODS:
        raise SourceError("pwscup.too_many_periods", file=file.name, periods=periods)
    standard(session, ORIGINAL, options.period, None)
    records = size(session, CELLS)
    complete = size(session, ORIGINAL)
    if not complete:
        raise SourceError("pwscup.no_complete_record_in_file", file=file.name)
    if "master" in files:
        load_master(session, files)
    session.run("make_users", name=USERS, source=identifier(MASTER if "master" in files else ORIGINAL))
    counted = session.fetch_row("count_users", users=identifier(USERS))
    return Original(
        name=file.name,
        records=records,
        left_out=records - complete,
        users=counted["users"],
        periods=periods,
        first=begun["first_day"],
        order=render("user_order", numeric=counted["numeric"]),
        unit=options.period,
    )


def periods_of_a_year(file: Opened, periods: int) -> int:
    """The periods of a year of the contest, from a December on; that of 2016 ends in the next one. Raises
    SourceError for a file that is of more."""
    if periods > _PERIODS_OF_A_YEAR + 1:
        raise SourceError("pwscup.several_years", file=file.name)
    return max(periods, _PERIODS_OF_A_YEAR)


def load_master(session: Session, files: Files) -> None:
    """The master table as ``pws_master``: ``user_id`` and what is known of each user."""
    file, layout = files["master"], files.options.layout
    violations.begin(session)
    if layout is None:
        skipped = read_lines(
            session,
            files,
            "master",
            len(_MASTER_COLUMNS),
            {"c1": "f|m", "c2": DATE, "c3": "[A-Z][a-zA-Z]* ?[A-Za-z]*"},
        )
        columns = [f"c{index}" for index in range(len(_MASTER_COLUMNS))]
        listed, names = identifier(_LINES), list(_MASTER_COLUMNS)
    else:
        assert file.source is not None
        assert file.view is not None
        user = file.source.column(layout.user)
        others = [column for column in file.source.columns if column.binding != user.binding]
        columns = [user.binding, *(column.binding for column in others)]
        names = ["user_id", *(_other_name(column.name) for column in others)]
        listed, skipped = identifier(file.view), 0
    session.run(
        "make_master", name=MASTER, source=listed, columns=columns, names=names, skip_first=skipped > 0
    )
    session.run(
        "master_violations", name=violations.TABLE, source=identifier(MASTER), original=identifier(ORIGINAL)
    )
    violations.refuse(
        session, file.name, (*violations.FORMAT, *violations.GUESS), fields=len(_MASTER_COLUMNS)
    )


def _other_name(name: str) -> str:
    return name if name.casefold() != "user_id" else f"{name} of the master table"


# --- releases and partial tables -----------------------------------------------------------------


def load_release(
    session: Session,
    files: Files,
    number: int,
    original: Original,
    table: str,
    passed: Sequence[str] = ("survivors",),
) -> Table:
    """A release as a standard table, aligned with the original. Raises SourceError for one that breaks a
    constraint, but for those ``passed``."""
    file = files[f"release_{number}"]
    examine_release(session, files, number, original)
    violations.refuse(
        session,
        file.name,
        (*violations.FORMAT, *violations.RELEASE),
        passed=passed,
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    return standard_release(session, file.name, original, table)


def examine_release(session: Session, files: Files, number: int, original: Original) -> None:
    """Read a release and note what is wrong with it, in the table :data:`violations.TABLE`."""
    violations.begin(session)
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


def standard_release(session: Session, name: str, original: Original, table: str) -> Table:
    """What was read last as the standard table of a release."""
    standard(session, _PARSED, original.unit, None)
    session.run(
        "standard_release", name=table, source=identifier(_PARSED), original=identifier(original.table)
    )
    records = size(session, CELLS)
    return Table(name, table, records, _surviving(session, table))


def size(session: Session, table: str) -> int:
    """How many rows a table has."""
    rows: int = session.fetch_row("table_size", source=identifier(table))["found"]
    return rows


def _surviving(session: Session, table: str) -> int:
    count: int = session.fetch_row("count_surviving", source=identifier(table))["records"]
    return count


def load_partial(session: Session, files: Files, alpha: float, original: Original, table: str) -> Table:
    """A partial table as the standard table of known records."""
    options, file = files.options, files[f"partial_{alpha}"]
    violations.begin(session)
    read_cells(session, files, f"partial_{alpha}", options, needed=False)
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
        file.name,
        (*violations.FORMAT, *violations.GUESS, *violations.RELEASE),
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    standard(session, table, original.unit, options.item_prefix)
    records = size(session, CELLS)
    return Table(file.name, table, records, size(session, table))


def draw_partial(
    session: Session, original: Original, alpha: float, seed: int, prefix: int | None, table: str
) -> None:
    """Draw the records of the original that an attacker holds: ``alpha`` percent of them."""
    session.run(
        "partial_records",
        name=table,
        original=identifier(original.table),
        alpha=percent(alpha),
        seed=seed,
        prefix=prefix,
    )


def percent(alpha: float) -> str:
    """A percentage as text: the same for 25 and 25.0."""
    return str(int(alpha)) if alpha == int(alpha) else f"{alpha:.9f}".rstrip("0")


def truth(session: Session, original: Original, release: str, table: str) -> None:
    """The true pseudonyms of users in periods, from the standard table of a release."""
    session.run(
        "true_pseudonyms", name=table, original=identifier(original.table), release=identifier(release)
    )


def release_of(session: Session, release: str, table: str) -> None:
    """What attackers get of a release: the records that survive, in its order."""
    session.run("surviving_records", name=table, source=identifier(release), pseudonym="pseudonym")


# --- guesses -------------------------------------------------------------------------------------


def load_guess(session: Session, files: Files, number: int, original: Original, table: str) -> None:
    """A guess as the standard table. Raises SourceError for one that breaks a constraint."""
    examine_guess(session, files, number, original)
    violations.refuse(
        session,
        files[f"guess_{number}"].name,
        (*violations.FORMAT, *violations.GUESS),
        fields=original.periods + 1,
    )
    session.run("guessed_pseudonyms", name=table, source=identifier(CELLS), periods=original.periods)


def examine_guess(session: Session, files: Files, number: int, original: Original) -> None:
    """Read a guess and note what is wrong with it."""
    file = files[f"guess_{number}"]
    assert file.text is not None
    violations.begin(session)
    columns = [f"c{index}" for index in range(original.periods + 1)]
    if files.options.layout is None:
        session.run("contest_lines", name=_LINES, path=file.text.path, columns=len(columns))
        source, number_of, users = identifier(_LINES), "record", identifier(original.users_table)
        skipped = int(session.fetch_row("guess_header", source=source, users=users)["found"])
        _note_format(session, files, file.text, len(columns), skipped)
    else:
        source, number_of, skipped = _headed(session, file, columns), None, 0
    session.run(
        "guess_cells", name=CELLS, source=source, columns=columns, number=number_of, header_lines=skipped
    )
    session.run(
        "guess_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        users=identifier(original.users_table),
        order=original.order,
    )


def _headed(session: Session, file: Opened, columns: Sequence[str]) -> Sql:
    """The lines of a guess with a header, every cell a text."""
    assert file.text is not None
    arguments = {"header": True, "all_varchar": True, "delim": ",", "quote": '"', "escape": '"'}
    lines = render("read_csv", paths=[file.text.path], arguments=arguments)
    if (width := len(session.describe(lines))) != len(columns):
        raise SourceError("pwscup.guess_column_count", file=file.name, width=width, count=len(columns) - 1)
    session.views.define(_LINES, lines, list(columns))
    return identifier(_LINES)


# --- records as they are written -----------------------------------------------------------------


def read_cells(session: Session, files: Files, role: str, options: Options, *, needed: bool) -> None:
    """The records of a file as they are written, in the table of cells, and what is wrong with their format.

    ``needed`` says that all columns of the layout have to be there.
    """
    file = files[role]
    if options.layout is None:
        skipped = read_lines(session, files, role, _FIELDS, {"c2": DATE, "c5": NUMBER, "c6": NUMBER})
        session.run("contest_cells", name=CELLS, source=identifier(_LINES), header_lines=skipped)
    else:
        assert file.source is not None
        assert file.view is not None
        session.run(
            "history_cells",
            name=CELLS,
            source=identifier(file.view),
            **_bindings(file.source, options.layout, needed),
        )
    session.run(
        "cell_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        contest=options.layout is None,
    )


def read_lines(
    session: Session, files: Files, role: str, fields: int, told_by: Mapping[str, str], table: str = _LINES
) -> int:
    """The lines of a file of the contest; 1 where the first is a header."""
    file = files[role]
    assert file.text is not None
    session.run("contest_lines", name=table, path=file.text.path, columns=fields)
    header = session.fetch_row(
        "contest_header", source=identifier(table), columns=list(told_by), patterns=list(told_by.values())
    )
    _note_format(session, files, file.text, fields, int(header["found"]), table)
    return int(header["found"])


def _note_format(
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


def refuse_cells(session: Session, file: Opened) -> None:
    """Raise SourceError for what is wrong with the format of the file that was read last."""
    violations.refuse(
        session, file.name, (*violations.FORMAT, *violations.RELEASE), passed=("deleted",), fields=_FIELDS
    )


def _bindings(source: Source, layout: Layout, needed: bool) -> dict[str, str | int | None]:
    """The columns of a source for the template of cells; raises UsageError for those that cannot be."""
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


def to_treat(session: Session, files: Files, role: str) -> Source:
    """The records of a file that was read last as the source that treatments begin with: each column that it
    has, and for a file of the contest those of the contest, its date as a date."""
    file = files[role]
    if file.source is not None:
        assert file.view is not None
        names = [column.binding for column in file.source.columns]
        session.views.define(VIEW, identifier(file.view), names)
        return file.source
    session.run("contest_records", name=VIEW, source=identifier(_LINES))
    columns = [
        Column(position, name, "DATE" if name == "date" else "VARCHAR")
        for position, name in enumerate(CONTEST_COLUMNS)
    ]
    return Source(file.name, "csv", columns, identifier(VIEW), list(CONTEST_COLUMNS))


def first_period(session: Session, options: Options) -> dict[str, Any]:
    """Return the first day of the file that was read last (None without one), and how many periods it has."""
    return session.fetch_row("first_period", **_dated(options))


def keep_start(session: Session, options: Options, *, adds: bool = False) -> None:
    """Keep the first day of the file that was read last as the table :data:`START`.

    With ``adds`` the earliest day of this file and of those before is kept.
    """
    periods = render("first_period", **_dated(options))
    session.run("begin_periods", name=START, periods=periods, add_day=adds)


def _dated(options: Options) -> dict[str, Any]:
    return {"source": identifier(CELLS), "unit": options.period, "contest": options.layout is None}


def standard(session: Session, table: str, unit: str, prefix: int | None) -> None:
    """What was read last as a standard history."""
    session.run(
        "standard_history",
        name=table,
        source=identifier(CELLS),
        unit=unit,
        start=identifier(START),
        prefix=prefix,
    )
