"""Writes synthetic and perturbed releases of a table: those of the contest, from any source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.files import atomic_write
from duckrisk.base.results import Environment
from duckrisk.base.sentences import Sentence
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

#: The options of each method.
_OPTIONS = {
    "okada": ("records", "distinct", "bandwidth", "match_marginals"),
    "rr": ("keep",),
    "rrp": ("keep",),
    "kanony": ("k", "quasi_identifiers"),
}
#: A file of the contest is written as it was read; with fewer columns it is none.
_CONTEST = Sql("FORMAT csv, HEADER false")
_MEMBERS, _MADE, _CHOSEN, _WRITTEN = "members", "synthetic", "chosen", "written"
#: Types of categories that are made of their text again.
_OF_TEXT = ("BOOLEAN", "DATE", "TIME", "TIMESTAMP", "UUID")
#: A release of fewer records is near to these.
_FEW = 20
#: Doubles hold whole numbers up to this.
_EXACT = 2.0**53


@dataclass(frozen=True)
class Synthesis(SynthesisOptions):
    """What is to be made, by options that go with the method."""

    def check(self) -> None:
        super().check()
        for method, names in _OPTIONS.items():
            for name in names:
                asked = getattr(self, name) not in (None, ())
                if asked and name not in _OPTIONS[self.method]:
                    flag = name.replace("_", "-").removesuffix("s" if name == "quasi_identifiers" else "")
                    raise UsageError(
                        "membership.option_of_other_method", flag=flag, method=method, method_2=self.method
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
    """Make a release of a source and write it. Raises the errors of :mod:`duckrisk.base.errors`; nothing is
    left behind then."""
    options.check()
    output.check_output(target, request)
    with (
        atomic_write(target.path, private=False) as file,
        Session(resources, progress) as session,
    ):
        session.steps.plan("source", "anonymization", "writing")
        run = _generated if options.method == "okada" else _treated
        return run(session, request, target.path, file.absolute(), options)


# --- the generator ---------------------------------------------------------------------------------


def _generated(session: Session, request: Request, path: Path, file: Path, options: Synthesis) -> Synthesized:
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
        records = distinct(session, encoding, _MADE, table, options.distinct, options.seed)
    session.steps.begin("writing")
    write_encoded(session, encoding, model, table, path, file)
    notes: list[Sentence] = [] if encoding.contest else members.source.notes + members.source.zoned
    if not drawn.exact:
        notes.append(Sentence("membership.synthesize.not_exact"))
    return _told(session, path, options, model.records, records, drawn.exact, [], notes)


def _told(
    session: Session,
    path: Path,
    options: Synthesis,
    members: int,
    records: int,
    exact: bool | None,
    steps: Sequence[StepDone],
    notes: Sequence[Sentence],
) -> Synthesized:
    """What was written. Raises SourceError, so that nothing is left of it, where it was made from one record:
    whatever is drawn from that is that."""
    if members < 2 and options.method != "kanony":
        raise SourceError("membership.single_record")
    if members < _FEW and options.method != "kanony":
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


def distinct(
    session: Session, encoding: Encoding, source: str, table: str, most: int, seed: int | None
) -> int:
    """Draw so many different records of an encoded table into another one. Raises UsageError where there are
    fewer."""
    session.run(
        "distinct_records",
        name=table,
        source=identifier(source),
        columns=encoding.columns,
        drawn=Chance(seed).render_draw("distinct"),
        most=most,
    )
    count: int = session.fetch_row("table_size", source=identifier(table))["found"]
    if count < most:
        raise UsageError("membership.too_few_different_records", found=count, most=most)
    return count


def write_encoded(
    session: Session, encoding: Encoding, model: generator.Model, table: str, path: Path, file: Path
) -> None:
    """Write an encoded table as the source has its columns."""
    members = encoding.tables[_MEMBERS]
    wide = [
        attribute.column
        for attribute, limits in zip(encoding.attributes, model.limits, strict=True)
        if attribute.numeric and max(map(abs, limits)) >= _EXACT and not is_float(attribute.type)
    ]
    session.run(
        "synthetic_records",
        name=_WRITTEN,
        source=identifier(table),
        columns=encoding.columns,
        kinds=[_kind(attribute.type, attribute.numeric) for attribute in encoding.attributes],
        wide=wide,
        original=identifier(members.view),
        bindings=list(members.bindings),
    )
    names = [attribute.name for attribute in encoding.attributes]
    _copy(session, identifier(_WRITTEN), encoding.columns, names, path, file, encoding.contest)


def _kind(type_name: str, numeric: bool) -> Sql:
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
    bare = contest and len(columns) == len(CONTEST) and path.suffix.lower() == ".csv"
    if not bare:
        output.copy_records(session, source, columns, names, identifier("record"), path, file)
        return
    with output.name_output_in_errors(session, path):
        session.run(
            "copy_release",
            source=source,
            columns=list(columns),
            names=list(columns),
            order=identifier("record"),
            path=str(file),
            options=_CONTEST,
            group_bytes=None,
        )


# --- random responses and small classes -------------------------------------------------------------


def _treated(session: Session, request: Request, path: Path, file: Path, options: Synthesis) -> Synthesized:
    """The methods that ``duckrisk anonymize`` has, on all columns."""
    session.run("set_option", option="preserve_insertion_order", setting=True)
    opened = open_source(session, request, outputs=[file], as_written=True)
    session.steps.begin("anonymization")
    contest = is_contest(opened)
    source = _with_names(opened) if contest else opened
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
    if contest and len(names) == len(CONTEST) and path.suffix.lower() == ".csv":
        _copy(session, chain.relation, chain.bindings, names, path, file, True)
    else:
        output.write_file(session, chain, path, file)
    notes: list[Sentence] = [*([] if contest else source.notes + source.zoned), *chain.notes]
    return _told(session, path, options, chain.records, count_left(chain, done), None, done, notes)


def _with_names(source: Source) -> Source:
    """A file of the contest with the names of its attributes."""
    named = [Column(c.position, name, c.type) for c, name in zip(source.columns, CONTEST, strict=True)]
    return replace(source, columns=named)
