"""``duckrisk.toml``: what a person decided about a source, read, checked, and written by ``init``."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from types import GenericAlias
from typing import Any

from duckrisk import attribute, disclosure, identifiability, roles, toml
from duckrisk.assessment import Settings
from duckrisk.errors import SourceError, UsageError, suggestion
from duckrisk.gates import parse_gate
from duckrisk.results import in_english
from duckrisk.roles import Decision, Roles
from duckrisk.source import Request, Source

NAME = "duckrisk.toml"

#: What a setting has to be.
_KINDS: dict[Any, str] = {
    str: "a text",
    list[str]: "a list of texts",
    list[int]: "a list of whole numbers",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_SHAPE: dict[str, dict[str, Any]] = {
    "": {"user": str, "attributes": list[str], "ignore": list[str], "fail_on": list[str], "only": list[str]},
    "source": {"table": str, "query": str, "where": str, "encoding": str, "header": bool},
    "columns": {},
    "levels": {},
    "hierarchies": {},
    "history": {
        "user": str,
        "date": str,
        "time": str,
        "item": str,
        "price": str,
        "quantity": str,
        "invoice": str,
        "period": str,
    },
    "identifiability": {
        "profile": str,
        "missing": str,
        "missing_tokens": list[str],
        "compare_missing": bool,
        "max_sets": int,
        "max_size": int,
        "time_limit": float,
        "thorough": bool,
        "what_if": bool,
        "currency": str,
        "base": float,
        "social_responsibility": int,
        "post_response": int,
    },
    "disclosure": {
        "quasi_identifiers": list[str],
        "sensitive": list[str],
        "class_sizes": list[int],
        "missing": str,
        "compare_missing": bool,
        "suda_scores": str,
        "fraction": float,
        "population": str,
        "population_count": str,
        "weight": str,
        "household": str,
        "max_size": int,
        "time_limit": float,
        "hierarchies": str,
        "share": float,
    },
    "measures": {
        "method": str,
        "k": int,
        "samples": int,
        "confidence": float,
        "interval": str,
        "known_records": int,
        "draws": int,
        "detailed": int,
        "seed": int,
    },
}


def load(path: Path) -> Settings:
    """Settings from a file. Raises UsageError that names the line or key that is wrong."""
    content = _content(path)
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    plain = {key: value for key, value in content.items() if key not in tables}
    _check(path.name, "", plain)
    for name, table in tables.items():
        if name not in _SHAPE:
            known = [*_SHAPE[""], *[key for key in _SHAPE if key]]
            hint = suggestion(name, known)
            raise UsageError(f'"{path.name}" has an unknown table [{name}]{hint}')
        if name not in ("columns", "levels", "hierarchies"):
            _check(path.name, name, table)
    measures = dict(tables.get("measures", {}))
    if "confidence" in measures:
        measures["confidence"] = float(measures["confidence"])
    columns = tables.get("columns", {})
    for name, role in columns.items():
        if not isinstance(role, str) or role not in roles.ROLES:
            raise UsageError(
                f'"{path.name}" gives the column "{name}" a role that is not one of {", ".join(roles.ROLES)}.'
            )
    named = {name for name, role in columns.items() if role == "user"}
    if len(named | {plain[key] for key in ("user",) if key in plain}) > 1 and named:
        raise UsageError(f'"{path.name}" names more than one user column.')
    overrides = roles.RoleOverrides(
        user=plain.get("user"),
        attributes=tuple(plain.get("attributes", ())),
        ignore=tuple(plain.get("ignore", ())),
        roles=tuple(columns.items()),
    )
    identifying = _options(tables.get("identifiability", {}))
    disclosing = _options(tables.get("disclosure", {}))
    if tables.get("hierarchies"):
        disclosing.setdefault("hierarchies", str(path))
    return Settings(
        overrides=overrides,
        measures=dataclasses.replace(attribute.Options(), **measures),
        identifiability=identifiability.Options(
            settled_levels=tuple(tables.get("levels", {}).items()), **identifying
        ),
        disclosure=disclosure.Options(**disclosing),
        only=tuple(plain["only"]) if "only" in plain else None,
        gates=tuple(parse_gate(text) for text in plain.get("fail_on", ())),
        source=Request(**tables.get("source", {})),
    )


def _options(table: dict[str, Any]) -> dict[str, Any]:
    """Settings as options take them."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}


def history(path: Path) -> dict[str, str]:
    """The table ``[history]`` of a settings file: the columns of a purchase history by what they are for, and
    the period; empty where there is none. Raises UsageError as :func:`load` does."""
    user = load(path).overrides.user
    found: dict[str, str] = dict(_content(path).get("history", {}))
    return {"user": user, **found} if found and user else found


def _content(path: Path) -> dict[str, Any]:
    """What is written in a settings file."""
    return toml.content(path, "settings file", "`duckrisk init` writes one")


def _check(file: str, table: str, entries: dict[str, Any]) -> None:
    shape = _SHAPE[table]
    place = f"[{table}] of " if table else ""
    for key, value in entries.items():
        if key not in shape:
            hint = suggestion(key, list(shape))
            raise UsageError(f'{place}"{file}" has an unknown key "{key}"{hint}')
        if not _fits(value, shape[key]):
            raise UsageError(f'{place}"{file}": "{key}" has to be {_KINDS[shape[key]]}.')


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(kind, GenericAlias):
        return type(value) is list and all(_fits(item, *kind.__args__) for item in value)
    return type(value) in ((int, float) if kind is float else (kind,))


# --- writing -------------------------------------------------------------------------------------


def propose(source: Source, found: Roles, request: Request) -> str:
    """The commented ``duckrisk.toml`` for a source: how it was opened, and every role with its reason."""
    lines = [
        f"# How duckrisk reads {_comment(source.name)}. Correct what is wrong and run `duckrisk assess`",
        f"# again: it reads {NAME} in the current folder, or any file given with --config.",
        "",
        "# The column of the person behind each record. Empty text: every record is its own person.",
        f"user = {_text(found.user.name if found.user is not None else '')}",
        "",
        "# What an attacker may know. Without this line every column with the role date_time or",
        "# attribute is assessed. Coarser knowledge: Column.week, Column.prefix(2), Column.band(5).",
        "# Several columns known together: A+B.",
        "# attributes = [" + ", ".join(_text(a.name) for a in found.attributes) + "]",
        "",
        "# Fail (exit code 1) when a condition holds, for pipelines.",
        '# fail_on = ["attribute_risk.mean_risk > 0.2"]',
        "",
        "# How the source is opened where the command does not say it. The source itself and --attach stay",
        "# with the command: an address can hold a password. A condition or a query is kept as it was typed:",
        "# keep this file to yourself if one of its values tells something of somebody.",
        "[source]",
        *(_source_line(key, getattr(request, key)) for key in _SHAPE["source"]),
        "",
        "# The role of each column, one of",
        f"#   {', '.join(roles.ROLES)}",
        "[columns]",
    ]
    lines += [_column_line(decision) for decision in found.decisions if decision.role != "user"]
    lines += [
        "",
        "# How sensitive each column is: a type of the JO model's chart (datasets/levels.csv), or its",
        "# economic and its psychological level, as in [2, 1]. What is not confirmed here is provisional.",
        "[levels]",
        *_level_lines(source, found),
    ]
    for table, options, comments in (
        ("identifiability", identifiability.Options(), _IDENTIFIABILITY),
        ("disclosure", disclosure.Options(), _DISCLOSURE),
        ("measures", attribute.Options(), _MEASURES),
    ):
        lines += ["", f"[{table}]"]
        for key, text in comments.items():
            value = getattr(options, key)
            lines.append(f"# {key} = {_value(_EXAMPLES[key] if value is None else value)}  # {text}")
    return "\n".join(lines) + "\n"


def _level_lines(source: Source, found: Roles) -> list[str]:
    """Proposals to confirm: a person takes the sign of a comment away."""
    levelled, unlevelled = identifiability.level_attributes(source, found, identifiability.Options(), {})
    proposed = {one.decision.column.name: one for one in levelled}
    lines = [
        f"# {_text(name)} = {_value(one.level.type or [one.level.economic, one.level.psychological])}"
        f"  # {_comment(in_english(one.reason))}"
        for name, one in proposed.items()
    ]
    return lines + [
        f"# {_text(entry.column)} = {_text(entry.nearest[0])}  # nothing says what it is; perhaps "
        f"{' or '.join(entry.nearest)}"
        for entry in unlevelled
    ]


def _value(value: Any) -> str:
    """A TOML value."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


#: What is shown where there is no default.
_EXAMPLES = {
    "max_sets": 100_000,
    "max_size": 4,
    "time_limit": 60,
    "what_if": True,
    "fraction": 0.1,
    "population": "register.parquet",
    "population_count": "people",
    "weight": "weight",
    "household": "household",
    "hierarchies": "hierarchies.toml",
}


_IDENTIFIABILITY = {
    "profile": "the chart of levels: jo2003, jo_late, or a CSV file of your own",
    "missing": "none: a missing cell tells nothing; value: it is a value",
    "missing_tokens": "texts that mean a missing cell",
    "compare_missing": "true: search by the other rule as well, where cells are missing",
    "max_sets": "examine so many attribute sets at most",
    "max_size": "examine sets of so many attributes at most",
    "time_limit": "examine sets for so many seconds at most",
    "thorough": "true: search to the end, however long it takes",
    "what_if": "compute what would help: true, or false",
    "currency": "of the values",
    "base": "the value of the least sensitive record",
    "social_responsibility": "JO's factor, 2 for those whom people expect more of",
    "post_response": "JO's factor, 2 where the response to a leak is bad",
}


_DISCLOSURE = {
    "quasi_identifiers": "what an attacker knows of somebody; none named: every attribute",
    "sensitive": "what nobody is to learn; none named: the attributes of a high level",
    "class_sizes": "the sizes of classes that records are counted below",
    "missing": "value: a missing cell is a value; wildcard: it agrees with all; none: it tells nothing",
    "compare_missing": "true: the other rules for missing cells as well where that takes long",
    "suda_scores": "elliot, or ihsn: the variant of sdcMicro's first program",
    "fraction": "the share of the population that the records are",
    "population": "a table of the people that an attacker looks among",
    "population_count": "its column of class sizes, where it has a row a class",
    "weight": "the column of survey weights",
    "household": "the column of households",
    "hierarchies": "a TOML file with value hierarchies of sensitive attributes",
    "share": "list the attribute sets that single out this share of the people",
    "max_size": "examine sets of so many attributes at most",
    "time_limit": "examine sets for so many seconds at most",
}


_MEASURES = {
    "method": "exact, approximate (users estimated, about a third of the time) or sample",
    "k": "a value that fewer users share is rare",
    "samples": "values drawn for the sampling model; 0 leaves it out",
    "confidence": "of intervals: 0.8, 0.9, 0.95 or 0.99",
    "interval": "confidence, or paper for the paper's mean and deviation",
    "known_records": "an attacker knows up to so many records; 0 leaves it out",
    "draws": "attackers drawn to measure that",
    "detailed": "for how many of the most dangerous attributes",
    "seed": "of everything that is drawn",
}


_SOURCE = {
    "table": "the table of a database, as schema.name",
    "query": "a SELECT to assess; it can read the source under the name source",
    "where": "an SQL condition that records must meet",
    "encoding": "the encoding of a CSV file, where the guess is wrong",
    "header": "whether a CSV file opens with column names",
}


def _source_line(key: str, given: str | bool | None) -> str:
    if given is None:
        return f"# {key} = {'true' if _SHAPE['source'][key] is bool else _text('')}  # {_SOURCE[key]}"
    return f"{key} = {str(given).lower() if isinstance(given, bool) else _text(given)}"


def _column_line(decision: Decision) -> str:
    reason = f"  # {_comment(in_english(decision.reason))}" if decision.reason else ""
    return f"{_text(decision.column.name)} = {_text(decision.role)}{reason}"


def _text(value: str) -> str:
    """A TOML basic string."""
    escaped = "".join(
        {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(c)
        or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c)
        for c in value
    )
    return f'"{escaped}"'


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def check_written(text: str) -> None:
    """A proposal that cannot be read back is a fault of ours, and better found before it is written."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise SourceError(
            "The column names of this source cannot be written as settings; rename them."
        ) from None
