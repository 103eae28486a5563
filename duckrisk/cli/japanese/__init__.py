"""Puts the command line into Japanese: errors by their keys, words in them by the English ones.

Exceptions keep their English text; the command line reads these files only when it shows one in Japanese.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from duckrisk.base.errors import DuckriskError, NotReachedError, load_messages

#: Names in quotation marks, as `quote_names` and `suggest_names` write them.
_QUOTED = re.compile(r'"[^"]*"(?:(?:, | and | or )"[^"]*")*(?P<more> and (?P<count>\d+) more)?')
#: Characters; longer texts are not recognized, as patterns with many placeholders take too long (a choice).
_LONGEST = 300
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
#: An error of the parser, with the help that it names.
_PARSER_ERROR = re.compile(r"(.*); see `(.*)`\.", re.DOTALL)
_FORMATTER = string.Formatter()


@cache
def load_errors() -> dict[str, str]:
    """Load the Japanese sentences of errors by the keys of ``base/errors.toml``."""
    tables = load_table("errors")
    return {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()}


@dataclass(frozen=True)
class Fragments:
    """English words that are put into sentences.

    Attributes:
        words: The placeholders that hold them.
        lists: The placeholders that hold names separated by commas.
        japanese: Their translations, by the English words.
    """

    words: frozenset[str]
    lists: frozenset[str]
    japanese: Mapping[str, str]


@cache
def load_fragments() -> Fragments:
    """Load the words that are put into sentences."""
    content = load_table("fragments")
    return Fragments(frozenset(content["words"]), frozenset(content["lists"]), content["fragments"])


def load_table(name: str) -> dict[str, Any]:
    """Load a file of this folder."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def describe_error(error: DuckriskError) -> str:
    """Return the Japanese sentence of an error."""
    if error.key not in load_errors():
        return translate_sentence(str(error))
    values = dict(error.values)
    if isinstance(error, NotReachedError) and error.because is not None and "reason" in values:
        from duckrisk.report.words import Words

        return _fill(load_errors()[error.key], values, reason=Words("ja").format(error.because))
    return _fill(load_errors()[error.key], values)


def translate_sentence(sentence: str) -> str:
    """Translate a sentence, or its words; unknown and long text stays as it is."""
    if len(sentence) > _LONGEST:
        return sentence
    if (parsed := _PARSER_ERROR.fullmatch(sentence)) is not None:
        words = _translate_words(parsed[1])
        said = words if words != parsed[1] else translate_sentence(f"{words}.").rstrip("。")
        return f"{said}。`{parsed[2]}` を参照してください。"
    # An error that is put into another one has lost its end.
    for end in ("", ".", "?"):
        for kind, template, values in (*_match_errors(sentence + end), *_match_report(sentence + end)):
            return _fill(template, values) if kind == "error" else _fill_report(template, values)
    return _translate_words(sentence)


# --- filling in -------------------------------------------------------------------------------------


def _fill(template: str, values: Mapping[str, Any], **ready: str) -> str:
    """Fill a sentence; values of placeholders for words are translated first."""
    pieces = []
    for literal, name, spec, _ in _FORMATTER.parse(template):
        pieces.append(literal)
        if name is not None:
            pieces.append(ready[name] if name in ready else _format_value(name, values[name], spec or ""))
    return "".join(pieces)


def _format_value(name: str, value: Any, spec: str) -> str:
    if isinstance(value, DuckriskError):
        return describe_error(value)
    if spec and not isinstance(value, str):
        return format(value, spec)
    text, fragments = str(value), load_fragments()
    if name in fragments.lists and '"' not in text:
        return text.replace(", ", "、")
    if name not in fragments.words:
        return text
    if name == "rstrip":
        return translate_sentence(f"{text}.").rstrip("。")
    return translate_sentence(text)


def _translate_words(text: str) -> str:
    """Translate words within a sentence by the first fragment that they match."""
    fragments = load_fragments().japanese
    if text in fragments:
        return fragments[text]
    if _QUOTED.fullmatch(text):
        return _quote_japanese(text)
    for pattern, translated in fragments.items():
        if "{" in pattern and (match := _compile_fragment(pattern).fullmatch(text)):
            return _fill_fragment(translated, match.groupdict())
    if text.startswith("; ") and not text.endswith(("?", ".")):  # a suggestion that lost its end
        return _translate_words(f"{text}{'?' if 'mean' in text else '.'}")
    return text


def _fill_fragment(translated: str, found: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda place: _translate_words(found.get(place[1], place[0])), translated)


def _quote_japanese(text: str) -> str:
    """Return quoted names with the quotation marks and separators of Japanese."""
    match = _QUOTED.fullmatch(text)
    assert match is not None
    names = text[: match.start("more")] if match["more"] else text
    more = f"ほか{match['count']}件" if match["more"] else ""
    pieces = re.split(r'(?<=")(, | and | or )(?=")', names)
    separators = {", ": "、", " and ": "、", " or ": "か"}
    return "".join(separators.get(piece, f"「{piece[1:-1]}」") for piece in pieces) + more


# --- recognizing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Template:
    """An English sentence with placeholders.

    Attributes:
        literals: The texts between placeholders.
        pattern: A regular expression that the filled sentence matches.
    """

    literals: tuple[str, ...]
    pattern: str

    @property
    def length(self) -> int:
        """Characters outside placeholders."""
        return sum(map(len, self.literals))

    def match(self, text: str) -> dict[str, str] | None:
        """Return the values of the placeholders; None for another sentence."""
        if not all(literal in text for literal in self.literals):
            return None
        match = re.fullmatch(self.pattern, text, re.DOTALL)
        return match.groupdict() if match is not None else None


def _match_errors(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the Japanese sentence of the error that a text is, and its values."""
    yield from _match("error", text, _error_templates(), load_errors())


def _match_report(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the Japanese sentence of a report that a text is, and its values."""
    if " " in text.strip():
        from duckrisk.report.words import load_catalogue

        yield from _match("report", text, _report_templates(), load_catalogue("ja"))


def _match(
    kind: str, text: str, templates: Mapping[str, _Template], japanese: Mapping[str, str]
) -> Iterator[tuple[str, str, dict[str, str]]]:
    least = _MIN_LITERAL[kind]
    found = [
        (template.length, key, values)
        for key, template in templates.items()
        if template.length >= least and (values := template.match(text)) is not None
    ]
    for _, key, values in sorted(found, key=lambda one: -one[0])[:1]:
        yield kind, japanese[key], values


#: Characters; a template with fewer of its own matches by chance (choices: "Step {number}: {error}" has 7).
_MIN_LITERAL = {"error": 7, "report": 12}


@cache
def _error_templates() -> dict[str, _Template]:
    return {key: _parse_template(text) for key, text in load_messages().items()}


def _parse_template(text: str) -> _Template:
    seen: set[str] = set()
    literals, pattern = [], ""
    for literal, name, _, _ in _FORMATTER.parse(text):
        literals.append(literal)
        if not literal and pattern.endswith(".*?)"):  # of two in a row, the second may be empty
            pattern = f"{pattern.removesuffix('.*?)')}.*)"
        pattern += re.escape(literal) + (_capture(name, seen) if name is not None else "")
    return _Template(tuple(filter(None, literals)), pattern)


def _capture(name: str, seen: set[str]) -> str:
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return f"(?P<{name}>.*?)"


@cache
def _report_templates() -> dict[str, _Template]:
    from duckrisk.report.words import COUNTED, load_catalogue

    templates = {}
    for key, text in load_catalogue("en").items():
        seen: set[str] = set()
        pattern, at, literals = "", 0, []
        for match in re.finditer(rf"{COUNTED.pattern}|{_PLACEHOLDER.pattern}", text):
            literals.append(text[at : match.start()])
            pattern += re.escape(literals[-1])
            if match[5]:
                pattern += _capture(match[5], seen)
            else:
                one, several = (_escape_form(form, seen) for form in match.group(3, 4))
                number = _capture(match[1], seen) + " " if match[2] == ":" else ""
                pattern += f"{number}(?:{one}|{several})"
            at = match.end()
        literals.append(text[at:])
        templates[key] = _Template(tuple(filter(None, literals)), pattern + re.escape(literals[-1]))
    return templates


def _escape_form(form: str, seen: set[str]) -> str:
    """Return the pattern of a singular or a plural."""
    return ".*?".join(map(re.escape, _PLACEHOLDER.split(form)[::2]))


def _fill_report(template: str, values: Mapping[str, str]) -> str:
    def fill(place: re.Match[str]) -> str:
        value = values.get(place[1]) or ""
        return translate_sentence(value) if " " in value else value

    return _PLACEHOLDER.sub(fill, re.sub(r"\{(\w+)[:!][^{}]*\}", r"{\1}", template))


@cache
def _compile_fragment(pattern: str) -> re.Pattern[str]:
    pieces = _PLACEHOLDER.split(pattern)
    written = "".join(
        f"(?P<{piece}>.*?)" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)
    )
    return re.compile(written, re.DOTALL)
