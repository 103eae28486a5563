"""Whether data fit a JSON Schema, which is checked itself, once."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
from jsonschema.protocols import Validator

from duckrisk.report.schema import schema


def fit(data: Any, allowed: Any) -> None:
    """Raise ValidationError where data do not fit the schema of a result, or one of plain keys."""
    if isinstance(allowed, type):
        _of_result(allowed).validate(data)
    else:
        _of_keys(json.dumps(allowed)).validate(data)


@cache
def _of_result(kind: Any) -> Validator:
    return _checked(schema(kind))


@cache
def _of_keys(text: str) -> Validator:
    return _checked(json.loads(text))


def _checked(told: dict[str, Any]) -> Validator:
    validator = jsonschema.validators.validator_for(told)
    validator.check_schema(told)
    return validator(told)
