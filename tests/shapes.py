"""The shape of a JSON Schema as lines: a path, its types, and whether it has to be there."""

from __future__ import annotations

from typing import Any


def lines(schema: dict[str, Any]) -> list[str]:
    """What a schema says of every key, meanings and ranges left out; the same for a shape told once and one
    told wherever it stands."""
    return sorted(set(_lines(schema, schema, "", True)))


def _lines(schema: dict[str, Any], root: dict[str, Any], path: str, required: bool) -> list[str]:
    schema = _followed(schema, root)
    choices = [_followed(one, root) for one in schema.get("anyOf", schema.get("oneOf", [schema]))]
    kinds = {kind for one in choices for kind in _kinds(one)}
    made = [f"{path or '.'}: {' or '.join(sorted(kinds))}{'' if required else ' (can be left out)'}"]
    for one in choices:
        needed = set(one.get("required", ()))
        for name, inside in one.get("properties", {}).items():
            made += _lines(inside, root, f"{path}.{name}", name in needed)
        if isinstance(one.get("additionalProperties"), dict):
            made += _lines(one["additionalProperties"], root, f"{path}.*", True)
        if "items" in one:
            made += _lines(one["items"], root, f"{path}[]", True)
    return made


def _followed(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def _kinds(schema: dict[str, Any]) -> list[str]:
    if "type" in schema:
        return [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    return [names[type(value)] for value in values] or ["anything"]
