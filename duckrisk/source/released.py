"""The recipe that a release was made by, which lies beside it."""

from __future__ import annotations

import os
from pathlib import Path

from duckrisk import toml
from duckrisk.errors import UsageError
from duckrisk.options.source import Request

#: What a recipe is called, after the name of its release.
SUFFIX = ".recipe.toml"


def recipe_beside(request: Request) -> Path | None:
    """Where the recipe is that a release was made by, if there is one."""
    file = request.attach if request.attach is not None else request.source
    if not isinstance(file, (str, os.PathLike)):
        return None
    table = f".{request.table}" if request.table is not None else ""
    return Path(f"{os.fspath(file)}{table}{SUFFIX}")


def is_release(request: Request) -> Path | None:
    """The recipe, where there is one."""
    path = recipe_beside(request)
    try:
        return path if path is not None and path.is_file() else None
    except (OSError, ValueError):  # too long, or with a NUL
        return None


def renamed_by(recipe: Path | None) -> frozenset[str]:
    """The columns that a recipe gave pseudonyms to; none where it cannot be read."""
    try:
        steps = toml.content(recipe, "recipe")["step"] if recipe is not None else []
        return frozenset(str(step["column"]) for step in steps if step["method"] == "pseudonymize")
    except (UsageError, LookupError, TypeError):
        return frozenset()
