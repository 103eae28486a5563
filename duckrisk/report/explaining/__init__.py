"""Explains the meaning of a number, and the steps that compute it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, cast

from duckrisk.base.errors import UsageError, find_similar_names, suggest_names
from duckrisk.base.sentences import Sentence
from duckrisk.report.explaining.terms import TERMS, find_term, normalize_term
from duckrisk.report.lines import format_rows, text_width, wrap

if TYPE_CHECKING:
    from duckrisk.engine.templates import Algorithm, ResultColumn, Template
    from duckrisk.report.words import Words


def format_explanation(name: str, words: Words) -> str:
    """Explain a metric, an algorithm, a step, a term or a key of a report.

    Args:
        name: The name.
        words: The words of a language.

    Raises:
        UsageError: There is nothing of this name.
    """
    from duckrisk.engine import templates

    algorithms, catalogue = templates.algorithms(), templates.catalogue()
    name = _SECTIONS.get(name, name)
    notes, name = _resolve_name(name, words)
    head = "".join("\n".join([*wrap(note, words.language), "", ""]) for note in notes)
    if name in algorithms:
        return head + _format_algorithm(algorithms[name], words) + "\n"
    if name in catalogue:
        return head + _format_template(catalogue[name], words) + "\n"
    if text := _format_key(name, words):
        return head + text + "\n"
    names = [*templates.metrics(), *algorithms, *catalogue, *_columns(), *TERMS]
    found = find_similar_names(name, names)
    hint = suggest_names(name, names) if found else "; duckrisk explain lists all names."
    raise UsageError("package.unknown_topic", name=name, hint=hint)


def _columns() -> dict[str, tuple[Template, ResultColumn]]:
    """Return the columns of metrics by name, those of attribute metrics first."""
    from duckrisk.engine import templates

    metrics = sorted(templates.metrics().values(), key=lambda t: t.topic != "attribute")
    return {column.name: (template, column) for template in reversed(metrics) for column in template.columns}


def _resolve_name(name: str, words: Words) -> tuple[list[str], str]:
    """Return the sentences on a term or a column, and the name of what measures it."""
    from duckrisk.engine import templates

    algorithms, columns, notes = templates.algorithms(), _columns(), []
    japanese = _load_japanese(words)
    term = None if name in {*algorithms, *templates.catalogue(), *columns} else find_term(name)
    if term is not None:
        key, sentence = normalize_term(name), term[1]
        text = (japanese.load_explanations()["terms"][key] if japanese else sentence).replace("`", "")
        notes.append(words.format(Sentence("explain.see", name=name, text=text, other=term[0])))
        name = term[0]
    if name in columns and name not in algorithms and name not in templates.knowledges():
        template, column = columns[name]
        column = japanese.translate_column(template, column) if japanese else column
        values = {"name": name, "text": column.text, "unit": column.unit, "other": template.name}
        notes.append(words.format(Sentence("explain.column", **values)))
        name = template.name
    return notes, name


#: By section of the report, its metric where that has another name.
_SECTIONS = {"sampled": "attribute_sample", "coarser_knowledge": "attribute_risk"}
#: Topics whose files hold expressions instead of steps.
_EXPRESSIONS = ("expressions", "knowledge")


#: The first topics of the list: those whose metrics people run most.
_FIRST = ("disclosure", "uniqueness", "attribute", "identifiability", "comparison", "roles")


def format_contents(language: str = "en") -> str:
    """List metrics and algorithms by topic with their summaries, and the terms."""
    from duckrisk.engine import templates
    from duckrisk.report.words import Words

    words = Words(language)
    files = list(templates.algorithms().values())
    topics = list(dict.fromkeys([*_FIRST, *(file.topic for file in files)]))
    lines = []
    for is_metric in (True, False):
        for topic in topics:
            listed = [file for file in files if file.topic == topic and file.is_metric == is_metric]
            headers = [
                _translate(templates.template_of(file.name), words)
                if is_metric
                else _translate_header(file, words)
                for file in listed
            ]
            kind = "metrics" if is_metric else "expressions" if topic in _EXPRESSIONS else "algorithms"
            if headers:
                title = Sentence("explain.topic", topic=topic, kind=Sentence(f"explain.{kind}"))
                rows = [(header.name, header.summary) for header in headers]
                lines += [words.format(title), *format_rows(rows, language), ""]
    terms = [term.replace("_", "-") for term in TERMS]
    return "\n".join([*lines, words.look_up("explain.listed_terms"), *_wrap_names(terms), ""])


def _wrap_names(names: list[str]) -> list[str]:
    """Break a list of names into lines between them."""
    lines = [""]
    for index, name in enumerate(names):
        word = name if index == len(names) - 1 else f"{name},"
        if lines[-1] and len(lines[-1]) + len(word) + 1 > text_width():
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else f"  {word}"
    return lines


def _load_japanese(words: Words) -> ModuleType | None:
    """Return the module with the Japanese texts; None for another language."""
    if words.language == "en":
        return None
    from duckrisk.report.explaining import japanese

    return japanese


def _translate(template: Template, words: Words) -> Template:
    """Return a statement with the texts of a language."""
    japanese = _load_japanese(words)
    return template if japanese is None else cast("Template", japanese.translate_template(template))


def _translate_header(algorithm: Algorithm, words: Words) -> Template:
    """Return the header of a file with the texts of a language."""
    japanese = _load_japanese(words)
    return algorithm.header if japanese is None else cast("Template", japanese.translate_header(algorithm))


def _format_algorithm(algorithm: Algorithm, words: Words) -> str:
    """Describe a file: its metric, its idea and its steps."""
    from duckrisk.engine import templates

    is_one = algorithm.names == (algorithm.name,)
    if is_one and (algorithm.is_metric or words.language == "en"):
        return "\n".join(_format_header(_translate(algorithm.header, words), words))
    header = _translate_header(algorithm, words)
    lines = [algorithm.name]
    if algorithm.is_metric:
        lines = [
            *_format_header(_translate(templates.template_of(algorithm.name), words), words),
            *("", words.look_up("explain.computed")),
        ]
    lines += [
        "",
        *wrap(header.summary, words.language),
        *_format_facts(header, words),
        *_format_neighbours(algorithm, words),
    ]
    if not is_one:
        lines += ["", *_list_steps(algorithm, words)]
    if japanese := _load_japanese(words):
        lines += ["", *wrap(japanese.explain_rest(algorithm.name), words.language)]
    return "\n".join(lines)


def _list_steps(algorithm: Algorithm, words: Words) -> Iterator[str]:
    """Yield the steps of a file with their summaries; in Japanese their names."""
    kind = "expressions" if algorithm.topic in _EXPRESSIONS else "steps"
    yield words.look_up(f"explain.{kind}") + _colon(words)
    steps = [step for step in algorithm.statements if not step.is_metric]
    if words.language != "en":
        yield from _wrap_names([step.name for step in steps])
        return
    for step in steps:
        yield from wrap(f"{step.name}: {step.summary}", words.language, "  ", "    ")


def _colon(words: Words) -> str:
    """Return the colon of a language."""
    return ":" if words.language == "en" else "："


def _label(words: Words, name: str, text: str) -> str:
    """Return a heading of the explanations and its text."""
    return words.format(Sentence("fact", name=Sentence(f"explain.{name}"), figure=text))


def _format_key(name: str, words: Words) -> str:
    """Describe a key of the reports and its statements; "" for an unknown key."""
    from duckrisk.base.shapes import shapes_of
    from duckrisk.engine import templates
    from duckrisk.engine.meanings import meaning_of, statements_of
    from duckrisk.report.registry import report_kinds

    japanese = _load_japanese(words)
    meanings: dict[str, dict[str, None]] = {}
    for kind in shapes_of(report_kinds()):
        if text := meaning_of(kind, name):
            statements = statements_of(kind)
            named = [s for s in statements if re.search(rf"\b{name}\b", templates.template_of(s).body)]
            text = japanese.load_explanations()["keys"][name] if japanese else text
            meanings.setdefault(text, {}).update(dict.fromkeys(named or statements))
    lines = [name]
    for text, sources in meanings.items():
        lines += ["", *wrap(text, words.language)]
        lines += _wrap_fact("statements", ", ".join(sources), words) if sources else []
    return "\n".join(lines) if meanings else ""


def _format_neighbours(algorithm: Algorithm, words: Words) -> Iterator[str]:
    """Name the algorithms that share tables with this one."""
    from duckrisk.engine import templates

    others = [other for other in templates.algorithms().values() if other is not algorithm]
    for title, fact, other_fact in (
        ("reads_of", "reads", "makes"),
        ("makes_for", "makes", "reads"),
    ):
        tables = set(algorithm.tables(fact))
        if names := [other.name for other in others if tables & set(other.tables(other_fact))]:
            yield from _wrap_fact(title, ", ".join(names), words, "")


def _format_template(template: Template, words: Words) -> str:
    """Describe one statement of a file."""
    from duckrisk.engine import templates

    algorithm = templates.algorithm_of(template.name)
    assert algorithm is not None
    kind = "an_expression" if algorithm.topic in _EXPRESSIONS else "a_step"
    title = Sentence(f"explain.{kind}", name=algorithm.name)
    summary = _translate_header(algorithm, words).summary
    whole = words.format(Sentence("fact", name=title, figure=summary))
    lines = [*_format_header(_translate(template, words), words), "", *wrap(whole, words.language, "", "  ")]
    if japanese := _load_japanese(words):
        lines += ["", *wrap(japanese.explain_rest(template.name), words.language)]
    return "\n".join(lines)


def _format_header(template: Template, words: Words) -> Iterator[str]:
    yield template.name
    if template.summary:
        yield from ("", *wrap(template.summary, words.language))
    yield from _format_facts(template, words)
    for title, items in (("parameters", template.parameters), ("columns", template.columns)):
        if items:
            yield from ("", words.look_up(f"explain.{title}") + _colon(words))
        for item in items:
            name = Sentence("explain.item", name=item.name, text=item.text)
            if hasattr(item, "unit"):
                name = Sentence("explain.measured_item", name=item.name, text=item.text, unit=item.unit)
            yield from wrap(words.format(name), words.language, "  ", "    ")
    if template.is_metric:
        yield from ("", f"SQL: duckrisk sql show {template.name} SOURCE")


def _format_facts(template: Template, words: Words) -> Iterator[str]:
    facts = [
        fact
        for fact in ("definition", "idea", "source", "missing", "read", "instead", "makes")
        if fact in template.facts
    ]
    if facts:
        yield ""
    for fact in facts:
        yield from _wrap_fact(fact, template.facts[fact], words, "")


def _wrap_fact(name: str, text: str, words: Words, indent: str = "  ") -> list[str]:
    """Break a heading and its text into lines; further ones are indented."""
    return wrap(_label(words, name, text), words.language, indent, f"{indent}  ")
