"""Finds what the numbers of results mean: in their own texts, in SQL headers and in the help of options.

A shape names the metric that its numbers come from in ``metric``, and further statements in ``sql``. A field
without a text of its own has the unit and the meaning of the column of the same name. Settings name their
options, which do the same.
"""

from __future__ import annotations

from typing import Any

from duckrisk.base.options import Field, options_of
from duckrisk.base.results import Range
from duckrisk.base.shapes import ShapeField, keys_of, summary_of
from duckrisk.engine.templates import template_of


def header_texts(shape: Any) -> dict[str, str]:
    """Return the meanings of the columns of a shape's metric; {} without a metric."""
    if not hasattr(shape, "metric"):
        return {}
    return {
        column.name: f"{column.unit[:1].upper()}{column.unit[1:]}: {column.text}."
        for column in template_of(shape.metric).columns
    }


def statements_of(shape: Any) -> tuple[str, ...]:
    """Return the statements that the numbers of a shape come from, its metric first."""
    metric = (shape.metric,) if hasattr(shape, "metric") else ()
    return tuple(dict.fromkeys((*metric, *getattr(shape, "sql", ()))))


def option_schemas(shape: Any) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of the options of a shape of settings."""
    return {
        name: _option_schema(field)
        for options in getattr(shape, "options", ())
        for name, field in options_of(options).items()
    }


def _option_schema(field: Field) -> dict[str, Any]:
    option = field.option
    schema: dict[str, Any] = {"description": option.help}
    if field.is_list:
        return schema
    if option.choices and not option.open:
        return {**schema, "enum": list(option.choices)}
    ends = {
        "minimum": option.minimum,
        "exclusiveMinimum": option.above,
        "maximum": option.maximum,
        "exclusiveMaximum": option.below,
    }
    return schema | {name: end for name, end in ends.items() if end is not None}


def meaning_of(shape: Any, name: str) -> str:
    """Return the description of a field.

    Args:
        shape: The shape.
        name: The field.

    Returns:
        The field's own text, else that of its column, else the summary of the shape; "" without the field.
    """
    field = keys_of(shape).get(name)
    if field is None or field.shape is not shape:
        return ""
    return field.text or header_texts(shape).get(name) or summary_of(shape)


def is_share(field: ShapeField) -> bool:
    """Return whether a number is a share or a probability, between 0 and 1."""
    text = field.text or header_texts(field.shape).get(field.name, "")
    ends_at_1 = any(isinstance(note, Range) and note.maximum == 1 for note in field.annotations)
    return ends_at_1 or text.startswith("Probability:")
