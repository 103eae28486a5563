"""Puts explanations into Japanese: ``metrics.toml`` by statement, ``explanations.toml`` by name.

Only what people look up is translated: metrics, terms, keys of reports, and a summary of each SQL file. Steps
of algorithms keep their names, and a sentence names the command that explains them in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from duckrisk.engine.templates import Algorithm, ResultColumn, Template

#: The facts of a metric that are texts; the others are names.
_TEXTS = ("definition", "source", "missing", "read")
#: The facts that list names of statements or tables.
_NAMES = ("instead", "makes")


@cache
def load_metrics() -> Mapping[str, Mapping[str, Any]]:
    """Load the texts of metrics, their units and what they share."""
    tables: dict[str, dict[str, Any]] = _load_table("metrics")
    return tables


@cache
def load_explanations() -> Mapping[str, Mapping[str, str]]:
    """Load the texts of terms, SQL files and keys of reports."""
    tables: dict[str, dict[str, str]] = _load_table("explanations")
    return tables


def _load_table(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def translate_template(template: Template) -> Template:
    """Return a statement with Japanese texts; one that is no metric keeps names alone."""
    names = {fact: text for fact, text in template.facts.items() if fact in _NAMES}
    if not template.is_metric:
        return replace(template, summary="", facts=names, parameters=(), columns=())
    own = load_metrics()[template.name]
    texts = {
        fact: own.get(fact) or load_metrics()["shared"].get(text, text)
        for fact, text in template.facts.items()
        if fact in _TEXTS
    }
    parameters = tuple(
        replace(parameter, text=_find_text(own, "parameter", parameter.name, parameter.text))
        for parameter in template.parameters
    )
    columns = tuple(translate_column(template, column) for column in template.columns)
    facts = {fact: {**names, **texts}[fact] for fact in template.facts if fact in {**names, **texts}}
    return replace(template, summary=own["summary"], facts=facts, parameters=parameters, columns=columns)


def translate_column(template: Template, column: ResultColumn) -> ResultColumn:
    """Return a column of a metric with its Japanese text and unit."""
    metrics = load_metrics()
    text = _find_text(metrics[template.name], "column", column.name, column.text)
    return replace(column, text=text, unit=metrics["units"][column.unit])


def _find_text(own: Mapping[str, Any], kind: str, name: str, english: str) -> str:
    """Return the text that a metric has of an item, else the one that metrics share."""
    text: str = own.get(kind, {}).get(name) or load_metrics()["shared"][english]
    return text


def translate_header(algorithm: Algorithm) -> Template:
    """Return the header of a file with its Japanese summary and its tables."""
    header = algorithm.header
    names = {fact: text for fact, text in header.facts.items() if fact in _NAMES}
    summary = load_explanations()["algorithms"][algorithm.name]
    return replace(header, summary=summary, facts=names, parameters=(), columns=())


def explain_rest(name: str) -> str:
    """Return the sentence on the command that explains the steps of a file in English."""
    return load_explanations()["texts"]["rest"].replace("{name}", name)


def note_comments() -> str:
    """Return the comment on the language of the comments in SQL."""
    return load_explanations()["texts"]["comments"]
