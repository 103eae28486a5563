"""Reads, checks and proposes ``duckrisk.toml``, the decisions of a person about a source."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import GenericAlias
from typing import Any

from duckrisk.api.questions import Question, open_questions, written_role
from duckrisk.base import toml
from duckrisk.base.errors import SourceError, UsageError, suggest_names
from duckrisk.base.options import Field, OptionSet, context, options_of
from duckrisk.base.options.output import Judgement, Language
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.source import Distributed, Resources
from duckrisk.base.results import Result
from duckrisk.base.sentences import Sentence, Text
from duckrisk.base.shapes import keys_of
from duckrisk.contests.pwscup.options import Layout
from duckrisk.contests.pwscup.options import Options as HistoryOptions
from duckrisk.decision import policy
from duckrisk.decision.assessment import Settings
from duckrisk.decision.gates import parse
from duckrisk.decision.notices import FileSettings
from duckrisk.measures import attribute, disclosure, identifiability
from duckrisk.report.registry import judged_kinds
from duckrisk.report.words import Words
from duckrisk.roles import Confidence, Decision, RoleOverrides, Roles
from duckrisk.roles.model import NUMBERS_OF_PERSON, SETTABLE
from duckrisk.source import Request, Source
from duckrisk.source.readings import list_read_options

NAME = "duckrisk.toml"

#: The sets of options in the order of the file, and the tables whose keys are columns.
_SETS: tuple[type[OptionSet], ...] = (
    *(RoleOverrides, Judgement, Request, identifiability.Options, disclosure.Options),
    *(policy.Options, attribute.Options, context.Options, Language, Layout, HistoryOptions, Distributed),
    *(Resources, EarlierOptions),
)
_BY_COLUMN = ("columns", "levels", "hierarchies")


def _settable_options() -> dict[str, dict[str, Field]]:
    """Return the options that a settings file can hold, by table."""
    settable: dict[str, dict[str, Field]] = {"": {}, **{name: {} for name in _BY_COLUMN}}
    for options in _SETS:
        for name, option in options_of(options).items():
            if option.setting is not None:
                settable.setdefault(str(option.table), {})[name] = option
    return settable


#: By table and key, the type of the value.
_SHAPE: dict[str, dict[str, type | GenericAlias]] = {
    table: {name: GenericAlias(list, opt.kind) if opt.is_list else opt.kind for name, opt in options.items()}
    for table, options in _settable_options().items()
}
#: The words for the type of a setting.
_KINDS: dict[Any, str] = {
    str: "a text",
    list[str]: "a list of texts",
    list[int]: "a list of whole numbers",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def load(path: Path) -> Settings:
    """Read and check a settings file.

    Args:
        path: The file.

    Returns:
        The settings, with the defaults of everything that the file leaves open.

    Raises:
        UsageError: The file is unreadable or wrong; the message names the line or the key.
    """
    content = _read_content(path)
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    plain = {key: value for key, value in content.items() if key not in tables}
    _check(path.name, "", plain)
    for name, table in tables.items():
        if name not in _SHAPE or not name:
            names = [*_SHAPE[""], *[key for key in _SHAPE if key]]
            hint = suggest_names(name, names)
            raise UsageError("config.unknown_table", path=path.name, name=name, hint=hint)
        if name not in _BY_COLUMN:
            _check(path.name, name, table)
    columns = tables.get("columns", {})
    for name, role in columns.items():
        if not isinstance(role, str) or role not in SETTABLE:
            raise UsageError("config.unknown_role", path=path.name, name=name, roles=", ".join(SETTABLE))
    named = {name for name, role in columns.items() if role == "user"}
    if len(named | {plain[key] for key in ("user",) if key in plain}) > 1 and named:
        raise UsageError("config.several_user_columns", path=path.name)
    content = {**tables, "": plain}
    judgement, language = _build_options(Judgement, content), _build_options(Language, content)
    against = _build_options(policy.Options, content, limits_from=path.name)
    language.check()
    against.check()
    for text in judgement.fail_on:
        _check_gate(text)
    hierarchies = {"hierarchies": str(path)} if tables.get("hierarchies") else {}
    return Settings(
        overrides=_build_options(RoleOverrides, content, roles=tuple(columns.items())),
        measures=_build_options(attribute.Options, content),
        identifiability=_build_options(
            identifiability.Options, content, settled_levels=tuple(tables.get("levels", {}).items())
        ),
        disclosure=_build_options(disclosure.Options, content, **hierarchies),
        context=_build_options(context.Options, content),
        policy=against,
        only=judgement.only,
        source=_build_options(Request, content),
        engine=_build_options(Distributed, content),
        earlier=_build_options(EarlierOptions, content),
        timezone=_build_options(Resources, content).timezone,
        read=_build_options(Resources, content).read,
        language=language,
        file_settings=_changed_settings(path.name, content),
    )


def _changed_settings(file: str, content: dict[str, Any]) -> FileSettings:
    """Return the settings of a file that differ from their default."""
    values: dict[str, Any] = {name: table for name in _BY_COLUMN[:2] if (table := content.get(name))}
    for options in _SETS:
        fields = options_of(options)
        for name, value in _field_values(options, content).items():
            if value != fields[name].default:
                values[str(fields[name].setting)] = value
    return FileSettings(file, values)


def _field_values(options: type[OptionSet], content: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a set of options as its fields hold them."""
    written = (
        (name, field, content.get(str(field.table), {}))
        for name, field in options_of(options).items()
        if field.setting is not None
    )
    return {
        name: tuple(table[name])
        if field.is_list
        else float(table[name])
        if field.kind is float
        else table[name]
        for name, field, table in written
        if name in table
    }


def _build_options(options: Any, content: dict[str, Any], **more: Any) -> Any:
    return options(**{**more, **_field_values(options, content)})


def read_history(path: Path) -> dict[str, str]:
    """Return the table ``[history]`` of a settings file.

    Returns:
        By role, the columns of a purchase history, with ``user`` and ``period``; {} without the table.

    Raises:
        UsageError: As :func:`load`.
    """
    user = load(path).overrides.user
    columns: dict[str, str] = dict(_read_content(path).get("history", {}))
    return {"user": user, **columns} if columns and user else columns


def read_gates(path: Path) -> tuple[str, ...]:
    """Return the gates of a settings file, for reports of all kinds.

    Raises:
        UsageError: As :func:`load`.
    """
    load(path)
    return tuple(_read_content(path).get("fail_on", ()))


def _check_gate(text: str) -> None:
    """Raise UsageError for a gate whose number no report has.

    The message is about the first report that has the beginning of the path.
    """
    refused: list[tuple[type[Result], UsageError]] = []
    for kind in judged_kinds():
        try:
            parse(text, kind)
        except UsageError as error:
            refused.append((kind, error))
        else:
            return
    section = re.split(r"\W", text.strip(), maxsplit=1)[0]
    raise next((error for kind, error in refused if section in keys_of(kind)), refused[0][1])


def read_language(path: Path) -> Language:
    """Return the table ``[report]`` of a settings file.

    Raises:
        UsageError: As :func:`load`.
    """
    return load(path).language


def _read_content(path: Path) -> dict[str, Any]:
    return toml.read_toml(path, "settings file", "`duckrisk init` writes one")


def _check(file: str, table: str, entries: dict[str, Any]) -> None:
    shape = _SHAPE[table]
    where = f"[{table}] of " if table else ""
    for key, value in entries.items():
        if key not in shape:
            hint = suggest_names(key, list(shape))
            raise UsageError("config.unknown_key", place=where, file=file, key=key, hint=hint)
        if not _fits(value, shape[key]):
            raise UsageError("config.wrong_type", place=where, file=file, key=key, kinds=_KINDS[shape[key]])


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, GenericAlias):
        return type(value) is list and all(_fits(item, *shape.__args__) for item in value)
    return type(value) in ((int, float) if shape is float else (shape,))


# --- writing -------------------------------------------------------------------------------------


def propose(source: Source, roles: Roles, request: Request, language: str = "en") -> str:
    """Write the commented ``duckrisk.toml`` of a source.

    Args:
        source: The source.
        roles: The roles of its columns, with their reasons.
        request: How it was opened.
        language: The language of the comments.

    Returns:
        The text of the file.
    """
    words = Words(language)
    lines = [
        *_comment(words, "head", title=toml.format_comment(source.name), file=NAME),
        "",
        *_comment(words, "user"),
        _user_line(roles, words),
        *_no_persons_line(roles, words),
        "",
        *_comment(words, "attributes"),
        "# " + toml.format_entry("attributes", [attribute.name for attribute in roles.attributes]),
        "",
        *_comment(words, "gates"),
        '# fail_on = ["attribute_risk.mean_risk > 0.2"]',
        "",
        *_comment(words, "source"),
        "[source]",
        *_option_lines(request, words),
        *_option_lines(
            Resources(timezone=source.timezone if source.timezone_notes else None, read=_readings(source)),
            words,
        ),
        *_open_years_line(source, words),
        "",
        *_comment(words, "columns", roles=", ".join(SETTABLE)),
        "[columns]",
    ]
    questions = {question.column: question for question in open_questions(source, roles)}
    lines += [
        _role_line(decision, questions.get(decision.column.name), words)
        for decision in roles.decisions
        if decision.role != "user" or decision.kind in NUMBERS_OF_PERSON
    ]
    lines += ["", *_comment(words, "levels"), "[levels]", *_level_lines(source, roles, words)]
    sets = (
        policy.Options(),
        identifiability.Options(),
        disclosure.Options(),
        attribute.Options(),
        context.Options(),
        Language(),
        Distributed(),
    )
    for options in sets:
        lines += ["", f"[{options.settings_table}]", *_option_lines(options, words)]
    return "\n".join(lines) + "\n"


def _comment(words: Words, name: str, **values: str) -> list[str]:
    """Return the lines of a comment of the file."""
    text = words.format(Sentence(f"init.file.{name}", **values))
    return [f"# {line}".rstrip() for line in text.splitlines()]


def _format_remark(words: Words, name: str, **values: Text) -> str:
    """Return a remark of the file on one of its lines."""
    return words.format(Sentence(f"init.file.{name}", **values))


def _open_years_line(source: Source, words: Words) -> list[str]:
    years = [f"{name}=YEAR" for name in source.undated]
    return ["# " + toml.format_entry("read", years, _format_remark(words, "years"))] if years else []


def _readings(source: Source) -> tuple[str, ...]:
    """Return how the days of a source are read, for further files of its kind."""
    return tuple(text for reading in source.readings for text in list_read_options(reading))


def _user_line(roles: Roles, words: Words) -> str:
    """Write the user column; a guess is a comment, because the file would confirm it."""
    reason = roles.decisions[roles.user.position].reason if roles.user is not None else None
    likely = "+".join(roles.person_candidates[0]) if roles.person_candidates else ""
    guessed = roles.user_confidence == "guess"
    user = roles.user.name if roles.user is not None else likely if guessed else ""
    line = toml.format_entry("user", user, _format_reason(roles.user_confidence, reason, words))
    return f"# {line}" if roles.user_confidence == "guess" else line


def _no_persons_line(roles: Roles, words: Words) -> list[str]:
    """Write that the table holds no persons, if that was declared or guessed."""
    if roles.holdings.no_persons:
        return [toml.format_entry("no_persons", True)]
    is_open = _format_remark(words, "open_to", reason=Sentence("init.no_persons"))
    return ["# " + toml.format_entry("no_persons", True, is_open)] if roles.holdings.may_lack_persons else []


def _role_line(decision: Decision, question: Question | None, words: Words) -> str:
    """Write the role of a column; a person has to uncomment one that relaxes a limit."""
    role, why = written_role(decision), _format_reason(decision.confidence, decision.reason, words)
    if question is None:
        return toml.format_entry(decision.column.name, role, why)
    if question.subject == "technical":
        return toml.format_entry(decision.column.name, role, _format_remark(words, "technical", why=why))
    if question.subject == "codes":
        line = "pseudonym" if role == "identifier" else role
        text = toml.format_entry(decision.column.name, line, _format_remark(words, "codes", why=why))
        return f"# {text}" if role == "identifier" else text
    if question.reason is None:
        reason = _format_remark(words, "open")
    else:
        reason = _format_remark(words, "open_to", reason=question.reason)
    if question.subject == "sensitive":
        reason = _format_remark(words, "sensitive", why=reason)
    return "# " + toml.format_entry(decision.column.name, str(question.role), reason)


def _format_reason(confidence: Confidence, reason: Sentence | None, words: Words) -> str:
    """Write how sure a role is, and why."""
    sure = Sentence(f"roles.confidence.{confidence}")
    return words.format(sure) if reason is None else _format_remark(words, "reason", sure=sure, reason=reason)


def _option_lines(options: OptionSet, words: Words) -> Iterator[str]:
    """Yield the settings of a set: the chosen ones, and the others as comments."""
    for name, field in options_of(type(options)).items():
        if field.setting is None:
            continue
        value = getattr(options, name)
        if value not in (None, field.default):
            yield toml.format_entry(name, value)
            continue
        example = next(v for v in (value, field.option.example, "") if v is not None)
        text = field.option.help
        if words.language == "ja":
            from duckrisk.base.options.japanese import translate_help

            text = translate_help(text)
        yield "# " + toml.format_entry(name, example, text)


def _level_lines(source: Source, roles: Roles, words: Words) -> list[str]:
    """Return proposed levels as comments, which a person uncomments to confirm."""
    levelled, unlevelled = identifiability.level_attributes(source, roles, identifiability.Options(), {})
    proposed = {entry.decision.column.name: entry for entry in levelled}
    lines = [
        "# "
        + toml.format_entry(
            name, level.type or [level.economic, level.psychological], words.format(entry.reason)
        )
        for name, entry in proposed.items()
        for level in [entry.level]
    ]
    return lines + [
        "# "
        + toml.format_entry(
            entry.column,
            entry.nearest[0] if entry.nearest else [1, 1],
            _format_remark(words, "perhaps", types=words.look_up("init.file.or").join(entry.nearest))
            if entry.nearest
            else _format_remark(words, "unlevelled"),
        )
        for entry in unlevelled
    ]


def check_proposal(text: str) -> None:
    """Refuse a proposal that could not be read back.

    Raises:
        SourceError: Names of columns make it invalid TOML.
    """
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise SourceError("config.column_names_not_writable") from None
