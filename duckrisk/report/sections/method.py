"""Make the section on method and provenance of an assessment, and on the limits of its scope."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.results import as_data
from duckrisk.base.sentences import Data, Sentence, Text, join_texts, list_names
from duckrisk.decision.assessment.results import Assessment
from duckrisk.report.blocks import Block, Detail, Listing, Paragraph, heading, number_column, text_column
from duckrisk.report.words import to_english


def make_blocks(result: Assessment) -> list[Block]:
    """Make the section on method and provenance."""
    parts: list[Block] = [heading("assess.method")]
    parts += [Paragraph(text, "reading") for text in [*_describe_measures(result), *_describe_scope(result)]]
    parts += [
        Paragraph(text, "reading") for text in (_describe_versions(result), describe_digest(result, 12))
    ]
    if (engine := result.environment.engine) is not None:
        parts.append(Paragraph(Sentence("assess.method.engine", engine=Data(engine)), "reading"))
    parts += [Detail(Sentence("assess.origin"), (_list_origin(result),)), _list_settings(result)]
    if result.statements:
        read = Paragraph(Sentence("assess.read.statements"), "reading")
        parts.append(Detail(Sentence("assess.statements"), (read, _list_statements(result))))
    return parts


def _describe_measures(result: Assessment) -> list[Sentence]:
    lines = []
    if result.has_part("attribute_risk"):
        samples = format_number(result.settings.samples)
        lines += [
            Sentence(f"assess.method.{result.settings.method}", samples=samples),
            Sentence("assess.method.null"),
        ]
    if result.identifiability is not None:
        lines.append(Sentence("assess.method.identifiability"))
    return lines


def _describe_scope(result: Assessment) -> list[Sentence]:
    """Name what the figures do not cover."""
    values = Sentence("assess.method.values" if result.settings.show_values else "assess.method.no_values")
    if not result.has_part("attribute_risk") and not result.has_part("identifiability"):
        return [values]
    lines = []
    named = [entry.name for entry in result.source.columns if entry.role == "direct_identifier"]
    if named:
        lines.append(Sentence("assess.method.identifiers", names=list_names(named)))
    lines.append(
        Sentence("assess.method.not" if result.identifiability is None else "assess.method.not_sets")
    )
    unassessed = _list_unassessed_columns(result)
    if unassessed and not result.settings.attributes:
        lines.append(Sentence("assess.method.columns", names=list_names(unassessed)))
    return [*lines, values]


def _list_unassessed_columns(result: Assessment) -> list[str]:
    """List the columns that no part measured."""
    identified = result.identifiability
    inside = {entry.column for entry in identified.attributes} if identified is not None else set()
    assessed = (
        ("attribute", "date_time", "event_key", "user") if result.has_part("attribute_risk") else ("user",)
    )
    return [row.name for row in result.source.columns if row.role not in assessed and row.name not in inside]


def _describe_versions(result: Assessment) -> Sentence:
    """Write the line to cite: versions, seed and method."""
    environment = result.environment
    versions = {"duckrisk": Data(environment.duckrisk), "duckdb": Data(environment.duckdb)}
    if not result.has_part("attribute_risk"):  # nothing is drawn
        return Sentence("assess.versions", **versions)
    method = Sentence(f"assess.method_name.{result.settings.method}")
    return Sentence("assess.versions_seed", **versions, seed=str(environment.seed), method=method)


def describe_origin(result: Assessment) -> Sentence:
    """Describe the source and the versions, for the foot of printed pages."""
    environment = result.environment
    versions = Sentence(
        "assess.versions", duckrisk=Data(environment.duckrisk), duckdb=Data(environment.duckdb)
    )
    return Sentence(
        "assess.page_origin",
        source=Data(result.source.name),
        digest=describe_digest(result, 12),
        versions=versions,
    )


def describe_digest(result: Assessment, digits: int | None = None) -> Sentence:
    """Describe the digest of the source, or its first digits."""
    digest = result.source.digest
    if digest is None:
        return Sentence("assess.digest.none")
    return Sentence(f"assess.digest.{digest.kind}", digest=Data(digest.value[:digits]))


def _list_origin(result: Assessment) -> Listing:
    source = result.source
    rows: list[tuple[Text, Text]] = [
        (Sentence("assess.source"), Data(source.name)),
        (Sentence("assess.kind"), Data(source.kind)),
        (Sentence("assess.digest"), describe_digest(result)),
    ]
    if source.digest is not None:
        size = {"bytes": format_number(source.digest.bytes), "count": format_number(source.digest.files)}
        rows.append((Sentence("assess.size"), Sentence("assess.size_line", **size)))
    if source.encoding is not None:
        rows.append((Sentence("assess.encoding"), Data(source.encoding)))
    rows.append((Sentence("assess.run"), _describe_versions(result)))
    if result.resources is not None:  # the folder for spilled data stays private
        for name in ("memory", "threads"):
            if (limit := getattr(result.resources, name)) is not None:
                rows.append((Sentence(f"assess.{name}"), Data(str(limit))))
    return Listing((text_column("assess.what"), text_column("assess.value")), tuple(rows))


def _list_settings(result: Assessment) -> Detail:
    settings = Listing.of(
        as_data(result.settings, to_english).items(),
        lambda row: (
            text_column("assess.setting", Data(row[0])),
            text_column("assess.value", _format_setting(row[1])),
        ),
    )
    return Detail(Sentence("assess.settings"), (settings,))


def _format_setting(value: object) -> Text:
    if value is None or value in ([], {}):
        return Sentence("none")
    if isinstance(value, bool):
        return Sentence("yes" if value else "no")
    if isinstance(value, dict):
        value = [f"{name}: {item}" for name, item in value.items()]
    if isinstance(value, list):
        return join_texts(Data(str(item)) for item in value)
    return Data(str(value))


def _list_statements(result: Assessment) -> Listing:
    """List the executed statements by name, with their runs and seconds."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for statement in result.statements:
        seconds.setdefault((statement.name, statement.engine or "DuckDB"), []).append(statement.seconds)
    # A column names the engine only if several engines ran statements.
    several = result.environment.engine is not None
    return Listing.of(
        sorted(seconds.items()),
        lambda ran: (
            text_column("assess.statement", Data(ran[0][0])),
            *([text_column("assess.ran_in", Data(ran[0][1]))] if several else []),
            number_column("assess.times", format_number(len(ran[1]))),
            number_column("assess.seconds", f"{sum(ran[1]):.2f}"),
        ),
    )
