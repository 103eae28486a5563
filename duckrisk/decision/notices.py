"""List what changed a verdict: settings of a file, and conditions on the records.

Every form of a report shows the list of :func:`list_notices`, which is `Result.notices`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from duckrisk.base import toml
from duckrisk.base.numbers import format_number
from duckrisk.base.options.source import Request
from duckrisk.base.sentences import Data, Sentence
from duckrisk.decision import policy

#: Settings that can change a verdict, or that confirm roles and levels. The limits of a policy and the choice
#: of records have notices of their own.
VERDICT_SETTINGS = (
    *("user", "no_persons", "attributes", "ignore", "columns", "levels", "only", "policy.name"),
    *(
        "source.table",
        "source.encoding",
        "source.header",
        "source.skip_lines",
        "source.beside",
        "engine.engine",
    ),
    *("source.timezone", "source.read", "source.earlier", "source.key_tables"),
    *("measures.method", "measures.samples", "measures.confidence", "measures.interval", "measures.seed"),
    *("measures.known_records", "measures.draws", "measures.detailed"),
    *("identifiability.missing", "identifiability.missing_tokens"),
)
#: Settings by which a person confirms what would be guessed, and the name of the policy.
CONFIRMING_SETTINGS = ("user", "no_persons", "columns", "levels", "policy.name")
#: Settings that choose records.
RECORD_SETTINGS = ("source.where", "source.query")
#: Tables of settings whose keys are names of columns.
_BY_COLUMN = ("columns", "levels")


@dataclass(frozen=True)
class FileSettings:
    """The settings of a file that count in a run.

    Attributes:
        file: Name of the settings file; None without one.
        values: Settings that differ from the default, by name (`table.key`).
        origins: Names of other files that decide a setting, such as a recipe, by setting.
        overruled: The option that names a policy, if it overrules the limits of the file.
    """

    file: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    overruled: str | None = None

    def drop(self, names: Iterable[str]) -> FileSettings:
        """Return the settings without some of them.

        Args:
            names: Names of settings (`table.key`); unknown ones are ignored.
        """
        dropped = set(names)
        values = {name: value for name, value in self.values.items() if name not in dropped}
        return dataclasses.replace(self, values=values)

    def select_tables(self, *tables: str) -> FileSettings:
        """Return the settings of some tables of the file.

        Args:
            tables: Parts of names before the dot, such as `source`.
        """
        return self.drop(name for name in self.values if name.partition(".")[0] not in tables)

    def add_recipe(self, name: str, source: Request) -> FileSettings:
        """Return the settings with the choice of records of a recipe, if it has one.

        Args:
            name: Name of the recipe's file.
            source: How the recipe opens the source.
        """
        chosen = {f"source.{key}": getattr(source, key) for key in ("where", "query", "beside")}
        given = {key: value for key, value in chosen.items() if value not in (None, ())}
        if not given:
            return self
        others = self.drop(chosen).values
        return dataclasses.replace(self, values={**others, **given}, origins=dict.fromkeys(given, name))

    def find_origin(self, name: str) -> str | None:
        """Return the file that decides a setting.

        Args:
            name: Name of the setting (`table.key`).

        Returns:
            Name of the file; None if the call itself gave the setting.
        """
        return self.origins.get(name, self.file) if name in self.values else None


@dataclass(frozen=True)
class Notice:
    """A setting that changed a verdict, or the records that it is about."""

    sql: ClassVar[tuple[str, ...]] = ("count_unrestricted", "count_records")

    setting: Annotated[str, "Name of the setting, as in a settings file: table.key."]
    origin: Annotated[
        str | None, "Name of the file that holds the setting; null where the run itself was given it."
    ]
    value: Annotated[
        float | None,
        "The number that counts: the limit, the records that were judged, or the setting; null for others.",
    ]
    without: Annotated[
        float | None,
        "The number without the setting: the published limit, the records of the source, or the default; "
        "null for others.",
    ]
    text: Annotated[Sentence, "Text: what the setting changed."]


def list_notices(
    file_settings: FileSettings,
    request: Request,
    total: int | None,
    records: int,
    against: policy.Options | None = None,
) -> tuple[Notice, ...] | None:
    """List what changed the verdict of a run.

    Args:
        file_settings: Settings of the file that count.
        request: How the source was opened.
        total: Number of records of the source without a condition or query; None if unknown.
        records: Number of records that were judged.
        against: The policy of the verdict; None if there is no verdict.

    Returns:
        The notices, limits and records first; None if there are none.
    """
    notices = [
        *(_list_limits(against) if against is not None else ()),
        *_list_record_settings(file_settings, request, total, records),
        *_list_verdict_settings(file_settings, request),
        *_list_overruled(file_settings),
    ]
    return tuple(notices) or None


def _list_limits(against: policy.Options) -> Iterator[Notice]:
    origin = policy.find_limits_source(against)
    file = None if origin == policy.ARGUMENTS else origin
    for limit, published in policy.list_changed_limits(against):
        values = {"limit": limit.text, "published": policy.format_limit(limit.name, published)}
        text = Sentence(
            "notice.limit_of_file" if file is not None else "notice.limit",
            file=Data(file or ""),
            name=Sentence(f"policy.limit.{limit.name}"),
            policy=against.name,
            **values,
        )
        yield Notice(f"policy.{limit.name}", file, limit.value, published, text)


def _list_record_settings(
    file_settings: FileSettings, request: Request, total: int | None, records: int
) -> Iterator[Notice]:
    """List the settings that chose records.

    A query that is the whole source of a run chooses none.
    """
    for setting in RECORD_SETTINGS:
        kind, file = setting.partition(".")[2], file_settings.find_origin(setting)
        whole = kind == "query" and file is None and request.source is None and request.attach is None
        if getattr(request, kind) is None or whole:
            continue
        setting_text = (
            Sentence(f"notice.{kind}_of_file", file=Data(file))
            if file is not None
            else Sentence(f"notice.{kind}")
        )
        if kind == "query" and request.where is not None:  # the notice on the condition has the counts
            yield Notice(setting, file, None, None, Sentence("notice.of_query", what=setting_text))
            continue
        key = f"notice.records_of_{kind}" if total is not None else "notice.records"
        counts = {"records": format_number(records), "all": format_number(total or 0)}
        yield Notice(setting, file, records, total, Sentence(key, what=setting_text, **counts))


def _list_verdict_settings(file_settings: FileSettings, request: Request) -> Iterator[Notice]:
    for name in (name for name in VERDICT_SETTINGS if name in file_settings.values):
        table, _, key = name.rpartition(".")
        value, file = file_settings.values[name], Data(file_settings.find_origin(name) or "")
        if table == "source" and getattr(request, key, value) != value:
            continue  # the command opened the source in another way
        if name in _BY_COLUMN:
            text = Sentence(f"notice.{name}", file=file, count=format_number(len(value)))
        else:
            entry = f"[{table}] {toml.format_entry(key, value)}" if table else toml.format_entry(key, value)
            text = Sentence("notice.setting", file=file, setting=Data(entry))
        figure = value if type(value) in (int, float) else None
        yield Notice(name, str(file), figure, None, text)


def _list_overruled(file_settings: FileSettings) -> Iterator[Notice]:
    if file_settings.overruled is not None and file_settings.file is not None:
        option = file_settings.overruled.partition(" ")[0].removeprefix("--").replace("-", "_")
        values = {"file": Data(file_settings.file), "option": Data(file_settings.overruled)}
        yield Notice(
            "policy", file_settings.file, None, None, Sentence(f"notice.overruled.{option}", **values)
        )
