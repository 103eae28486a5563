"""The assessment: open a source, infer roles, measure, and collect the results."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.files import write_file
from duckrisk.base.options.output import Language
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.source import Distributed
from duckrisk.decision import policy
from duckrisk.decision.assessment.checklist import make_checklist
from duckrisk.decision.assessment.engine_support import check_supported
from duckrisk.decision.assessment.gates import check_attribute, check_gate, find_part
from duckrisk.decision.assessment.measuring import DEFAULT_PARTS as DEFAULT_PARTS
from duckrisk.decision.assessment.measuring import PARTS as PARTS
from duckrisk.decision.assessment.measuring import VERDICT_PARTS as VERDICT_PARTS
from duckrisk.decision.assessment.measuring import Measurement
from duckrisk.decision.assessment.preview import Preview, preview_verdict
from duckrisk.decision.assessment.release_roles import Original, find_lost_user, infer_release_roles
from duckrisk.decision.assessment.results import NOT_LOOKED_AT, Assessment
from duckrisk.decision.assessment.table_kinds import restrict_to_table_kind
from duckrisk.decision.assessment.verdict import judge_assessment
from duckrisk.decision.baseline import EarlierReport, apply_gates, check_baseline
from duckrisk.decision.gates import Gate
from duckrisk.decision.notices import FileSettings
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql
from duckrisk.measures import attribute, disclosure, identifiability, plausible_attacks, sequence
from duckrisk.roles import RoleOverrides, Roles, infer
from duckrisk.source import VIEW, Request, Source, hierarchies, open_sources, unify_column_types
from duckrisk.source import spark as engine_source
from duckrisk.source.long_values import share_digests
from duckrisk.source.matching import align_text_columns, match_columns
from duckrisk.source.model import find_column

#: Called with an assessment whose verdict is known.
VerdictCallback = Callable[[Assessment], None]
PreviewCallback = Callable[[Preview], None]
#: Relations of a session: a release before it becomes the assessed view, and the people behind its records.
RELEASE, _PEOPLE = Sql("temp.main.release"), "people_of_release"


@dataclass(frozen=True)
class Settings:
    """The settings of an assessment, apart from the source and the resources.

    Attributes:
        overrides: Roles that a person gave.
        measures: Options of attribute risk.
        identifiability: Options of the search for attribute sets.
        disclosure: Options of the parts on classes.
        context: Options of the plausible attacks.
        policy: The policy of the verdict.
        only: The parts to measure; None lets the other settings decide.
        quick: Whether to leave out what no limit of a policy is about.
        gates: Conditions on the numbers of the report.
        baseline: An earlier report to compare with.
        show_values: Whether the report may show values of records.
        config: Name of the settings file.
        source: How the settings file opens the source; merged by :meth:`Request.with_defaults_from`.
        engine: The distributed engine, if one is given.
        original: The original of a release: it shows whose each record is if the release does not.
        earlier: The releases before the assessed one, and their key tables.
        timezone: Time zone of the settings file.
        read: How columns of text are read, by the settings file.
        language: Language of the report.
        file_settings: Settings of the file that count, for notices.
    """

    overrides: RoleOverrides = field(default_factory=RoleOverrides)
    measures: attribute.Options = field(default_factory=attribute.Options)
    identifiability: identifiability.Options = field(default_factory=identifiability.Options)
    disclosure: disclosure.Options = field(default_factory=disclosure.Options)
    context: plausible_attacks.Options = field(default_factory=plausible_attacks.Options)
    policy: policy.Options = field(default_factory=policy.Options)
    only: tuple[str, ...] | None = None
    quick: bool = False
    gates: tuple[Gate, ...] = ()
    baseline: EarlierReport | None = None
    show_values: bool = False
    config: str | None = None
    source: Request = field(default_factory=Request)
    engine: Distributed = field(default_factory=Distributed)
    original: Original | None = None
    earlier: EarlierOptions = field(default_factory=EarlierOptions)
    timezone: str | None = None
    read: tuple[str, ...] = ()
    language: Language = field(default_factory=Language)
    file_settings: FileSettings = field(default_factory=FileSettings)

    @property
    def missing_tokens(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        return self.identifiability.missing_tokens

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to measure, in the order of PARTS.

        These are the chosen ones, else :data:`DEFAULT_PARTS` and those that settings or gates ask for.
        """
        if self.only is not None:
            return self.only
        needed = {*DEFAULT_PARTS, *self.disclosure.parts, *(find_part(gate) for gate in self.gates)}
        needed |= {"class_sizes"} if self.context.is_given else set()
        needed -= {"identifiability"} if self.quick else set()
        return tuple(name for name in PARTS if name in needed)


def run(
    request: Request,
    settings: Settings,
    resources: Resources,
    progress: ProgressCallback | None = None,
    records: Path | None = None,
    on_verdict: VerdictCallback | None = None,
    on_preview: PreviewCallback | None = None,
) -> Assessment:
    """Assess a source.

    Args:
        request: How to open the source.
        settings: The settings.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.
        records: Parquet file to write ease and value of every record to; None for none.
        on_verdict: Called with the judged figures that a limit is about, before the rest is measured.
        on_preview: Called before anything is measured, if a sample of a large table decides the verdict.

    Raises:
        DuckriskError: The source cannot be read, or the settings do not fit it (:mod:`duckrisk.base.errors`).
    """
    _check_settings(settings, records)
    on_engine = engine_source.is_distributed(request, settings.engine)
    if on_engine:
        check_supported(settings, records)
    with Session(resources, progress) as session:
        session.steps.plan(*(["engine"] if on_engine else []), "source", "roles", *_list_steps(settings))
        original, source, others = _open_sources(session, request, settings)
        session.steps.begin("roles")
        roles = None
        if original is not None:
            settings = _drop_lost_columns(source, settings)
            roles = _infer_roles_by_original(session, original, source, request, settings)
        result = assess_open_source(
            *(session, source, settings, request, roles, others, records is not None),
            on_verdict=on_verdict,
            on_preview=on_preview,
        )
        if records is not None:
            write_file(records, lambda path: _copy_file(session.table, path), private=True)
        return result


def assess_open_source(
    session: Session,
    source: Source,
    settings: Settings,
    request: Request,
    roles: Roles | None = None,
    others: Sequence[Source] = (),
    records: bool = False,
    on_verdict: VerdictCallback | None = None,
    on_preview: PreviewCallback | None = None,
) -> Assessment:
    """Assess a source that is open as the assessed view, by the settings alone.

    It can be assessed again in the same session, with other settings.

    Args:
        session: The session.
        source: The source.
        settings: The settings.
        request: How the source was opened.
        roles: Roles by the original of a release, whose settings name no lost column; None infers them.
        others: The table of the population, if there is one, and the tables of earlier releases.
        records: Whether to make the table of all records in the session.
        on_verdict: Called with the judged figures that a limit is about, before the rest is measured.
        on_preview: Called before anything is measured, if a sample of a large table decides the verdict.
    """
    if roles is None:
        settings = _drop_lost_columns(source, settings)
        tokens = settings.identifiability.missing_tokens
        roles = infer(session, source, settings.overrides, tokens=tokens, counts=session.engine is None)
        settings = restrict_to_table_kind(settings, roles, records=records)
    settings = dataclasses.replace(settings, overrides=roles.overrides)
    share_digests(session, source, [(o.view, o) for o in others if o.view == disclosure.POPULATION])
    for gate in settings.gates:
        check_attribute(gate, [attribute.name for attribute in roles.attributes])
    return assess_source(
        *(session, source, roles, settings, request, others, records),
        on_verdict=on_verdict,
        on_preview=on_preview,
    )


def _list_steps(settings: Settings) -> Iterator[str]:
    """Yield the steps of the parts: first those that the verdict needs."""
    parts, details = set(settings.parts), not settings.quick
    for name, needed in (
        ("identifiers", {"direct_identifiers"}),
        ("attribute", {"attribute_risk"}),
        ("uniqueness", {"uniqueness"}),
        ("details", {"attribute_risk", "uniqueness"} if details else set()),
        ("identifiability", {"identifiability"}),
        ("disclosure", set(disclosure.PARTS) - {"direct_identifiers"}),
    ):
        if needed & parts:
            yield name


def assess_source(
    session: Session,
    source: Source,
    roles: Roles,
    settings: Settings,
    request: Request | None = None,
    others: Sequence[Source] = (),
    records: bool = False,
    verdict_only: bool = False,
    on_verdict: VerdictCallback | None = None,
    on_preview: PreviewCallback | None = None,
) -> Assessment:
    """Assess a source that is open as the assessed view.

    Args:
        session: The session.
        source: The source.
        roles: Its roles.
        settings: The settings.
        request: How the source was opened.
        others: The table of the population, if there is one, and the tables of earlier releases.
        records: Whether to make the table of all records in the session.
        verdict_only: Whether to leave out what no verdict depends on: samples, coarser forms, the easiest
            sets of users, and facts other than the typical shares that a limit is about.
        on_verdict: Called with the judged figures that a limit is about, before the rest is measured.
        on_preview: Called before anything is measured, if a sample of a large table decides the verdict.

    Returns:
        The results with checklist, verdict and gates.
    """
    attribute.check_models_of(settings.measures, roles)
    disclosure.check_named(source, roles, settings.disclosure)
    request = request or Request()
    if on_preview is not None and "uniqueness" in settings.parts:
        preview = preview_verdict(session, source, roles, settings, request)
        if preview is not None:
            on_preview(preview)
    job = Measurement(session, source, roles, settings, request, others)
    result = job.measure_verdict(verdict_only=verdict_only)
    if settings.quick:  # of the rest only the parts that options ask for
        asked = job.measure_rest(result, records, verdict_only=True)
        result = dataclasses.replace(asked, verdict=result.verdict, not_looked_at=NOT_LOOKED_AT)
        return apply_gates(result, settings.gates, settings.baseline)
    if on_verdict is not None and "uniqueness" in settings.parts:
        on_verdict(result)
    result = job.measure_rest(result, records, verdict_only=verdict_only)
    rules = () if result.source.holdings.no_persons else make_checklist(result)
    result = dataclasses.replace(result, checklist=rules, verdict=judge_assessment(result, settings.policy))
    return apply_gates(result, settings.gates, settings.baseline)


def assess_for_policy(
    session: Session,
    source: Source,
    roles: Roles,
    levels: identifiability.Options,
    against: policy.Options,
) -> Assessment:
    """Assess what a policy judges of a source that is open as the assessed view.

    A job that promises to keep a policy uses this verdict, which is that of `duckrisk assess`.

    Args:
        session: The session.
        source: The source.
        roles: Its roles.
        levels: Options of the search for attribute sets.
        against: The policy.
    """
    settings = Settings(overrides=roles.overrides, identifiability=levels, policy=against, only=VERDICT_PARTS)
    return assess_source(session, source, roles, settings, verdict_only=True)


def _drop_lost_columns(source: Source, settings: Settings) -> Settings:
    options = settings.disclosure
    present = {
        name: tuple(column for column in getattr(options, name) if not source.is_missing_from_release(column))
        for name in ("quasi_identifiers", "sensitive")
    }
    lost = {
        name: None
        for name in ("weight", "household")
        if getattr(options, name) is not None and source.is_missing_from_release(getattr(options, name))
    }
    changed: dict[str, Any] = {**present, **lost}
    return dataclasses.replace(settings, disclosure=dataclasses.replace(options, **changed))


def _infer_roles_by_original(
    session: Session, original: Source, release: Source, request: Request, settings: Settings
) -> Roles:
    """Infer the roles of a release by its original.

    The original is the assessed view before, and the release is it after. Only people with several records
    need to be found.
    """
    tokens = settings.identifiability.missing_tokens
    match_columns(original, release)
    roles = infer(session, original, settings.overrides, tokens=tokens)
    people = None
    if find_lost_user(roles, release) is not None and roles.user is not None:
        assert settings.original is not None
        people = _PEOPLE
        settings.original.create_people_table(
            session, original, roles.user, release, RELEASE, request, people
        )
    if original.is_in_memory:
        session.run("drop_table", table=VIEW)
    release.use_view(VIEW)
    return infer_release_roles(session, roles, release, tokens, people)[0]


def _open_sources(
    session: Session, request: Request, settings: Settings
) -> tuple[Source | None, Source, list[Source]]:
    """Open the original, the source and the population, each if it is given.

    Values of the source and the others are spelled alike.
    """
    if engine_source.is_distributed(request, settings.engine):
        return None, engine_source.open_source(session, request, settings.engine), []
    requests = [(VIEW, request)]
    if settings.original is not None:
        requests = [
            (VIEW, settings.original.build_request(request)),
            (str(RELEASE.rpartition(".")[2]), request),
        ]
    if settings.disclosure.population is not None and "class_sizes" in settings.parts:
        requests.append((disclosure.POPULATION, Request(settings.disclosure.population)))
    earlier = sequence.Earlier.of(settings.earlier)
    source, *others = open_sources(session, [*requests, *earlier.list_views()])
    others, before = others[: len(requests) - 1], others[len(requests) - 1 :]
    original = None
    if settings.original is not None:
        original, source, *others = source, *others
        align_text_columns([original, source], [])
    for other in others:
        pairs = [(c, same) for c in source.columns if (same := find_column(other.columns, c.name))]
        if pairs:
            unify_column_types([source, other], list(zip(*pairs, strict=True)))
    if earlier.releases:
        opened = earlier.select_opened(before)
        sequence.align_releases(source, opened, settings.overrides)
    return original, source, [*others, *before]


def _check_settings(settings: Settings, records: Path | None) -> None:
    settings.measures.check()
    check_baseline(settings.gates, settings.baseline)
    if settings.quick and settings.only is not None:
        raise UsageError("assessment.quick_with_only")
    if settings.quick and records is not None:
        raise UsageError("assessment.quick_with_records")
    for gate in settings.gates:
        check_gate(
            gate,
            settings.measures.method,
            settings.parts,
            _list_given_options(settings),
            quick=settings.quick,
        )
    if not settings.parts:
        raise UsageError("assessment.no_parts", parts=", ".join(PARTS))
    for name in settings.parts:
        if name not in PARTS:
            hint = suggest_names(name, list(PARTS))
            raise UsageError("assessment.unknown_part", name=name, hint=hint)
    identifiability.check_options(settings.identifiability)
    settings.disclosure.check()
    _check_hierarchies(settings)
    settings.context.check()
    if settings.context.is_given and "class_sizes" not in settings.parts:
        raise UsageError("assessment.attacks_without_class_sizes")
    settings.policy.check()
    if records is not None and records.suffix.lower() != ".parquet":
        raise UsageError("assessment.records_not_parquet", records=records.name)
    if records is not None and "identifiability" not in settings.parts:
        raise UsageError("assessment.records_without_identifiability")


def _list_given_options(settings: Settings) -> set[str]:
    """List the given options that some numbers need."""
    options, context = settings.disclosure, settings.context
    names = ("fraction", "population", "weight", "household")
    given = {name for name in names if getattr(options, name) is not None}
    given |= {"controls"} if context.is_given else set()
    return given | ({"known_records"} if settings.measures.known_records else set())


def _check_hierarchies(settings: Settings) -> None:
    """Check that the hierarchies can be read; those of the settings file only if used."""
    path = settings.disclosure.hierarchies
    if path is not None and ("attribute_disclosure" in settings.parts or Path(path).name != settings.config):
        hierarchies.load_hierarchies(Path(path))


def _copy_file(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
