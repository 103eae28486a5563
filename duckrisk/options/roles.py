"""What a person decides about columns."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.options import OptionSet, option


@dataclass(frozen=True)
class RoleOverrides(OptionSet, table="", group="Who is who"):
    """What a person decided: names of columns, and of attributes ("A", "A.date", "A+B"). ``settled`` is what
    the settings file says, which holds for the columns that nothing else here is about."""

    user: str | None = option(
        None,
        help="The column of the person behind a record; '' takes each record as a person.",
        metavar="COLUMN",
        shown="found by its name and cells",
    )
    attributes: tuple[str, ...] = option(
        (),
        help="Assess this attribute. A+B is known together, A.week is coarser.",
        flag="--attribute",
        metavar="COLUMN",
        shown="all there are",
    )
    ignore: tuple[str, ...] = option((), help="Leave this column out.", metavar="COLUMN")
    roles: tuple[tuple[str, str], ...] = option(
        (), help="The role of each column; [columns] in the settings file.", flags=(), setting=False
    )
    settled: RoleOverrides | None = None
