"""Finds and reads the recipe of a release, a file next to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base import toml
from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request

#: Suffix of a recipe, after the name of its release.
SUFFIX = ".recipe.toml"
#: Methods that leave values in a record that are another's, or nobody's.
_EXCHANGING = ("perturb", "swap")


def locate_recipe(request: Request) -> Path | None:
    """Return the path that the recipe of a release has; None for tables in Python."""
    file = request.attach if request.attach is not None else request.source
    if not isinstance(file, (str, os.PathLike)):
        return None
    table = f".{request.table}" if request.table is not None else ""
    return Path(f"{os.fspath(file)}{table}{SUFFIX}")


def find_recipe(request: Request) -> Path | None:
    """Return the recipe of a release; None if there is none."""
    path = locate_recipe(request)
    try:
        return path if path is not None and path.is_file() else None
    except (OSError, ValueError):  # too long, or with a NUL
        return None


@dataclass(frozen=True)
class RecipeColumns:
    """The columns that the steps of a recipe name.

    Attributes:
        pseudonymized: Columns that get pseudonyms.
        dropped: Columns that are dropped.
        users: Columns by which people are counted.
        exchanged: Columns with cells that another record had, or nobody.
    """

    pseudonymized: frozenset[str] = frozenset()
    dropped: tuple[str, ...] = ()
    users: frozenset[str] = frozenset()
    exchanged: frozenset[str] = frozenset()


def read_recipe_columns(recipe: Path | None) -> RecipeColumns:
    """Return the columns of a recipe; no columns if it cannot be read."""
    try:
        steps = toml.read_toml(recipe, "recipe")["step"] if recipe is not None else []
        return RecipeColumns(
            frozenset(str(step["column"]) for step in steps if step["method"] == "pseudonymize"),
            tuple(str(step["column"]) for step in steps if step.get("drop") is True),
            frozenset(str(step["user"]) for step in steps if "user" in step),
            frozenset(str(step["column"]) for step in steps if step["method"] in _EXCHANGING),
        )
    except (UsageError, LookupError, TypeError, AttributeError):
        return RecipeColumns()
