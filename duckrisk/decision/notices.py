"""What changed a verdict: settings that no command line shows, and conditions on the records.

:func:`list_notices` alone decides what a report says of them. Every form asks for its list, which stands in
``Result.notices``.
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

#: Settings that can move a verdict, or whose levels and roles count as confirmed. The limits of a policy and
#: the choice of records have notices of their own.
MOVING = (
    *("user", "no_persons", "attributes", "ignore", "columns", "levels", "only", "policy.name"),
    *(
        "source.table",
        "source.encoding",
        "source.header",
        "source.skip_lines",
        "source.beside",
        "engine.engine",
    ),
    *("source.timezone", "source.read"),
    *("measures.method", "measures.samples", "measures.confidence", "measures.interval", "measures.seed"),
    *("measures.known_records", "measures.draws", "measures.detailed"),
    *("identifiability.missing", "identifiability.missing_tokens"),
)
#: Those by which a person confirms what would be guessed, and the name of the policy.
CONFIRMING = ("user", "no_persons", "columns", "levels", "policy.name")
#: Settings that choose records.
CHOOSING = ("source.where", "source.query")
#: Tables of settings whose keys are names of columns.
_BY_COLUMN = ("columns", "levels")


@dataclass(frozen=True)
class Settled:
    """What a settings file decides of a run.

    ``values`` holds its settings that count and differ from the default, by their names (``table.key``);
    ``origins`` names the file of those that stand in another one. ``overruled`` is the option that names a
    policy, where the limits of the file do not count because of it.
    """

    file: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    overruled: str | None = None

    def without(self, names: Iterable[str]) -> Settled:
        """Return the same without some settings."""
        left_out = set(names)
        kept = {name: value for name, value in self.values.items() if name not in left_out}
        return dataclasses.replace(self, values=kept)

    def of_tables(self, *tables: str) -> Settled:
        """Return the same with the settings of some tables alone, by the part of a name before its dot."""
        return self.without(name for name in self.values if name.partition(".")[0] not in tables)

    def with_recipe(self, name: str, source: Request) -> Settled:
        """Return the same where a recipe chooses the records, if it does."""
        chosen = {f"source.{key}": getattr(source, key) for key in ("where", "query", "beside")}
        own = {key: value for key, value in chosen.items() if value not in (None, ())}
        if not own:
            return self
        kept = self.without(chosen).values
        return dataclasses.replace(self, values={**kept, **own}, origins=dict.fromkeys(own, name))

    def origin_of(self, name: str) -> str | None:
        """Return the file that decides a setting; None where the run itself was given it."""
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
    settled: Settled,
    request: Request,
    total: int | None,
    records: int,
    against: policy.Options | None = None,
) -> tuple[Notice, ...] | None:
    """List what changed the verdict of a run.

    Args:
        settled: What the settings file decides.
        request: How the source was opened.
        total: Records of the source without a condition or query; None where that is not known.
        records: Records that were judged.
        against: The policy of the verdict; None where none was judged.

    Returns:
        The notices, limits and records first; None where there are none.
    """
    found = [
        *(_of_limits(against) if against is not None else ()),
        *_of_records(settled, request, total, records),
        *_of_others(settled, request),
        *_of_overruled(settled),
    ]
    return tuple(found) or None


def _of_limits(against: policy.Options) -> Iterator[Notice]:
    origin = policy.limits_from(against)
    file = None if origin == policy.ARGUMENTS else origin
    for limit, published in policy.changed_limits(against):
        values = {"limit": limit.shown, "published": policy.limit_shown(limit.name, published)}
        text = Sentence(
            "notice.limit_of_file" if file is not None else "notice.limit",
            file=Data(file or ""),
            name=Sentence(f"policy.limit.{limit.name}"),
            policy=against.name,
            **values,
        )
        yield Notice(f"policy.{limit.name}", file, limit.value, published, text)


def _of_records(settled: Settled, request: Request, total: int | None, records: int) -> Iterator[Notice]:
    """List what chose records; a query that is the whole source of a run chooses none."""
    for setting in CHOOSING:
        kind, file = setting.partition(".")[2], settled.origin_of(setting)
        whole = kind == "query" and file is None and request.source is None and request.attach is None
        if getattr(request, kind) is None or whole:
            continue
        what = (
            Sentence(f"notice.{kind}_of_file", file=Data(file))
            if file is not None
            else Sentence(f"notice.{kind}")
        )
        if kind == "query" and request.where is not None:  # whose notice counts
            yield Notice(setting, file, None, None, Sentence("notice.of_query", what=what))
            continue
        key = f"notice.records_of_{kind}" if total is not None else "notice.records"
        counts = {"records": format_number(records), "all": format_number(total or 0)}
        yield Notice(setting, file, records, total, Sentence(key, what=what, **counts))


def _of_others(settled: Settled, request: Request) -> Iterator[Notice]:
    for name in (name for name in MOVING if name in settled.values):
        table, _, key = name.rpartition(".")
        value, file = settled.values[name], Data(settled.origin_of(name) or "")
        if table == "source" and getattr(request, key, value) != value:
            continue  # the command opened the source in another way
        if name in _BY_COLUMN:
            text = Sentence(f"notice.{name}", file=file, count=format_number(len(value)))
        else:
            shown = f"[{table}] {toml.format_entry(key, value)}" if table else toml.format_entry(key, value)
            text = Sentence("notice.setting", file=file, setting=Data(shown))
        figure = value if type(value) in (int, float) else None
        yield Notice(name, str(file), figure, None, text)


def _of_overruled(settled: Settled) -> Iterator[Notice]:
    if settled.overruled is not None and settled.file is not None:
        option = settled.overruled.partition(" ")[0].removeprefix("--").replace("-", "_")
        values = {"file": Data(settled.file), "option": Data(settled.overruled)}
        yield Notice("policy", settled.file, None, None, Sentence(f"notice.overruled.{option}", **values))
