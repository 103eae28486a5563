"""Options of roles: what a person decides about columns."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.reading import typed_option as typed_option


@dataclass(frozen=True)
class RoleOverrides(OptionSet, table="", group="Who is who"):
    """What a person decided of columns, by their names, and of attributes ("A", "A.date", "A+B").

    ``settled`` is what the settings file says. It holds for the columns that nothing else here names.
    """

    user: str | None = option(
        None,
        help="The person's column, A+B for two; '' takes each record as a person.",
        metavar="COLUMN",
        default_text="found by its name and cells",
    )
    attributes: tuple[str, ...] = option(
        (),
        help="Assess this attribute. A+B is known together, A.week is coarser.",
        flag="--attribute",
        metavar="COLUMN",
        default_text="all there are",
    )
    ignore: tuple[str, ...] = option((), help="Leave this column out.", metavar="COLUMN", rare=True)
    roles: tuple[tuple[str, str], ...] = option(
        (), help="The role of each column; [columns] in the settings file.", flags=(), setting=False
    )
    settled: RoleOverrides | None = None
    quasi_identifiers: tuple[str, ...] = option(
        (),
        help="A column that outsiders may know of a person.",
        flag="--quasi-identifier",
        metavar="COLUMN",
        default_text="every attribute",
        setting=False,
    )
    sensitive: tuple[str, ...] = option(
        (), help="A column whose values must not be disclosed.", metavar="COLUMN", setting=False
    )
    insensitive: tuple[str, ...] = option(
        (),
        help="A column that outsiders do not know and that may be disclosed.",
        metavar="COLUMN",
        setting=False,
    )
    pseudonym: str | None = option(
        None,
        help="The person's column, with codes that were made for this table.",
        metavar="COLUMN",
        rare=True,
        setting=False,
    )
    identifiers: tuple[str, ...] = option(
        (),
        help="A column that identifies directly, or holds an organisation's numbers.",
        flag="--identifier",
        metavar="COLUMN",
        rare=True,
        setting=False,
    )
    fold_keys: bool | None = option(
        None,
        help="Merge keys of people that differ in case, blanks or width alone.",
        default_text="asked",
        setting=False,
        rare=True,
    )
    keep: tuple[str, ...] = option(
        (), help="A column that a treatment must not leave out.", metavar="COLUMN", setting=False
    )
    count: str | None = option(
        None,
        help="The column that counts the people of each record, in a table of counts.",
        metavar="COLUMN",
        setting=False,
        rare=True,
    )
    no_persons: bool = option(False, help="The table holds no persons.", flag="--no-persons", rare=True)

    @property
    def options(self) -> tuple[tuple[str, ...], ...]:
        """The options of the command line that say the same, each with its value."""
        names = {
            "--user": (self.user,) if self.user is not None else (),
            "--count": (self.count,) if self.count is not None else (),
            "--attribute": self.attributes,
            "--ignore": self.ignore,
            "--quasi-identifier": self.quasi_identifiers,
            "--sensitive": self.sensitive,
            "--insensitive": self.insensitive,
            "--pseudonym": (self.pseudonym,) if self.pseudonym is not None else (),
            "--identifier": self.identifiers,
            "--keep": self.keep,
        }
        written = tuple(typed_option(flag, name) for flag, given in names.items() for name in given)
        folding = {None: (), True: (("--fold-keys",),), False: (("--no-fold-keys",),)}[self.fold_keys]
        return (*written, *((("--no-persons",),) if self.no_persons else ()), *folding)

    @property
    def declared(self) -> tuple[tuple[str, str], ...]:
        """The declared roles that options gave, each with its column."""
        given = {
            "quasi_identifier": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "count": (self.count,) if self.count is not None else (),
            "pseudonym": (self.pseudonym,) if self.pseudonym is not None else (),
            "identifier": self.identifiers,
        }
        return tuple((name, role) for role, names in given.items() for name in names)
