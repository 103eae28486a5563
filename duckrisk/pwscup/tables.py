"""Reads histories, releases, partial tables, master tables and guesses into the standard tables.

All files of a run are opened at once, then the session is locked to them. A file of the contest has no
header and is read as it is written; any other history is a source of any kind with named columns.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from duckrisk.engine_types import is_moment, is_number, is_timestamp
from duckrisk.errors import SourceError, UsageError
from duckrisk.pwscup import violations
from duckrisk.pwscup.contest_format import COLUMNS as CONTEST_COLUMNS
from duckrisk.pwscup.contest_format import DATE, NUMBER
from duckrisk.pwscup.options import Layout, Options
from duckrisk.session import Session
from duckrisk.source import VIEW, Column, Request, Source, encoding, files, open_sources
from duckrisk.templates import Sql, identifier, render

ORIGINAL, USERS, MASTER = "pws_original", "pws_users", "pws_master"
#: The records of the file that was read last, as they are written.
CELLS = "pws_cells"
_LINES, _PARSED = "pws_lines", "pws_parsed"
_FIELDS = len(CONTEST_COLUMNS)
_MASTER_COLUMNS = ("user_id", "sex", "born", "country")
_PERIODS_OF_A_YEAR = 12
_MOST_PERIODS = 10_000


@dataclass(frozen=True)
class Text:
    """A file of text lines: where it is, as UTF-8, and how it was written."""

    path: str
    marked: bool = False
    foreign: bool = False


@dataclass(frozen=True)
class Opened:
    """An opened file: its name for people, and its text or the view of its records."""

    name: str
    text: Text | None = None
    source: Source | None = None
    view: str | None = None


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


class Files:
    """The files of one run, opened at once: the session is locked to them and to ``outputs``.

    ``releases`` and ``guesses`` are told by their place, ``partials`` by their percentage.
    """

    def __init__(
        self,
        session: Session,
        options: Options,
        original: Request | None = None,
        master: Request | None = None,
        releases: Sequence[Request] = (),
        partials: Mapping[float, Request] | None = None,
        guesses: Sequence[Request] = (),
        outputs: Sequence[str | Path] = (),
    ) -> None:
        options.check()
        self.session, self.options = session, options
        #: Whether lines have to end with LF, as those of the original do.
        self.plain = False
        self._texts: list[Path] = []
        asked: dict[str, Request] = {"original": original} if original is not None else {}
        if master is not None:
            asked["master"] = master
        asked |= {f"release_{number}": request for number, request in enumerate(releases)}
        asked |= {f"partial_{alpha}": request for alpha, request in (partials or {}).items()}
        guessed = {f"guess_{number}": request for number, request in enumerate(guesses)}
        # Records have places: they are read in the order of the file.
        session.run("set_option", option="preserve_insertion_order", setting=True)
        self._opened: dict[str, Opened] = {}
        texts = guessed if options.layout is not None else asked | guessed
        for role, request in texts.items():
            self._opened[role] = self._text(request, guess=role in guessed)
        allowed = [*self._texts, *outputs]
        if options.layout is None:
            paths = {str(path) for path in allowed}
            session.lock(sorted(paths | {files.engine_path(path) for path in paths}))
            return
        views = {role: f"pws_file_{number}" for number, role in enumerate(asked)}
        opened = open_sources(session, [(views[role], asked[role]) for role in asked], allowed)
        for role, source in zip(asked, opened, strict=True):
            self._opened[role] = Opened(source.name, source=source, view=views[role])

    def __getitem__(self, role: str) -> Opened:
        return self._opened[role]

    def __contains__(self, role: str) -> bool:
        return role in self._opened

    def _text(self, request: Request, guess: bool) -> Opened:
        """A file of text lines, as UTF-8."""
        otherwise = (
            "name its columns with --user, --date and --item" if not guess else "guesses are CSV files"
        )
        if not isinstance(request.source, (str, os.PathLike)) or str(request.source) == "-":
            raise UsageError(f"What is no file cannot be one of the contest; {otherwise}.")
        name = os.fspath(request.source)
        found, _ = files.find(name)
        if len(found) != 1:
            raise UsageError(f'"{name}" names {len(found)} files; name one.')
        file, shown = found[0], files.short(name)
        if file.path.stat().st_size == 0:
            raise SourceError(f'"{shown}" is an empty file.')
        if (kind := files.format_of(file)) != "csv":
            raise SourceError(f'"{shown}" is a {kind} source, not a text file of the contest; {otherwise}.')
        try:
            written = request.encoding or encoding.sniff_encoding(file.path)
            plain = written in ("utf-8", "utf-8-sig") and request.encoding is None
            path = file.path
            if not plain or encoding.is_gzip(path):
                path = self.session.folder / f"text-{len(self._texts)}"
                encoding.transcode(file.path, written, path)
        except SourceError:
            raise SourceError(f'"{shown}" is no text in a known encoding; save it as UTF-8.') from None
        self._texts.append(path)
        return Opened(shown, Text(files.engine_path(path), written == "utf-8-sig", not plain))


# --- the original --------------------------------------------------------------------------------


def load_history(session: Session, opened: Files) -> Original:
    """The original as the tables ``pws_original`` and ``pws_users``, and ``pws_master`` where there is a
    master table. Raises SourceError for a file that cannot be one."""
    options, file = opened.options, opened["original"]
    contest = options.layout is None
    violations.begin(session)
    read_cells(session, opened, "original", options, needed=True)
    if contest:
        opened.plain = session.row("ends_with_lf", source=identifier(_LINES))["found"]
        session.run("deleted_violations", name=violations.TABLE, source=identifier(CELLS))
    refuse_cells(session, file)
    begun = session.row("first_period", source=identifier(CELLS), unit=options.period, contest=int(contest))
    if begun["first_day"] is None:
        raise SourceError(f'"{file.name}" has no record with a user, a date and an item.')
    periods = begun["periods"]
    if contest and periods > _PERIODS_OF_A_YEAR:
        raise SourceError(
            f'"{file.name}" is of more than one year from December to November, as the contest has them; '
            "give it a header and name the columns with --user, --date and --item."
        )
    if periods > _MOST_PERIODS:
        raise SourceError(
            f'"{file.name}" is of {periods:,} periods; choose longer ones, such as --period quarter, or '
            "repair dates that are far off."
        )
    standard(session, ORIGINAL, options.period, begun["first_day"], None)
    records = size(session, CELLS)
    complete = size(session, ORIGINAL)
    if not complete:
        raise SourceError(f'"{file.name}" has no record with a user, a date and an item.')
    if "master" in opened:
        load_master(session, opened)
    session.run("make_users", name=USERS, source=identifier(MASTER if "master" in opened else ORIGINAL))
    counted = session.row("count_users", users=identifier(USERS))
    return Original(
        name=file.name,
        records=records,
        left_out=records - complete,
        users=counted["users"],
        periods=_PERIODS_OF_A_YEAR if contest else periods,
        first=begun["first_day"],
        order=render("user_order", numeric=counted["numeric"]),
        unit=options.period,
    )


def load_master(session: Session, opened: Files) -> None:
    """The master table as ``pws_master``: ``user_id`` and what is known of each user."""
    file, layout = opened["master"], opened.options.layout
    violations.begin(session)
    if layout is None:
        skipped = _read_lines(
            session,
            opened,
            "master",
            len(_MASTER_COLUMNS),
            {"c1": "f|m", "c2": DATE, "c3": "[A-Z][a-zA-Z]* ?[A-Za-z]*"},
        )
        columns = [f"c{place}" for place in range(len(_MASTER_COLUMNS))]
        found, names = identifier(_LINES), list(_MASTER_COLUMNS)
    else:
        assert file.source is not None
        assert file.view is not None
        user = file.source.column(layout.user)
        others = [column for column in file.source.columns if column.binding != user.binding]
        columns = [user.binding, *(column.binding for column in others)]
        names = ["user_id", *(_other_name(column.name) for column in others)]
        found, skipped = identifier(file.view), 0
    session.run("make_master", name=MASTER, source=found, columns=columns, names=names, skipped=skipped)
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
    opened: Files,
    number: int,
    original: Original,
    table: str,
    passed: Sequence[str] = ("survivors",),
) -> Table:
    """A release as a standard table, aligned with the original. Raises SourceError for one that breaks a
    constraint, but for those ``passed``."""
    file = opened[f"release_{number}"]
    examine_release(session, opened, number, original)
    violations.refuse(
        session,
        file.name,
        (*violations.FORMAT, *violations.RELEASE),
        passed=passed,
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    return standard_release(session, file.name, original, table)


def examine_release(session: Session, opened: Files, number: int, original: Original) -> None:
    """Read a release and note what is wrong with it, in the table :data:`violations.TABLE`."""
    violations.begin(session)
    read_cells(session, opened, f"release_{number}", opened.options, needed=False)
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
    standard(session, _PARSED, original.unit, original.first, None)
    session.run(
        "standard_release", name=table, source=identifier(_PARSED), original=identifier(original.table)
    )
    records = size(session, CELLS)
    return Table(name, table, records, _surviving(session, table))


def size(session: Session, table: str) -> int:
    """How many rows a table has."""
    found: int = session.row("table_size", source=identifier(table))["found"]
    return found


def _surviving(session: Session, table: str) -> int:
    count: int = session.row("count_surviving", source=identifier(table))["records"]
    return count


def load_partial(session: Session, opened: Files, alpha: float, original: Original, table: str) -> Table:
    """A partial table as the standard table of known records."""
    options, file = opened.options, opened[f"partial_{alpha}"]
    violations.begin(session)
    read_cells(session, opened, f"partial_{alpha}", options, needed=False)
    session.run(
        "partial_violations",
        name=violations.TABLE,
        source=identifier(CELLS),
        original=identifier(original.table),
        users=identifier(original.users_table),
        records=original.records,
        aligned=int(options.layout is None),
    )
    violations.refuse(
        session,
        file.name,
        (*violations.FORMAT, *violations.GUESS, *violations.RELEASE),
        fields=_FIELDS,
        records=f"{original.records:,}",
    )
    standard(session, table, original.unit, original.first, options.item_prefix)
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
    session.run("surviving_records", name=table, source=identifier(release))


# --- guesses -------------------------------------------------------------------------------------


def load_guess(session: Session, opened: Files, number: int, original: Original, table: str) -> None:
    """A guess as the standard table. Raises SourceError for one that breaks a constraint."""
    examine_guess(session, opened, number, original)
    violations.refuse(
        session,
        opened[f"guess_{number}"].name,
        (*violations.FORMAT, *violations.GUESS),
        fields=original.periods + 1,
    )
    session.run("guessed_pseudonyms", name=table, source=identifier(CELLS), periods=original.periods)


def examine_guess(session: Session, opened: Files, number: int, original: Original) -> None:
    """Read a guess and note what is wrong with it."""
    file = opened[f"guess_{number}"]
    assert file.text is not None
    violations.begin(session)
    columns = [f"c{place}" for place in range(original.periods + 1)]
    if opened.options.layout is None:
        session.run("contest_lines", name=_LINES, path=file.text.path, columns=len(columns))
        skipped = int(
            session.row("guess_header", source=identifier(_LINES), users=identifier(original.users_table))[
                "found"
            ]
        )
        _note_format(session, opened, file.text, len(columns), skipped)
        source, number_of = identifier(_LINES), "record"
    else:
        source, number_of, skipped = _headed(session, file, columns), None, 0
    session.run("guess_cells", name=CELLS, source=source, columns=columns, number=number_of, skipped=skipped)
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
    found = render("read_csv", paths=[file.text.path], arguments=arguments)
    if (width := len(session.describe(found))) != len(columns):
        raise SourceError(
            f'"{file.name}" has {width} columns; a guess has the users and {len(columns) - 1} periods.'
        )
    session.run("open_view", name=_LINES, source=found, names=list(columns))
    return identifier(_LINES)


# --- records as they are written -----------------------------------------------------------------


def read_cells(session: Session, opened: Files, role: str, options: Options, *, needed: bool) -> None:
    """The records of a file as they are written, in the table of cells, and what is wrong with their format.

    ``needed`` says that all columns of the layout have to be there.
    """
    file = opened[role]
    if options.layout is None:
        skipped = _read_lines(session, opened, role, _FIELDS, {"c2": DATE, "c5": NUMBER, "c6": NUMBER})
        session.run("contest_cells", name=CELLS, source=identifier(_LINES), skipped=skipped)
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
        contest=int(options.layout is None),
    )


def _read_lines(session: Session, opened: Files, role: str, fields: int, told_by: Mapping[str, str]) -> int:
    """The lines of a file of the contest; 1 where the first is a header."""
    file = opened[role]
    assert file.text is not None
    session.run("contest_lines", name=_LINES, path=file.text.path, columns=fields)
    header = session.row(
        "contest_header", source=identifier(_LINES), columns=list(told_by), patterns=list(told_by.values())
    )
    _note_format(session, opened, file.text, fields, int(header["found"]))
    return int(header["found"])


def _note_format(session: Session, opened: Files, text: Text, fields: int, skipped: int) -> None:
    session.run(
        "format_violations",
        name=violations.TABLE,
        source=identifier(_LINES),
        plain=int(opened.plain),
        fields=fields,
        marked=int(text.marked),
        foreign=int(text.foreign),
        skipped=skipped,
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
        known = {column.name.casefold() for column in source.columns}
        essential = ("user", "date", "item")
        names = {role: n for role, n in names.items() if role in essential or n.casefold() in known}
    found = {role: source.column(name) for role, name in names.items()}
    date, price = found["date"], found.get("price")
    has_clock = is_timestamp(date.type)
    if not is_moment(date.type) and date.type != "VARCHAR":
        raise UsageError(
            f'The column "{date.name}" of "{source.name}" holds no dates; name one of dates, moments or '
            "texts of them."
        )
    number = price is not None and is_number(price.type)
    return {
        "user": found["user"].binding,
        "moment": date.binding,
        "item": found["item"].binding,
        "clock": found["time"].binding if "time" in found else None,
        "has_clock": int(has_clock),
        "price": price.binding if price is not None else None,
        "is_number": int(number),
        "quantity": found["quantity"].binding if "quantity" in found else None,
        "invoice": found["invoice"].binding if "invoice" in found else None,
    }


def to_treat(session: Session, opened: Files, role: str) -> Source:
    """The records of a file that was read last as the source that treatments begin with: each column that it
    has, and for a file of the contest those of the contest, its date as a date."""
    file = opened[role]
    if file.source is not None:
        assert file.view is not None
        names = [column.binding for column in file.source.columns]
        session.run("open_view", name=VIEW, source=identifier(file.view), names=names)
        return file.source
    session.run("contest_records", name=VIEW, source=identifier(_LINES))
    columns = [
        Column(place, name, "DATE" if name == "date" else "VARCHAR")
        for place, name in enumerate(CONTEST_COLUMNS)
    ]
    return Source(file.name, "csv", columns, identifier(VIEW), list(CONTEST_COLUMNS))


def standard(session: Session, table: str, unit: str, first: dt.date, prefix: int | None) -> None:
    """What was read last as a standard history."""
    session.run(
        "standard_history",
        name=table,
        source=identifier(CELLS),
        unit=unit,
        first=first.isoformat(),
        prefix=prefix,
    )
