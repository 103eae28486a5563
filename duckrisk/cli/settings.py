"""Options win over the settings file, and that over the defaults."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.assessment import Settings


def read_settings(
    config: Path | None, user: str | None, attributes: list[str] | None, ignore: list[str] | None
) -> Settings:
    """The settings of the file; what options say of columns stands before what it says of them."""
    from duckrisk import config as settings_file
    from duckrisk.assessment import Settings
    from duckrisk.roles import RoleOverrides

    path = config or (Path(settings_file.NAME) if Path(settings_file.NAME).is_file() else None)
    settings = settings_file.load(path) if path is not None else Settings()
    overrides = RoleOverrides(user, tuple(attributes or ()), tuple(ignore or ()), settled=settings.overrides)
    return dataclasses.replace(settings, overrides=overrides, config=path.name if path is not None else None)


def changed(options: Any, changes: dict[str, Any]) -> Any:
    """The settings with the changes that were asked for."""
    return dataclasses.replace(options, **{key: value for key, value in changes.items() if value is not None})


@contextlib.contextmanager
def settings_named(settings: Settings) -> Iterator[None]:
    """Let what is refused say that a settings file took part."""
    try:
        yield
    except UsageError as error:
        if settings.config is None:
            raise
        raise UsageError(f'{error} Settings were read from "{settings.config}".') from None


def levels_of(given: list[str] | None) -> tuple[tuple[str, Any], ...]:
    """Levels written as NAME=TYPE or NAME=E,P."""
    levels: dict[str, Any] = {}
    for text in given or ():
        name, sign, level = text.rpartition("=")
        if not sign or not name or not level:
            raise UsageError(
                f'The level "{text}" is not written as a column and its level, as in age=date_of_birth or '
                "income=2,2 (economic, psychological)."
            )
        if name in levels:
            raise UsageError(f'The column "{name}" is given two levels; leave one.')
        levels[name] = level
    return tuple(levels.items())
