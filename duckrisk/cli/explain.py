"""``duckrisk explain``: the meaning of a number, and the steps that compute it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.base.errors import UsageError, find_similar_names, suggest_names
from duckrisk.base.options.output import Language
from duckrisk.base.sentences import Sentence
from duckrisk.cli.output import print_result
from duckrisk.cli.signature import CommandLine, command
from duckrisk.cli.terms import TERMS, find_term

if TYPE_CHECKING:
    from duckrisk.engine.templates import Algorithm, Template
    from duckrisk.report.words import Words


@command(Language)
def explain(
    args: CommandLine,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A term, such as k-anonymity, a metric, such as attribute_risk, an algorithm, such as "
            "jo_model, a step, or a key of a report, such as ncp; or: options, policy.",
        ),
    ] = None,
) -> None:
    """Explain a metric, an algorithm, a term or a key of a report; options; policies."""
    from duckrisk.engine import templates
    from duckrisk.report.words import Words

    words = Words(args.options(Language).resolved)
    if name in ("options", "policy"):
        from duckrisk.cli import reference

        describe = reference.format_options if name == "options" else reference.format_policies
        print_result(describe(words.language))
        return
    if name is None:
        print_result(format_contents(words.language))
        return
    algorithms, catalogue = templates.algorithms(), templates.catalogue()
    metrics = sorted(templates.metrics().values(), key=lambda t: t.topic != "attribute")
    columns = {c.name: (t, c) for t in reversed(metrics) for c in t.columns}
    name = _SECTIONS.get(name, name)
    notes = [note for note in [words.look_up("explain.english")] if note]
    term = None if name in {*algorithms, *catalogue, *columns} else find_term(name)
    if term is not None:
        text = "" if words.language != "en" else term[1].replace("`", "")
        notes.append(words.format(Sentence("explain.see", name=name, text=text, other=term[0])))
        name = term[0]
    if name in columns and name not in algorithms and name not in templates.knowledges():
        template, column = columns[name]
        said = (column.text, column.unit) if words.language == "en" else ("", "")
        values = {"name": name, "text": said[0], "unit": said[1], "other": template.name}
        notes.append(words.format(Sentence("explain.column", **values)))
        name = template.name
    head = "".join(f"{note}\n\n" for note in notes)
    if name in algorithms:
        print_result(head + _format_algorithm(algorithms[name], words) + "\n")
    elif name in catalogue:
        print_result(head + _format_template(catalogue[name], words) + "\n")
    elif text := _format_key(name, words):
        print_result(head + text + "\n")
    else:
        names = [*templates.metrics(), *algorithms, *catalogue, *columns, *TERMS]
        hint = (
            suggest_names(name, names)
            if find_similar_names(name, names)
            else "; duckrisk explain lists all names."
        )
        raise UsageError("cli.unknown_topic", name=name, hint=hint)


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
    lines = [line for note in [words.look_up("explain.english")] if note for line in (note, "")]
    for is_metric in (True, False):
        for topic in topics:
            listed = [file for file in files if file.topic == topic and file.is_metric == is_metric]
            headers = [templates.template_of(file.name) if is_metric else file.header for file in listed]
            kind = "metrics" if is_metric else "expressions" if topic in _EXPRESSIONS else "algorithms"
            if headers:
                title = Sentence("explain.topic", topic=topic, kind=Sentence(f"explain.{kind}"))
                lines += [words.format(title), *(f"  {h.name:28} {h.summary}" for h in headers), ""]
    terms = ", ".join(term.replace("_", "-") for term in TERMS)
    wrapped = textwrap.wrap(terms, 78, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([*lines, words.look_up("explain.listed_terms"), *wrapped, ""])


def _format_algorithm(algorithm: Algorithm, words: Words) -> str:
    """Describe a file: its metric, its idea and its steps."""
    from duckrisk.engine import templates

    header = algorithm.header
    if algorithm.names == (algorithm.name,):
        return "\n".join(_format_header(header, words))
    lines = [algorithm.name]
    if algorithm.is_metric:
        lines = [
            *_format_header(templates.template_of(algorithm.name), words),
            *("", words.look_up("explain.computed")),
        ]
    lines += [
        "",
        *_wrap(header.summary),
        *_format_facts(header, words),
        *_format_neighbours(algorithm, words),
    ]
    kind = "expressions" if algorithm.topic in _EXPRESSIONS else "steps"
    lines += ["", words.look_up(f"explain.{kind}") + _colon(words)]
    for step in algorithm.statements:
        if not step.is_metric:
            lines += _wrap(f"  {step.name}: {step.summary}", "    ")
    return "\n".join(lines)


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

    meanings: dict[str, dict[str, None]] = {}
    for kind in shapes_of(report_kinds()):
        if text := meaning_of(kind, name):
            statements = statements_of(kind)
            named = [s for s in statements if re.search(rf"\b{name}\b", templates.template_of(s).body)]
            meanings.setdefault(text, {}).update(dict.fromkeys(named or statements))
    lines = [name]
    for text, sources in meanings.items():
        lines += ["", *_wrap(text)]
        lines += _wrap("  " + _label(words, "statements", ", ".join(sources)), "    ") if sources else []
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
            yield from _wrap(_label(words, title, ", ".join(names)), "  ")


def _format_template(template: Template, words: Words) -> str:
    """Describe one statement of a file."""
    from duckrisk.engine import templates

    algorithm = templates.algorithm_of(template.name)
    assert algorithm is not None
    kind = "an_expression" if algorithm.topic in _EXPRESSIONS else "a_step"
    title = Sentence(f"explain.{kind}", name=algorithm.name)
    whole = words.format(Sentence("fact", name=title, figure=algorithm.header.summary))
    return "\n".join([*_format_header(template, words), "", *_wrap(whole, "  ")])


def _format_header(template: Template, words: Words) -> Iterator[str]:
    yield from (template.name, "", *_wrap(template.summary), *_format_facts(template, words))
    for title, items in (("parameters", template.parameters), ("columns", template.columns)):
        if items:
            yield from ("", words.look_up(f"explain.{title}") + _colon(words))
        for item in items:
            unit = f" ({item.unit})" if hasattr(item, "unit") else ""
            yield from _wrap(f"  {item.name}: {item.text}{unit}", "    ")
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
        yield from _wrap(_label(words, fact, template.facts[fact]), "  ")


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, 78, subsequent_indent=indent)
