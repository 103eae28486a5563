"""What a person decides about columns."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.options import OptionSet, option


def typed_option(flag: str, value: str) -> tuple[str, ...]:
    """Return an option with its value as the words of a command line; no value is taken for an option."""
    return (f"{flag}={value}",) if not value or value.startswith("-") else (flag, value)


@dataclass(frozen=True)
class RoleOverrides(OptionSet, table="", group="Who is who"):
    """What a person decided of columns, by their names, and of attributes ("A", "A.date", "A+B").

    ``settled`` is what the settings file says. It holds for the columns that nothing else here names.
    """

    user: str | None = option(
        None,
        help="The column of the person behind a record, A+B for two; '' takes each record as a person.",
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
        shown="every attribute",
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
    fold_keys: bool | None = option(
        None,
        help="Merge keys of people that differ in case, blanks or width alone.",
        shown="asked",
        setting=False,
        rare=True,
    )
    keep: tuple[str, ...] = option(
        (), help="A column that a treatment must not leave out.", metavar="COLUMN", setting=False
    )

    @property
    def options(self) -> tuple[tuple[str, ...], ...]:
        """The options of the command line that say the same, each with its value."""
        names = {
            "--user": (self.user,) if self.user is not None else (),
            "--attribute": self.attributes,
            "--ignore": self.ignore,
            "--quasi-identifier": self.quasi_identifiers,
            "--sensitive": self.sensitive,
            "--insensitive": self.insensitive,
            "--keep": self.keep,
        }
        folding = {None: (), True: (("--fold-keys",),), False: (("--no-fold-keys",),)}[self.fold_keys]
        typed = (typed_option(flag, name) for flag, given in names.items() for name in given)
        return (*typed, *folding)

    @property
    def declared(self) -> tuple[tuple[str, str], ...]:
        """The declared roles that options gave, each with its column."""
        given = {
            "quasi_identifier": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
        }
        return tuple((name, role) for role, names in given.items() for name in names)
