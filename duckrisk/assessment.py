"""The main job: open a source, find out who is who, measure, and put the results together."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk import attribute, disclosure, identifiability, roles
from duckrisk.errors import UsageError, suggestion
from duckrisk.files import write_file
from duckrisk.gates import Gate, check, judge, measured_by
from duckrisk.options.output import Language
from duckrisk.report import Report
from duckrisk.report.checklist import checklist
from duckrisk.results import as_data, in_english
from duckrisk.session import Resources, Session
from duckrisk.source import VIEW, Request, Source, open_sources, spell_alike
from duckrisk.source.long_cells import carry_alike
from duckrisk.source.model import named as column_named

#: Raised whenever a key of the report changes its meaning or goes away.
SCHEMA_VERSION = 1
#: The parts of an assessment where nobody chooses, and all of them.
MAIN = ("attribute_risk", "identifiability")
SECTIONS = (*MAIN, "direct_identifiers")
PARTS = (*MAIN, *disclosure.PARTS)


@dataclass(frozen=True)
class Settings:
    """Everything that a run was asked to do, apart from the source and the resources.

    ``only`` are the parts to measure; None leaves them to the other settings. ``source`` is how a settings
    file says to open the source; whoever makes the request fills it in from there with
    :meth:`Request.or_else`.
    """

    overrides: roles.RoleOverrides = field(default_factory=roles.RoleOverrides)
    measures: attribute.Options = field(default_factory=attribute.Options)
    identifiability: identifiability.Options = field(default_factory=identifiability.Options)
    disclosure: disclosure.Options = field(default_factory=disclosure.Options)
    only: tuple[str, ...] | None = None
    gates: tuple[Gate, ...] = ()
    show_values: bool = False
    config: str | None = None
    source: Request = field(default_factory=Request)
    language: Language = field(default_factory=Language)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to measure: those chosen, else :data:`SECTIONS` and whatever settings or gates are given
        for."""
        if self.only is not None:
            return self.only
        needed = {*SECTIONS, *self.disclosure.parts, *(measured_by(gate) for gate in self.gates)}
        return tuple(name for name in PARTS if name in needed)


def run(
    request: Request,
    settings: Settings,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None = None,
    records: Path | None = None,
) -> Report:
    """Assess a source; ``records`` is a Parquet file to write every record's ease and value to.
    Raises the errors of :mod:`duckrisk.errors`."""
    _check(settings, records)
    with Session(resources, watch) as session:
        requests = [(VIEW, request)]
        if settings.disclosure.population is not None and "class_sizes" in settings.parts:
            requests.append((disclosure.POPULATION, Request(settings.disclosure.population)))
        source, *others = open_sources(session, requests)
        for other in others:
            pairs = [(c, there) for c in source.columns if (there := column_named(other.columns, c.name))]
            if pairs:
                spell_alike([source, other], list(zip(*pairs, strict=True)))
        found = roles.infer(session, source, settings.overrides)
        settings = dataclasses.replace(settings, overrides=found.overrides)
        carry_alike(session, source, [(disclosure.POPULATION, other) for other in others])
        for gate in settings.gates:
            check(gate, [a.name for a in found.attributes], settings.measures.method, settings.parts)
        asked = set(settings.only or SECTIONS) not in (set(MAIN), set(SECTIONS)) or records is not None
        section: identifiability.Identifiability | None = None
        notes: list[str] = []
        if "identifiability" in settings.parts:
            section, notes = identifiability.measure(
                session,
                source,
                found,
                settings.identifiability,
                show_values=settings.show_values,
                records=session.table if records is not None else None,
                required=asked,
            )
        measured_disclosure = disclosure.measure(
            session,
            source,
            found,
            dataclasses.replace(settings.disclosure, missing_tokens=settings.identifiability.missing_tokens),
            settings.parts,
            population=others[0] if others else None,
            show_values=settings.show_values,
        )
        disclosed = as_data(measured_disclosure, in_english)
        said = list(map(in_english, measured_disclosure.notes))
        assessed = found if "attribute_risk" in settings.parts else dataclasses.replace(found, attributes=[])
        measured = attribute.measure(session, assessed, settings.measures, show_values=settings.show_values)
        data: dict[str, Any] = {
            "version": SCHEMA_VERSION,
            "source": _source(
                source,
                found,
                request,
                settings,
                [*measured.pop("notes"), *notes, *said],
                disclosure.kinds_of(disclosed["direct_identifiers"]),
            ),
            **measured,
            "identifiability": as_data(section, in_english),
            **disclosed,
            "checklist": [],
            "settings": _settings(settings, request, source),
            "environment": {
                "duckrisk": duckrisk.__version__,
                "duckdb": session.engine_version,
                "seed": settings.measures.seed,
            },
            "gates": [],
        }
        data["checklist"] = checklist(data)
        data["gates"] = [judge(gate, data) for gate in settings.gates]
        if records is not None:
            write_file(records, lambda made: _copy(session.table, made), private=True)
        return Report(data, statements=tuple(session.log), resources=resources)


def _check(settings: Settings, records: Path | None) -> None:
    settings.measures.check()
    if not settings.parts:
        raise UsageError(f"Nothing is to be measured; the parts of an assessment are {', '.join(PARTS)}.")
    for name in settings.parts:
        if name not in PARTS:
            hint = suggestion(name, list(PARTS))
            raise UsageError(f'An assessment has no part "{name}"{hint}')
    identifiability.check(settings.identifiability)
    settings.disclosure.check()
    if records is not None and records.suffix.lower() != ".parquet":
        raise UsageError(f'The table of records is a Parquet file; name it so, not "{records.name}".')
    if records is not None and "identifiability" not in settings.parts:
        raise UsageError("The table of records holds their identifiability, which is not to be measured.")


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _source(
    source: Source,
    found: roles.Roles,
    request: Request,
    settings: Settings,
    notes: list[str],
    by_content: dict[str, list[str]],
) -> dict[str, Any]:
    where, query = request.where, request.query
    if not settings.show_values:
        where, query = without_literals(where), without_literals(query)
    return {
        "name": source.name,
        "kind": source.kind,
        "records": found.records,
        "users": found.users,
        "user": found.user.name if found.user is not None else None,
        "records_without_user": found.without_user,
        "most_records_of_a_user": found.most_records,
        "columns": [
            {
                "name": decision.column.name,
                "type": roles.shown_type(decision.column.type),
                "role": decision.role,
                "reason": _reason(decision, by_content.get(decision.column.name, [])),
                "missing": found.records - decision.present,
            }
            for decision in found.decisions
        ],
        "encoding": source.encoding,
        "digest": source.digest,
        "where": where,
        "query": query,
        "notes": [
            *([f'Settings were read from "{settings.config}".'] if settings.config else []),
            *source.notes,
            *map(in_english, found.notes),
            *notes,
        ],
    }


def _reason(decision: roles.Decision, kinds: list[str]) -> str:
    """Why a column was taken for what it was, and what its cells look like."""
    looks = f"cells look like: {', '.join(kinds)}" if kinds else ""
    return "; ".join(filter(None, (in_english(decision.reason or ""), looks)))


def _settings(settings: Settings, request: Request, source: Source) -> dict[str, Any]:
    measures = settings.measures
    return {
        "method": measures.method,
        "k": measures.k,
        "samples": measures.samples,
        "confidence": measures.confidence,
        "interval": measures.interval,
        "known_records": measures.known_records,
        "draws": measures.draws,
        "detailed": measures.detailed,
        "user": settings.overrides.user,
        "attributes": list(settings.overrides.attributes),
        "ignore": list(settings.overrides.ignore),
        "roles": dict(settings.overrides.roles),
        "table": request.table,
        "attached": request.attach.partition(":")[0] if request.attach and ":" in request.attach else None,
        "encoding": request.encoding,
        "header": request.header,
        "only": [name for name in PARTS if name in settings.parts],
        "levels": {
            name: _level(level)
            for name, level in identifiability.named_levels(source, settings.identifiability).items()
        },
        **{
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(settings.identifiability).items()
            if name not in ("levels", "settled_levels")
        },
        "disclosure": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(settings.disclosure).items()
            if name != "missing_tokens"  # one setting of all parts, above
        }
        | {  # what a file is called, not where it is
            name: Path(named).name if (named := getattr(settings.disclosure, name)) is not None else None
            for name in ("population", "hierarchies")
        }
        if set(settings.parts) & set(disclosure.PARTS)
        else None,
        "config": settings.config,
        "show_values": settings.show_values,
    }


def _level(given: Any) -> str | list[int]:
    return list(given) if isinstance(given, (list, tuple)) else given


#: What may stay in forwarded SQL: names, punctuation. A number that is part of a name is no number.
_KEPT = re.compile(r'"(?:[^"]|"")*"|[^\W\d]\w*|\s+|[^\w\s]', re.DOTALL)
_LITERAL = re.compile(
    r"(?P<escaped>[eE]'(?:[^'\\]|\\.|'')*')|[bBxX]?'(?:[^']|'')*'"
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|\.?\d(?:\w|\.|(?<=[eE])[+-])*",
    re.DOTALL,
)


def without_literals(sql: str | None) -> str | None:
    """SQL that a person typed, with ``?`` for each text and number and without comments: a report goes
    further than the command, and "diagnosis = '...'" tells a value of somebody's record."""
    if sql is None:
        return None
    made: list[str] = []
    position = 0
    while position < len(sql):
        if sql.startswith("--", position):
            end = sql.find("\n", position)
            position = len(sql) if end < 0 else end
        elif sql.startswith("/*", position):
            position = _after_comment(sql, position)
        elif found := _LITERAL.match(sql, position):
            made.append("?")
            position = found.end()
        elif found := _KEPT.match(sql, position):
            if found.group() in ("'", "$"):  # the opening of something unknown: nothing after it is sure
                return "".join(made) + "?"
            made.append(found.group())
            position = found.end()
        else:
            return "".join(made) + "?"
    return "".join(made).strip()


def _after_comment(sql: str, position: int) -> int:
    """The end of a block comment, which can hold others."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", sql[position:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return position + mark.end()
    return len(sql)
