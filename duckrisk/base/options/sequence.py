"""Options of releases one after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from duckrisk.base.options import OptionSet, option

#: The help of ``--attach`` where several releases are read.
ATTACH = "A database that has each RELEASE as a table, named schema.name."
#: What differs of ``--key-table`` where all releases are arguments.
KEY_TABLES = {"help": "Who got which pseudonym: one for each RELEASE, '' for none.", "rare": False}


@dataclass(frozen=True)
class EarlierOptions(OptionSet, table="source", group="Who is who"):
    """The releases before a table, and who is behind their pseudonyms."""

    earlier: tuple[str, ...] = option(
        (),
        help="A release before this one: who both together single out.",
        metavar="FILE",
        default_text="none",
        rare=True,
        keyword_type=Iterable[Any],
    )
    key_tables: tuple[str, ...] = option(
        (),
        help="Who got which pseudonym: one for each --earlier, then of this release.",
        flag="--key-table",
        metavar="FILE",
        default_text="the user column is the same in all",
        rare=True,
        keyword_type=Iterable[Any],
    )


@dataclass(frozen=True)
class Options(OptionSet):
    """How releases are compared with one another."""

    stable: tuple[str, ...] = option(
        (),
        help="Link records by this column, which never changes.",
        group="Who is who",
        metavar="COLUMN",
        default_text="those that change for nobody",
    )
