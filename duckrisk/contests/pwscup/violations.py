"""The constraints on files, and the refusal of a file that breaks one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import SourceError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier

#: The table of the violations of the file that is being read.
TABLE = "pws_violations"
#: Rows; this many of the rows that break a constraint are listed (a choice: they fit on one line).
MAX_ROWS = 5


@dataclass(frozen=True)
class Constraint:
    """A constraint on a file.

    Attributes:
        number: Its number in the contest; None for the format of files.
        name: Its name in reports and JSON.
        refusal: The end of the sentence that refuses a file.
        items: The items of article 34 (formerly 19) of the enforcement rules that keeping it supports.
    """

    number: int | None
    name: str
    refusal: str
    items: tuple[int, ...] = ()


#: The format of files of the contest.
FORMAT = (
    Constraint(None, "encoding", "is not UTF-8 text; save it as UTF-8"),
    Constraint(None, "byte_order_mark", "opens with a byte order mark; save it as UTF-8 without one"),
    Constraint(
        None,
        "header",
        "opens with a line of column names, which files of the contest have not; remove it, or name the "
        "columns with --user, --date and --item",
    ),
    Constraint(
        None,
        "fields",
        "has lines of another number of fields than {fields}; where it is no file of the contest, name its "
        "columns with --user, --date and --item; files of 2018 go to `duckrisk pwscup score-2018`",
    ),
    Constraint(
        None,
        "line_ends",
        "has lines that end otherwise than those of the original, or than most; end all with LF",
    ),
    Constraint(None, "quotes", "has quoted fields; write them without quotation marks"),
)
#: The twelve constraints of the contest on a release, and the form of its deleted records.
RELEASE = (
    Constraint(None, "deleted", "has deleted records with cells left; empty them (DEL,,,,,, in the contest)"),
    Constraint(1, "survivors", "keeps less than half of the records"),
    Constraint(
        2, "pseudonym_characters", "has pseudonyms with other characters than letters, digits, _ and -"
    ),
    Constraint(3, "invoice_characters", "has invoices with other characters than letters, digits, _ and -"),
    Constraint(4, "date", "has dates that cannot be read; write yyyy/m/d"),
    Constraint(
        5,
        "period",
        "has records of another period than those in their place in the original; dates stay in their "
        "period, and records in their order",
    ),
    Constraint(6, "time", "has times that cannot be read; write h:mm"),
    Constraint(7, "item", "has items that the original has not"),
    Constraint(8, "price", "has prices that are none; write up to 5 digits and 2 decimals"),
    Constraint(9, "quantity", "has quantities that are none; write a whole number of up to 6 digits"),
    Constraint(10, "customer", "has pseudonyms that are customers of the original", (1, 3)),
    Constraint(11, "one_pseudonym", "gives a customer several pseudonyms in one period", (3,)),
    Constraint(
        12, "records", "has not the records of the original: rows are missing or added, {records} are needed"
    ),
)
#: The constraints on a guess.
GUESS = (
    Constraint(None, "missing", "does not name all customers"),
    Constraint(None, "unknown", "names customers that the original has not"),
    Constraint(None, "repeated", "names a customer more than once"),
    Constraint(None, "sorted", "is not sorted by customer"),
)
#: The format of files of the contest of 2018, whose lines may end with CR LF.
FORMAT_2018 = (
    *(constraint for constraint in FORMAT if constraint.name in ("encoding", "byte_order_mark", "quotes")),
    Constraint(None, "header", "opens with a line of column names, which files of 2018 have not; remove it"),
    Constraint(None, "fields", "has lines of another number of fields than {fields}"),
)
ORIGINAL_2018 = (
    Constraint(None, "original_date", "has dates that are none of 2010 or 2011; write yyyy/m/d"),
    Constraint(
        None, "original_price", "has prices that are none; write one above 0, up to 5 digits and 2 decimals"
    ),
    Constraint(
        None, "original_quantity", "has quantities that are none; write a whole number of up to 6 digits"
    ),
)
#: The constraints on a release of 2018, whose cells may be deleted or generalized.
RELEASE_2018 = (
    Constraint(
        None,
        "pseudonym",
        "has pseudonyms that are no whole numbers of up to 9 digits; a deleted record is *,*,*,*,*",
    ),
    Constraint(None, "several_pseudonyms", "gives a customer several pseudonyms"),
    Constraint(None, "shared_pseudonym", "gives several customers one pseudonym"),
    *(
        Constraint(
            None,
            f"generalized_{name}",
            f"has {plural} that are neither the original's nor an interval [a;b] around it nor *",
        )
        for name, plural in (("date", "dates"), ("price", "prices"), ("quantity", "quantities"))
    ),
    Constraint(
        None,
        "generalized_item",
        "has items that are neither the original's nor a set {{a;b}} of up to 100 different items of the "
        "original with it nor *",
    ),
)
#: The constraints on a guess of 2018.
GUESS_2018 = (
    Constraint(None, "unknown_pseudonym", "names pseudonyms that the release has not"),
    Constraint(None, "repeated_pseudonym", "names a pseudonym more than once"),
    *(constraint for constraint in GUESS if constraint.name == "unknown"),
)
#: The constraints that every file has.
_OTHERS = (
    Constraint(None, "place", "is not of this original: records of other customers or days are in its place"),
    Constraint(None, "nobody", "has records without a customer"),
    Constraint(None, "unlisted", "misses customers of the original"),
    Constraint(None, "kept_deleted", "has deleted records: it is a release or a partial table"),
)
#: Constraints on characters that only files of the contest have.
CONTEST_ONLY = ("pseudonym_characters", "invoice_characters")


@dataclass(frozen=True)
class Violations:
    """How often a constraint is broken.

    Attributes:
        violated: The name of the constraint.
        violations: The number of violations.
        rows: The first rows that break it, counted from 1.
        values: The cells of these rows that break it.
    """

    violated: str
    violations: int = 0
    rows: Sequence[int] = ()
    values: Sequence[str] = ()


def clear(session: Session) -> None:
    """Empty the table of violations before a file is read."""
    session.run("begin_violations", name=TABLE)


def count_violations(session: Session) -> dict[str, Violations]:
    """Return the violations of the file that was read last, by constraint."""
    rows = session.run("count_violations", source=identifier(TABLE), max_rows=MAX_ROWS)
    return {row["violated"]: Violations(**row) for row in rows}


def refuse(
    session: Session, name: str, constraints: Sequence[Constraint], passed: Sequence[str] = (), **words: Any
) -> None:
    """Refuse the file that was read last if it breaks a constraint.

    Args:
        session: Runs the statement.
        name: The file, for the message.
        constraints: The constraints of the file, besides those that every file has.
        passed: The names of constraints that it may break.
        words: The values of placeholders in the refusals.

    Raises:
        SourceError: The first constraint that the file breaks, with the first row.
    """
    by_constraint = count_violations(session)
    # A missing or an added record breaks many other constraints: name the cause first.
    ordered = sorted((*constraints, *_OTHERS), key=lambda c: 0 if c in FORMAT else 1 if c.number == 12 else 2)
    for constraint in ordered:
        broken = by_constraint.get(constraint.name)
        if broken is None or constraint.name in passed:
            continue
        where = ""
        if broken.rows:
            more = f" and {broken.violations - 1:,} more" if broken.violations > 1 else ""
            where = f" (row {broken.rows[0]:,}{more})"
        sentence = constraint.refusal.format(**words)
        raise SourceError("pwscup.finding", name=name, sentence=sentence, where=where)
