"""The report as one HTML page that needs no script and no network, and as a fragment for notebooks.

Two walls stand between a hostile name and the reader: every value is escaped by Jinja (autoescape, and
templates are files only), and the page's policy forbids scripts, requests and forms altogether.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.report import disclosure, sentences, svg, tables, text
from duckrisk.report.identifiability import figures as singled_out_figures
from duckrisk.report.identifiability import sentences as singled_out
from duckrisk.report.identifiability import tables as singled_out_tables
from duckrisk.report.text import Data, number, probability, say, visible, word

if TYPE_CHECKING:
    import jinja2

    from duckrisk.report import Report

#: Nothing is fetched, run or sent; only the page's own style sheet counts.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
#: Longer tables end in "and n more": the page has to open at once for hundreds of columns.
MOST_ROWS = 100
MOST_ROWS_NOTEBOOK = 20
MOST_STATEMENTS = 16
MOST_SQL = 12_000
MOST_SCENARIOS = 12
#: A page names so many of the attributes that somebody would learn.
MOST_LEARNT = 8
#: Statements of these topics name no file and hold no text of a person.
_SHOWN_TOPICS = ("attribute", "roles")
#: The same of the many statements of a search: those that a reader needs to follow it.
_SHOWN_OF_SEARCH = ("value_codes", "combinations", "examine_sets", "outcomes", "distribution", "set_values")


def to_html(report: Report) -> str:
    """One self-contained HTML page."""
    data = report.data
    figures = {**svg.figures(data), **singled_out_figures.figures(data)}
    said, values = _said(report), _values(data)
    disclosed = disclosure.told(data)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            policy=POLICY,
            language=text.LANGUAGE,
            title=say("title", source=Data(data["source"]["name"])),
            data=data,
            facts=_facts(data),
            sentences=said,
            figures=figures,
            sections=_sections(data, figures, said, values, list(disclosed)),
            disclosed=disclosed,
            singled_out=_singled_out(data),
            checklists=singled_out_tables.checklists(data),
            notes=[Data(note) for note in data["source"]["notes"]],
            roles=tables.cut(tables.roles(data), MOST_ROWS),
            gates=tables.cut(tables.gates(data), MOST_ROWS),
            values=values,
            method=_method(report),
        )
    )


def notebook_fragment(report: Report) -> str:
    """A short table for a notebook, without a page around it."""
    data = report.data
    return (
        environment()
        .get_template("fragment.html.j2")
        .render(
            title=say("title", source=Data(data["source"]["name"])),
            sentences=[*sentences.source_lines(data)[:2], *sentences.headlines(data)],
            gates=sentences.gate_verdict(data) if data["gates"] else None,
            with_values=say("with_values") if tables.has_values(data) else None,
            table=tables.cut(
                tables.ranking(data) if data["attribute_risk"] else singled_out_tables.parts(data),
                MOST_ROWS_NOTEBOOK,
            ),
        )
    )


@cache
def environment() -> jinja2.Environment:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(word=word, say=say, width=svg.WIDTH, number=number, visible_text=visible)
    made.filters.update(cut=lambda table: tables.cut(table, MOST_ROWS), data=Data)
    return made


def _facts(data: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The strip at the top: name, figure, remark."""
    source = data["source"]
    of_users = say("of_users", users=number(source["users"])) if source["user"] is not None else ""
    facts: list[tuple[str, Any, Any]] = [(word("records"), number(source["records"]), of_users)]
    top = data["attribute_risk"][0] if data["attribute_risk"] else None
    if top is not None and tables.shown_risk(top) is not None:
        facts.append((word("highest_risk"), probability(tables.shown_risk(top)), Data(top["attribute"])))
    found = tables.section(data)
    if found is not None:
        of_all = say(
            "of_records_open" if found["unknown"] else "of_records", records=number(found["records"])
        )
        currency, jo = Data(found["currency"]), singled_out.short_amount(found["jo_total_value"])
        facts.append((word("singled_out"), number(found["singled_out"]), of_all))
        by_jo = say("by_jo", currency=currency, jo=jo)
        facts.append((word("leak_value"), singled_out.short_amount(found["total_value"]), by_jo))
    return facts


def _said(report: Report) -> dict[str, Any]:
    data = report.data
    found = {
        "headlines": sentences.headlines(data),
        "help": sentences.best_help(data),
        "source": sentences.source_lines(data)[1:],
        "sampling": [s for s in (sentences.sampling_verdict(data), sentences.sampling_cost(report)) if s],
        "gates": sentences.gate_verdict(data),
        "passed": all(gate["passed"] for gate in data["gates"]),
        "with_values": say("with_values") if tables.has_values(data) else None,
        "models_agree": None,
        "below_none": None,
    }
    if tables.models_agree(data):
        found["models_agree"] = say("read.models_agree")
    shares = [
        entry["share_below_k"] for entry in data["attribute_risk"] if entry["share_below_k"] is not None
    ]
    if shares and not any(shares):
        found["below_none"] = say("read.below_none", k=data["settings"]["k"])
    return found


def _sections(
    data: dict[str, Any],
    drawn: dict[str, Any],
    said: dict[str, Any],
    values: list[tuple[Data, tables.Table]],
    disclosed: list[str],
) -> list[str]:
    """The sections that have something to show, in their order."""
    there = {
        "risk": "risk" in drawn,
        "known": "known" in drawn,
        "below": "below" in drawn or said["below_none"] is not None,
        "coarser": "coarser" in drawn,
        "models": "models" in drawn or said["models_agree"] is not None,
        "identifiability": tables.section(data) is not None,
        **dict.fromkeys(disclosed, True),
        "values": bool(values),
        "gates": bool(data["gates"]),
        "checklist": bool(data["checklist"]),
        "roles": True,
        "method": True,
    }
    return [name for name, shown in there.items() if shown]


def _singled_out(data: dict[str, Any]) -> dict[str, Any] | None:
    """The sentences and tables on who can be singled out."""
    found = tables.section(data)
    if found is None:
        return None
    told, about = singled_out.scenarios(data, MOST_SCENARIOS, MOST_LEARNT)
    return {
        "jo": singled_out.by_jo(found),
        "ease": singled_out.about_ease(found),
        "scenarios": told,
        "scenario_notes": singled_out.scenario_notes(data, about),
        "helps": [*singled_out.helps(data), *filter(None, [singled_out.helps_missing(found)])],
        "helps_table": singled_out_tables.helps(data),
        "sureness": singled_out.sureness(found),
        "levels": singled_out.levels(found),
        "levels_table": tables.cut(singled_out_tables.levels(data), MOST_ROWS),
        "units": singled_out.units(found),
        "units_table": singled_out_tables.users(data),
    }


def _values(data: dict[str, Any]) -> list[tuple[Data, tables.Table]]:
    return [
        (Data(entry["attribute"]), tables.cut(tables.values(data, entry), MOST_ROWS))
        for entry in data["attribute_risk"]
        if tables.shown_values(data, entry)
    ][:MOST_ROWS]


def _method(report: Report) -> dict[str, Any]:
    data = report.data
    source = data["source"]
    origin = [
        (word("what"), Data(source["name"])),
        (word("kind"), Data(source["kind"])),
        (word("digest"), sentences.digest(data)),
    ]
    if source["digest"] is not None:
        origin.append(
            (
                word("size"),
                say(
                    "size_line",
                    bytes=number(source["digest"]["bytes"]),
                    files=number(source["digest"]["files"]),
                ),
            )
        )
    if source["encoding"] is not None:
        origin.append((word("encoding"), Data(source["encoding"])))
    origin.append((word("versions"), sentences.versions(data)))
    resources = report.resources
    if resources is not None:
        for name in ("memory", "threads"):  # the folder for spilled data stays private
            if (given := getattr(resources, name)) is not None:
                origin.append((word(name), Data(str(given))))
    return {
        "sentences": sentences.method_sentences(data),
        "not_assessed": sentences.not_assessed(data),
        "origin": origin,
        "settings": tables.settings(data),
        "statements": tables.cut(tables.statements(report), MOST_ROWS),
        "sql": _sql(report),
    }


def _sql(report: Report) -> list[tuple[Any, str]]:
    """The first executed text of each metric; texts that open a source stay out: they name files."""
    from duckrisk.templates import catalogue

    known = catalogue()
    found: dict[str, str] = {}
    for statement in report.statements:
        shown = statement.name in _SHOWN_OF_SEARCH
        if shown or (statement.name in known and known[statement.name].topic in _SHOWN_TOPICS):
            found.setdefault(statement.name, statement.sql[:MOST_SQL])
    return [(say("sql_text", name=name), sql) for name, sql in sorted(found.items())[:MOST_STATEMENTS]]
