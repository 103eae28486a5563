"""Treat a table and write the release.

Values become coarser, records are deleted, and values or pseudonyms are drawn anew. A treatment is a chain of
steps, each a template under ``sql/anonymization`` on the relation of the previous one. It is kept as a recipe
next to the release and can be run again.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.files import atomic_folder, atomic_write, check_target, name_output
from duckrisk.base.options import check_list
from duckrisk.base.options.reading import merge_readings
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import UTC, Distributed
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.decision import policy
from duckrisk.decision.baseline import make_judge
from duckrisk.decision.gates import is_about_policy, parse_all
from duckrisk.decision.notices import FileSettings, Notice, list_notices
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier
from duckrisk.release.anonymization import classes, database_writer, engine_treatment, output, recipe
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.methods import METHODS
from duckrisk.release.anonymization.output import Target
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.results import Done, Release, StepDone
from duckrisk.release.anonymization.steps import DRAWING_METHODS, Step, Treatment, check_kept_columns
from duckrisk.release.anonymization.summary import expand_summary
from duckrisk.release.anonymization.uniform_steps import expand_step
from duckrisk.roles.overrides import form_joined_key
from duckrisk.source import Request, Source, hierarchies, open_source, refuse_overwriting_source
from duckrisk.source import spark as engine_source
from duckrisk.source.readings import list_read_options

__all__ = [
    "Release",
    "Step",
    "StepDone",
    "Target",
    "Treatment",
    "apply_steps",
    "make_release_judge",
    "make_treatment",
    "run",
]

#: Applies gates to a release.
Judge = Callable[[Release], Release]
#: Lists notices by the number of records of a source (None: unknown) and of the chosen ones.
_Listing = Callable[[int | None, int], tuple[Notice, ...] | None]


def make_treatment(
    steps: Iterable[Any] = (),
    recipe_file: Any = None,
    seed: int | None = None,
    specs: Any = None,
    folder: Path = Path("."),
) -> Treatment:
    """Make a treatment from steps or from a recipe.

    Args:
        steps: Steps, or dictionaries of their options.
        recipe_file: A recipe to read instead of steps.
        seed: Seed of what is drawn; replaces that of the recipe.
        specs: Hierarchies as a table, or a file with one; replace those of the recipe.
        folder: Folder of the CSV files of hierarchies in a table.

    Raises:
        UsageError: The steps, the recipe or the hierarchies cannot be used.
    """
    chosen = [step if isinstance(step, Step) else _make_step(step) for step in steps]
    if recipe_file is not None and chosen:
        raise UsageError("anonymization.recipe_and_methods")
    plan = recipe.load(Path(recipe_file)) if recipe_file is not None else Treatment(tuple(chosen))
    if seed is not None:
        plan = dataclasses.replace(plan, seed=seed)
    if isinstance(specs, Mapping):
        return dataclasses.replace(plan, hierarchies=specs, folder=folder)
    if specs is not None:
        return dataclasses.replace(
            plan, hierarchies=hierarchies.read_specs(Path(specs)), folder=Path(specs).parent
        )
    return plan


def _make_step(step: Any) -> Step:
    if not isinstance(step, Mapping) or "method" not in step:
        raise UsageError("anonymization.step_not_a_dictionary")
    return Step(step["method"], {name: value for name, value in step.items() if name != "method"})


def make_release_judge(fail_on: Iterable[str], baseline: Any, to_policy: str | None) -> Judge:
    """Read gates and a baseline now, and return what applies them to a release.

    Args:
        fail_on: Expressions of gates.
        baseline: Path of the JSON file of an earlier report; None for none.
        to_policy: Name of the policy that the release has to keep; None for none.

    Raises:
        UsageError: A gate or the baseline cannot be used, or a gate needs a policy.
    """
    gates = check_list("fail_on", fail_on) or ()
    for gate in parse_all(gates, Release):
        if to_policy is None and is_about_policy(gate):
            raise UsageError("anonymization.gate_without_policy", expression=gate.expression)
    return make_judge(gates, Release, baseline)


class _WithheldError(Exception):
    """A gate failed, so nothing of the release may remain."""

    def __init__(self, release: Release) -> None:
        self.release = dataclasses.replace(release, written=False)


def _require_passed(release: Release) -> Release:
    """Return a judged release.

    Raises:
        _WithheldError: A gate failed.
    """
    if not release.passed:
        raise _WithheldError(release)
    return release


def run(
    request: Request,
    treatment: Treatment,
    target: Target,
    resources: Resources,
    progress: ProgressCallback | None = None,
    judge: Judge | None = None,
    check: Callable[[Path, Release], Release] | None = None,
    engine: Distributed | None = None,
    file_settings: FileSettings | None = None,
    against: policy.Options | None = None,
    overrides: RoleOverrides | None = None,
) -> Release:
    """Treat a source, and write the release, its recipe and its key tables.

    If a gate fails, nothing is written, and the release says so. If an error is raised, nothing remains
    either. The source is never changed.

    Args:
        request: How to open the source.
        treatment: The steps.
        target: Where the release goes.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.
        judge: Judges the release before anything is written.
        check: Judges the written file before it gets its name.
        engine: A distributed engine that holds the source; it writes a folder of Parquet files.
        file_settings: Settings of the file that count, for notices.
        against: The policy that `check` judges by, for notices.
        overrides: Roles; a step that removes a column to keep is refused.

    Raises:
        DuckriskError: The source cannot be read or the release cannot be written
            (:mod:`duckrisk.base.errors`).
    """
    request, resources = request.with_defaults_from(treatment.source), resources.with_readings_from(treatment)
    listing = partial(list_notices, file_settings or FileSettings(), request, against=against)
    try:
        return _write_release(
            *(
                request,
                treatment,
                target,
                resources,
                progress,
                judge,
                check,
                engine or Distributed(),
                listing,
            ),
            overrides or RoleOverrides(),
        )
    except _WithheldError as withheld:
        return withheld.release


def _write_release(
    request: Request,
    treatment: Treatment,
    target: Target,
    resources: Resources,
    progress: ProgressCallback | None,
    judge: Judge | None,
    check: Callable[[Path, Release], Release] | None,
    engine: Distributed,
    listing: _Listing,
    overrides: RoleOverrides,
) -> Release:
    """Write the files of a release.

    Raises:
        _WithheldError: A gate failed.
    """
    treatment.check()
    if target.path.suffix.lower() == ".csv" and any(
        step.get("categories") == "list" for step in treatment.steps
    ):
        raise UsageError("anonymization.lists_in_csv")
    on_engine = engine_source.is_distributed(request, engine)
    if on_engine:
        engine_treatment.check_steps(treatment.steps)
        engine_treatment.check_engine_target(target, request)
    definitions = hierarchies.parse_hierarchies(treatment.hierarchies, treatment.folder, "the treatment")
    if not on_engine:
        output.check_output(target, request)
    recipe_path = recipe.check_recipe_path(
        target.named, request, overwrite=target.overwrite, folder=on_engine
    )
    keys = _plan_key_tables(treatment, target, recipe_path, request)
    with contextlib.ExitStack() as stack:
        # The last file entered is renamed first: a release without its key tables would be useless.
        recipe_file = stack.enter_context(atomic_write(recipe_path, private=False))
        server = target.address is not None and target.address.file is None
        into = server or (target.table is not None and target.path.exists())
        new = atomic_folder(target.path) if on_engine else atomic_write(target.path, private=False)
        file = target.path if into else stack.enter_context(new)
        key_files = {
            number: (stack.enter_context(atomic_write(path, private=True)), path)
            for number, path in keys.items()
        }
        writer = None
        if target.address is not None:
            writer = stack.enter_context(
                database_writer.open_database(target, None if into else file, resources)
            )
        with Session(resources, progress) as session:
            if target.logged_as is not None:
                session.renamed_files[file] = target.logged_as
            if target.lists_records:
                session.renamed_files[output.get_numbers_path(file)] = output.name_numbers(target)
            release = _treat(
                *(session, request, treatment, target, file, definitions),
                *(key_files, recipe_path, writer, judge, engine if on_engine else None),
                *(listing, overrides),
            )
        with name_output(recipe_path):
            recipe_file.write_text(release.recipe, encoding="utf-8")
        return release if check is None else _require_passed(check(file, release))


def _treat(
    session: Session,
    request: Request,
    treatment: Treatment,
    target: Target,
    file: Path,
    definitions: dict[str, hierarchies.Definition],
    keys: dict[int, tuple[Path, Path]],
    recipe_path: Path,
    writer: database_writer.Writer | None,
    judge: Judge | None,
    engine: Distributed | None,
    listing: _Listing,
    overrides: RoleOverrides,
) -> Release:
    session.steps.plan("source", "anonymization", "writing")
    session.run("set_option", option="preserve_insertion_order", setting=True)
    to_duckdb = target.table is not None and writer is None
    if to_duckdb:
        output.attach_database(session, target.path, file)
    allowed = output.list_companions(file) if to_duckdb else [file] if writer is None else []
    allowed = [*allowed, *([output.get_numbers_path(file)] if target.lists_records else [])]
    paths = [path.absolute() for path in (*allowed, *(path for path, _ in keys.values()))]
    source = _open_source(session, request, paths, engine)
    _form_keys(source, treatment, overrides)
    check_kept_columns(source, treatment.steps, overrides)
    free = not to_duckdb or output.is_table_free(session, target, *output.split_table_name(target))
    session.steps.begin("anonymization")
    chain = Chain(session, source, Chance(treatment.seed), definitions)
    done = list(apply_steps(chain, treatment.steps, keys))
    notes = [
        *source.notes,
        *source.timezone_notes,
        *chain.notes,
        *_list_notes(treatment),
        *(writer.notes if writer is not None else ()),
    ]
    if (there := session.engine) is not None:
        notes.append(Sentence("anonymization.elsewhere", engine=Data(f"{there.name} {there.version}")))
    opening = _describe_run(target, recipe_path, treatment)
    reading = _describe_reading(session, source)
    treatment = dataclasses.replace(treatment, steps=tuple(chain.applied))
    folder = Path() if target.is_held else recipe_path.parent
    text = recipe.render_recipe(treatment, list(chain.used), folder, opening, request, reading)
    release = Release(
        path=None if target.is_held else target.path,
        table=None if target.is_held else target.table,
        written=True,
        recipe=text,
        recipe_path=None if target.is_held else recipe_path,
        records=chain.records,
        released=count_left(chain, done),
        steps=tuple(done),
        notes=tuple(notes),
        notices=listing(source.unfiltered_records, chain.records),
        statements=tuple(session.log),
    )
    if judge is not None:
        release = _require_passed(judge(release))
    session.steps.begin("writing")
    if engine is not None:
        engine_treatment.write_release(chain, file.absolute(), target.path, release.released)
    elif writer is not None:
        writer.write(session, chain)
    elif target.table is None:
        if target.lists_records:
            output.write_numbers(session, chain, file.absolute())
        output.write_file(session, chain, target.path, file.absolute())
    else:
        output.write_table(session, chain, target, free=free)
    return release


def _describe_run(target: Target, recipe_path: Path, treatment: Treatment) -> list[str]:
    """Return the lines that a recipe begins with."""
    name, recipe_name = target.named.name, recipe_path.name
    if target.is_held:
        name, recipe_name = "a table", "RECIPE"
    opening = [
        f"How duckrisk {duckrisk.__version__} made {name}; to do it again:",
        f"duckrisk anonymize SOURCE -o OUT --recipe {recipe_name}",
    ]
    if treatment.seed is None and any(step.method in _RANDOM_METHODS for step in treatment.steps):
        opening.append("Without a seed every run draws anew.")
    return opening


def _describe_reading(session: Session, source: Source) -> Resources:
    """Return how texts and moments were read, so that a recipe reads them alike."""
    timezone = session.timezone if source.timezone_notes or session.timezone != UTC else None
    spelled = [text for reading in source.readings for text in list_read_options(reading)]
    read = merge_readings(session.resources.read, spelled)
    return Resources(timezone=timezone, read=read, missing_tokens=session.resources.missing_tokens)


def _open_source(
    session: Session, request: Request, outputs: Sequence[Path], engine: Distributed | None
) -> Source:
    """Open the source, on the engine if there is one."""
    if engine is None:
        return open_source(session, request, outputs=outputs)
    return engine_source.open_source(session, request, engine, outputs)


def _form_keys(source: Source, treatment: Treatment, overrides: RoleOverrides) -> None:
    """Form the keys of people that span several columns, or need one way of writing."""
    settled = overrides.settled.user if overrides.settled is not None else None
    named = [step.options.get(name) for step in treatment.steps for name in ("user", "column")]
    users = (
        name
        for name in (overrides.user, settled, treatment.fold_keys, *named)
        if isinstance(name, str) and name
    )
    for name in users:
        form_joined_key(source, name)
    if treatment.fold_keys is not None and not source.is_missing_from_release(treatment.fold_keys):
        source.form_person_key([treatment.fold_keys], fold=True)


def count_left(chain: Chain, done: Sequence[StepDone]) -> int:
    """Count the records that the steps left.

    Args:
        chain: The chain of the treatment.
        done: What the steps did.
    """
    return next((did.records for did in reversed(done) if did.records is not None), chain.records)


def apply_steps(
    chain: Chain, steps: Sequence[Step], keys: Mapping[int, tuple[Path, Path]] | None = None
) -> Iterator[StepDone]:
    """Apply steps to a chain, and yield what each did.

    In the end the classes are still as large as the steps asked for.

    Args:
        chain: The chain, which every step extends.
        steps: The steps.
        keys: Files of key tables (as written and as named later), by number of the step.

    Yields:
        The counts of each step.

    Raises:
        UsageError: A step cannot be applied, or classes became too small again.
    """
    for number, given in enumerate(chain.session.steps.track(steps), 1):
        chain.number = len(chain.applied) + 1
        last = None
        is_summary = given.method == "summarize"
        expanded = [expand_summary(chain, given)] if is_summary else expand_step(chain, given)
        for step in expanded:
            last = expanded[-1]
            chain.applied.append(step)
            chain.number = len(chain.applied)
            done = METHODS[step.method](chain, step)
            if keys and number in keys:
                _write_keys(chain.session, chain, step, done, keys[number])
            if step is last and step is not given and not is_summary:
                done = dataclasses.replace(done, gcp=chain.uniform_gcp)
            yield StepDone(step=chain.number, method=step.method, **vars(done))
    classes.check_classes(chain, chain.applied)
    chain.settle_order()


_RANDOM_METHODS = (*DRAWING_METHODS, "pseudonymize")


def _list_notes(treatment: Treatment) -> list[Sentence]:
    if treatment.seed is None:
        return []
    notes = []
    methods = {step.method for step in treatment.steps}
    if "pseudonymize" in methods:
        notes.append(Sentence("anonymization.seed"))
    if drawn := [Sentence(f"anonymization.by.{method}") for method in DRAWING_METHODS if method in methods]:
        notes.append(Sentence("anonymization.drawn", methods=join_texts(drawn)))
    return notes


# --- key tables ----------------------------------------------------------------------------------


def _plan_key_tables(
    treatment: Treatment, target: Target, recipe_path: Path, request: Request
) -> dict[int, Path]:
    """Return the files of key tables, by number of the step.

    Raises:
        UsageError: A file exists, or is another output.
    """
    paths: dict[int, Path] = {}
    taken = {target.path.resolve(), recipe_path.resolve()}
    for number, step in enumerate(treatment.steps, 1):
        if "keys" not in step.options:
            continue
        path = Path(step.get("keys"))
        check_target(path)
        output.get_format(path)
        refuse_overwriting_source(path, request)
        output.refuse_overwriting_folder(path, request)
        if path.exists():
            raise UsageError("anonymization.key_table_exists", path=path)
        if path.resolve() in taken:
            raise UsageError("anonymization.key_table_is_other_output", path=path)
        taken.add(path.resolve())
        paths[number] = path
    return paths


def _write_keys(session: Session, chain: Chain, step: Step, did: Done, paths: tuple[Path, Path]) -> None:
    """Write the key table of a step: users, periods and pseudonyms."""
    file, path = paths
    name = chain.find_column(step.get("column")).name
    columns = {"person": name}
    if did.by_period:
        columns["period_text"] = "period" if name.casefold() != "period" else "period of time"
    columns["pseudonym"] = "pseudonym" if name.casefold() != "pseudonym" else "new pseudonym"
    output.write_rows(session, identifier(did.table), columns, file.absolute(), path)
