"""``duckrisk explain``: what a number means."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from duckrisk.cli.output import say
from duckrisk.errors import UsageError, suggestion


def explain(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A metric, such as attribute_risk; or: options, policy."),
    ] = None,
) -> None:
    """Explain a metric: what it means, its formula, its source, how to read it; options; policies."""
    from duckrisk import templates

    if name in ("options", "policy"):
        from duckrisk.cli import reference

        say(reference.reference() if name == "options" else reference.policies())
        return
    entries = {t.name: t for t in templates.catalogue().values() if t.is_metric or t.topic == "knowledge"}
    entries["model_errors"] = templates.catalogue()["model_errors"]
    metrics = sorted(templates.metrics().values(), key=lambda t: t.topic != "attribute")
    columns = {c.name: (t, c) for t in reversed(metrics) for c in t.columns}
    if name in _SECTIONS:
        name = _SECTIONS[name]
    elif name in columns and name not in entries:
        template, column = columns[name]
        say(f"{name}: {column.text} ({column.unit}), a column of {template.name}:\n\n")
        name = template.name
    if name is None:
        say("".join(f"{template.name:28} {template.summary}\n" for template in entries.values()))
        return
    if name not in entries:
        hint = suggestion(name, [*entries, *columns])
        raise UsageError("cli.nothing_explain_under", name=name, hint=hint)
    say(_explanation(entries[name]) + "\n")


#: Sections of the report that are called otherwise than the metric they hold.
_SECTIONS = {"sampled": "attribute_sample", "coarser_knowledge": "attribute_risk"}


def _explanation(template: Any) -> str:
    import textwrap

    lines = [template.name, "", *textwrap.wrap(template.summary, 78), ""]
    for fact in ("definition", "source", "missing", "read"):
        if fact in template.facts:
            label = {"missing": "missing values", "read": "how to read it"}.get(fact, fact)
            lines += textwrap.wrap(f"{label}: {template.facts[fact]}", 78, subsequent_indent="  ")
    for title, items in (("parameters", template.parameters), ("columns", template.columns)):
        if items:
            lines += ["", f"{title}:"]
        for item in items:
            unit = f" ({item.unit})" if hasattr(item, "unit") else ""
            lines += textwrap.wrap(f"  {item.name}: {item.text}{unit}", 78, subsequent_indent="    ")
    if template.is_metric:
        lines += ["", f"SQL: duckrisk sql show {template.name} SOURCE"]
    return "\n".join(lines)
