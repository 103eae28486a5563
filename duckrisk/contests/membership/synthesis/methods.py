"""Writes synthetic and perturbed releases of a table by the methods of the contest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.files import atomic_write
from duckrisk.base.results import Environment
from duckrisk.base.sentences import Sentence
from duckrisk.contests.common import copy_without_header, count_rows, keep_file_order
from duckrisk.contests.membership.options import SynthesisOptions
from duckrisk.contests.membership.records import CONTEST, Encoding, is_contest, load
from duckrisk.contests.membership.synthesis import generator
from duckrisk.contests.membership.synthesis.results import Synthesized
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier
from duckrisk.engine.types import is_float
from duckrisk.release.anonymization import Step, StepDone, Target, apply_steps, count_left, output
from duckrisk.release.anonymization import make_treatment as treatment_of
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.source import Column, Request, Source, open_source

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
#: The options of each method, which others refuse.
_OPTIONS = {
    "okada": ("records", "distinct", "bandwidth", "match_marginals"),
    "rr": ("keep",),
    "rrp": ("keep",),
    "kanony": ("k", "quasi_identifiers"),
}
_MEMBERS, _MADE, _CHOSEN, _WRITTEN = "members", "synthetic", "chosen", "written"
#: Types of categories that are restored from their text.
_OF_TEXT = ("BOOLEAN", "DATE", "TIME", "TIMESTAMP", "UUID")
#: Records; a release of fewer gets a note that it is similar to them (a choice: a handful per attribute).
_FEW_RECORDS = 20
#: The largest magnitude up to which a double holds every integer (derived: its 53 bits).
_MAX_EXACT = 2.0**53


@dataclass(frozen=True)
class Synthesis(SynthesisOptions):
    """How a release is made, with only the options of its method."""

    def check(self) -> None:
        """Refuse options that are out of range or do not go with the method.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        for method, names in _OPTIONS.items():
            for name in names:
                is_given = getattr(self, name) not in (None, ())
                if is_given and name not in _OPTIONS[self.method]:
                    flag = name.replace("_", "-").removesuffix("s" if name == "quasi_identifiers" else "")
                    raise UsageError(
                        "membership.option_of_other_method", flag=flag, method=method, asked=self.method
                    )
        if self.method in ("rr", "rrp") and (self.keep is None or not 0 <= self.keep < 1):
            raise UsageError("membership.method_without_keep", method=self.method)
        if self.method == "kanony" and (self.k is None or not self.quasi_identifiers):
            raise UsageError("membership.kanony_without_k")


def synthesize(
    request: Request,
    target: Target,
    options: Synthesis,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Synthesized:
    """Make a release of a source and write it; an error leaves no file behind.

    Args:
        request: The source.
        target: The file that is written.
        options: How the release is made.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What was made.

    Raises:
        UsageError: The options do not go together.
        SourceError: The source cannot be read or has too few records.
        OutputError: The file cannot be written.
    """
    options.check()
    output.check_output(target, request)
    with (
        atomic_write(target.path, private=False) as file,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", "anonymization", "writing")
        run = _generate if options.method == "okada" else _treat
        return run(session, request, target.path, file.absolute(), options)


# --- the generator ---------------------------------------------------------------------------------


def _generate(session: Session, request: Request, path: Path, file: Path, options: Synthesis) -> Synthesized:
    """Draw new records from the generator."""
    encoding = load(session, {_MEMBERS: request}, [file], options.attributes)
    members = encoding.tables[_MEMBERS]
    session.steps.begin("anonymization")
    model = generator.learn(session, encoding, _MEMBERS)
    records = options.records if options.records is not None else model.records
    bandwidth = 1.0 if options.bandwidth is None else options.bandwidth
    drawn = generator.draw(
        session, model, _MADE, records, options.seed, bandwidth, bool(options.match_marginals)
    )
    table = _MADE
    if options.distinct is not None:
        table = _CHOSEN
        records = draw_distinct(session, encoding, _MADE, table, options.distinct, options.seed)
    session.steps.begin("writing")
    write_encoded(session, encoding, model, table, path, file)
    notes: list[Sentence] = [] if encoding.contest else members.source.notes + members.source.timezone_notes
    if not drawn.exact:
        notes.append(Sentence("membership.synthesize.not_exact"))
    return _describe(session, path, options, model.records, records, drawn.exact, [], notes)


def _describe(
    session: Session,
    path: Path,
    options: Synthesis,
    members: int,
    records: int,
    exact: bool | None,
    steps: Sequence[StepDone],
    notes: Sequence[Sentence],
) -> Synthesized:
    """Describe the release; refuse one of a single record, which it repeats."""
    if members < 2 and options.method != "kanony":
        raise SourceError("membership.single_record")
    if members < _FEW_RECORDS and options.method != "kanony":
        notes = [*notes, Sentence("membership.synthesize.few", members=str(members))]
    return Synthesized(
        release=str(path),
        method=options.method,
        members=members,
        records=records,
        exact=exact,
        steps=tuple(steps),
        notes=tuple(notes),
        environment=Environment(duckrisk.__version__, session.engine_version),
    )


def draw_distinct(
    session: Session, encoding: Encoding, source: str, table: str, most: int, seed: int | None
) -> int:
    """Draw distinct records of an encoded table into another table.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        source: The table that is drawn from.
        table: The table that is made.
        most: The number of records.
        seed: The seed of the draw; None draws by the system's randomness.

    Returns:
        The number of records.

    Raises:
        UsageError: There are fewer distinct records.
    """
    session.run(
        "distinct_records",
        name=table,
        source=identifier(source),
        columns=encoding.columns,
        drawn=Chance(seed).render_draw("distinct"),
        max_records=most,
    )
    count = count_rows(session, table)
    if count < most:
        raise UsageError("membership.too_few_different_records", found=count, most=most)
    return count


def write_encoded(
    session: Session, encoding: Encoding, model: generator.Model, table: str, path: Path, file: Path
) -> None:
    """Write an encoded table with the columns and types of the source.

    Args:
        session: Runs the statements.
        encoding: The encoded tables; "members" is the source.
        model: The generator, which holds the limits of numbers.
        table: The table that is written.
        path: The file that the user named.
        file: The file that is written.
    """
    members = encoding.tables[_MEMBERS]
    wide = [
        attribute.column
        for attribute, limits in zip(encoding.attributes, model.limits, strict=True)
        if attribute.numeric and max(map(abs, limits)) >= _MAX_EXACT and not is_float(attribute.type)
    ]
    session.run(
        "synthetic_records",
        name=_WRITTEN,
        source=identifier(table),
        columns=encoding.columns,
        kinds=[_output_type(attribute.type, attribute.numeric) for attribute in encoding.attributes],
        wide=wide,
        original=identifier(members.view),
        bindings=list(members.bindings),
    )
    names = [attribute.name for attribute in encoding.attributes]
    _copy(session, identifier(_WRITTEN), encoding.columns, names, path, file, encoding.contest)


def _output_type(type_name: str, numeric: bool) -> Sql:
    """Return the type of a column that is written."""
    return Sql(type_name if numeric or type_name in _OF_TEXT else "VARCHAR")


def _copy(
    session: Session,
    source: Sql,
    columns: Sequence[str],
    names: Sequence[str],
    path: Path,
    file: Path,
    contest: bool,
) -> None:
    order = identifier("record")
    if _is_without_header(contest, columns, path):
        copy_without_header(session, source, columns, columns, order, path, file)
    else:
        output.copy_records(session, source, columns, names, order, path, file)


def _is_without_header(contest: bool, columns: Sequence[str], path: Path) -> bool:
    """Return whether a release is written as a file of the contest."""
    return contest and len(columns) == len(CONTEST) and path.suffix.lower() == ".csv"


# --- random responses and small classes -------------------------------------------------------------


def _treat(session: Session, request: Request, path: Path, file: Path, options: Synthesis) -> Synthesized:
    """Treat all columns by a method that ``duckrisk anonymize`` has, too."""
    keep_file_order(session)
    opened = open_source(session, request, outputs=[file], keep_texts=True)
    session.steps.begin("anonymization")
    contest = is_contest(opened)
    source = _name_columns(opened) if contest else opened
    chain = Chain(session, source, Chance(options.seed), {})
    chosen = source.columns
    if options.attributes is not None:
        chosen = [source.column(name) for name in dict.fromkeys(options.attributes)]
    if options.method == "kanony":
        quasi = {"quasi_identifiers": list(options.quasi_identifiers), "below": options.k}
        steps = [Step("delete-classes", quasi)]
    else:
        share = {
            "share": 1 - (options.keep or 0.0),
            "by": "domain" if options.method == "rr" else "empirical",
        }
        steps = [Step("perturb", {"column": column.name, **share}) for column in chosen]
    left_out = [column for column in source.columns if column not in chosen]
    steps += [Step("suppress", {"column": column.name, "drop": True}) for column in left_out]
    treatment_of(steps).check()
    done = list(apply_steps(chain, steps))
    session.steps.begin("writing")
    names = [column.name for column in chain.columns]
    if _is_without_header(contest, names, path):
        _copy(session, chain.relation, chain.bindings, names, path, file, contest)
    else:
        output.write_file(session, chain, path, file)
    notes: list[Sentence] = [*([] if contest else source.notes + source.timezone_notes), *chain.notes]
    return _describe(session, path, options, chain.records, count_left(chain, done), None, done, notes)


def _name_columns(source: Source) -> Source:
    """Return a file of the contest with the names of its attributes."""
    named = [Column(c.position, name, c.type) for c, name in zip(source.columns, CONTEST, strict=True)]
    return replace(source, columns=named)
