"""The main job: open a source, find out who is who, measure, and put the results together."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.files import write_file
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.output import Language
from duckrisk.base.options.source import Distributed
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.decision import policy
from duckrisk.decision.assessment.checklist import checklist
from duckrisk.decision.assessment.gates import check, check_attribute, measured_by
from duckrisk.decision.assessment.held import of_holdings
from duckrisk.decision.assessment.literals import without_literals
from duckrisk.decision.assessment.offered import check_offered
from duckrisk.decision.assessment.released import Original, lost_user, roles_of_release
from duckrisk.decision.assessment.results import (
    AssessedSource,
    Assessment,
    DisclosureSettings,
    Environment,
    SourceColumn,
    UsedSettings,
)
from duckrisk.decision.assessment.verdict import FACTS, verdict
from duckrisk.decision.baseline import Earlier, gated
from duckrisk.decision.baseline import check as check_baseline
from duckrisk.decision.gates import Gate
from duckrisk.decision.notices import Settled, list_notices
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql
from duckrisk.measures import attribute, disclosure, identifiability, plausible_attacks, uniqueness
from duckrisk.measures.attribute.results import AttributeRisks
from duckrisk.measures.disclosure import sensitive
from duckrisk.measures.identifiability.section import known_without_tokens
from duckrisk.roles import Decision, RoleOverrides, Roles, also, infer, shown_type
from duckrisk.roles.results import kind_said
from duckrisk.source import VIEW, Request, Source, hierarchies, open_sources, spell_alike
from duckrisk.source import spark as engine_source
from duckrisk.source.alike import match_columns, read_alike
from duckrisk.source.long_cells import carry_alike
from duckrisk.source.model import named as column_named

#: The parts of an assessment where nobody chooses, and all of them.
MAIN = ("attribute_risk", "identifiability")
SECTIONS = (*MAIN, "uniqueness", "direct_identifiers")
#: Those that a verdict needs.
JUDGED = ("attribute_risk", "uniqueness", "direct_identifiers")
PARTS = (*MAIN, "uniqueness", *disclosure.PARTS)
#: Where a session has a release before it becomes the assessed view, and the people behind its records.
RELEASE, _PEOPLE = Sql("temp.main.release"), "people_of_release"


@dataclass(frozen=True)
class Settings:
    """Everything that a run was asked to do, apart from the source and the resources.

    ``only`` are the parts to measure; None leaves them to the other settings. ``source`` is how a settings
    file says to open the source; whoever makes the request fills it in from there with
    :meth:`Request.or_else`. ``original`` is the table that the source was made of, which says whose each
    record is where the source does not.
    """

    overrides: RoleOverrides = field(default_factory=RoleOverrides)
    measures: attribute.Options = field(default_factory=attribute.Options)
    identifiability: identifiability.Options = field(default_factory=identifiability.Options)
    disclosure: disclosure.Options = field(default_factory=disclosure.Options)
    context: plausible_attacks.Options = field(default_factory=plausible_attacks.Options)
    policy: policy.Options = field(default_factory=policy.Options)
    only: tuple[str, ...] | None = None
    gates: tuple[Gate, ...] = ()
    baseline: Earlier | None = None
    show_values: bool = False
    config: str | None = None
    source: Request = field(default_factory=Request)
    engine: Distributed = field(default_factory=Distributed)
    original: Original | None = None
    timezone: str | None = None
    read: tuple[str, ...] = ()
    language: Language = field(default_factory=Language)
    settled: Settled = field(default_factory=Settled)

    @property
    def missing_tokens(self) -> tuple[str, ...]:
        """Return the texts that mean a missing cell."""
        return self.identifiability.missing_tokens

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to measure: those chosen, else :data:`SECTIONS` and whatever settings or gates are given
        for."""
        if self.only is not None:
            return self.only
        needed = {*SECTIONS, *self.disclosure.parts, *(measured_by(gate) for gate in self.gates)}
        needed |= {"class_sizes"} if self.context.given else set()
        return tuple(name for name in PARTS if name in needed)


def run(
    request: Request,
    settings: Settings,
    resources: Resources,
    progress: ProgressCallback | None = None,
    records: Path | None = None,
) -> Assessment:
    """Assess a source; ``records`` is a Parquet file to write every record's ease and value to.
    Raises the errors of :mod:`duckrisk.base.errors`."""
    _check(settings, records)
    on_engine = engine_source.concerns(request, settings.engine)
    if on_engine:
        check_offered(settings, records)
    with Session(resources, progress) as session:
        session.steps.plan(*(["engine"] if on_engine else []), "source", "roles", *_steps(settings))
        original, source, others = _opened(session, request, settings)
        settings = _of_columns_there(source, settings)
        tokens = settings.identifiability.missing_tokens
        session.steps.begin("roles")
        if original is not None:
            roles = _roles_by_original(session, original, source, request, settings)
        else:
            roles = infer(session, source, settings.overrides, tokens=tokens, counts=not on_engine)
            settings = of_holdings(settings, roles, records)
        settings = dataclasses.replace(settings, overrides=roles.overrides)
        carry_alike(session, source, [(disclosure.POPULATION, other) for other in others])
        for gate in settings.gates:
            check_attribute(gate, [a.name for a in roles.attributes])
        result = measured(session, source, roles, settings, request, others, records is not None)
        if records is not None:
            write_file(records, lambda path: _copy(session.table, path), private=True)
        return result


def _steps(settings: Settings) -> Iterator[str]:
    """The steps that measure, in their order."""
    parts = set(settings.parts)
    for name, needed in (
        ("identifiability", {"identifiability"}),
        ("disclosure", set(disclosure.PARTS)),
        ("attribute", {"attribute_risk"}),
        ("uniqueness", {"uniqueness"}),
    ):
        if needed & parts:
            yield name


def measured(
    session: Session,
    source: Source,
    roles: Roles,
    settings: Settings,
    request: Request | None = None,
    others: Sequence[Source] = (),
    records: bool = False,
    judged_only: bool = False,
) -> Assessment:
    """The assessment of a source that is open as the assessed view and with its ``roles``; with
    ``records`` the session gets the table of all records, with ``judged_only`` all that no verdict
    hangs on is left out: coarser forms, the easiest sets of users, and what is found of facts beside the
    typical shares of the fewest that a limit is about."""
    request, tokens = request or Request(), settings.identifiability.missing_tokens
    attribute.check_named(settings.measures, roles)
    disclosure.check_named(source, roles, settings.disclosure)
    session.steps.begin("identifiability")
    by_record = roles.by_record
    section, notes = _identifiability(session, source, by_record, settings, records, not judged_only)
    session.steps.begin("disclosure")
    disclosed = disclosure.measure(
        session,
        source,
        by_record,
        dataclasses.replace(settings.disclosure, missing_tokens=tokens),
        settings.parts,
        population=others[0] if others else None,
        show_values=settings.show_values,
    )
    session.steps.begin("attribute")
    assessed = (
        _assessed(roles, tokens)
        if "attribute_risk" in settings.parts
        else dataclasses.replace(roles, attributes=[])
    )
    risks, risk_notes = attribute.measure(
        session,
        assessed,
        # Nobody sees several records of a person where nothing links them.
        settings.measures if roles.is_linked else dataclasses.replace(settings.measures, known_records=0),
        show_values=settings.show_values,
        with_coarser=not judged_only,
    )
    notes = [*risk_notes, *notes, *disclosed.notes]
    by_content = roles.content.kinds()
    judged = "uniqueness" in settings.parts
    session.steps.begin("uniqueness")
    result = Assessment(
        source=_source(source, roles, request, settings, notes, by_content),
        **vars(risks),
        identifiability=section,
        uniqueness=_facts(session, roles, settings, risks, judged_only),
        **{name: getattr(disclosed, name) for name in disclosure.PARTS},
        sensitive=sensitive.declared(session, roles, tokens) if judged else (),
        plausible_attacks=_attacks(session, disclosed, settings),
        checklist=(),
        verdict=policy.judge(settings.policy, policy.Evidence({})),
        settings=_settings(settings, request, source),
        environment=_environment(session, settings),
        gates=(),
        notices=list_notices(settings.settled, request, source.total, roles.records, settings.policy),
        statements=tuple(session.log),
        resources=session.resources,
    )
    if judged and not result.sensitive and verdict(result, settings.policy).kept:
        result = dataclasses.replace(result, sensitive=sensitive.proposed(session, source, roles, tokens))
    return _judged(result, settings)


def assess_for_policy(
    session: Session,
    source: Source,
    roles: Roles,
    levels: identifiability.Options,
    against: policy.Options,
) -> Assessment:
    """Assess what a policy judges of a source that is open as the assessed view.

    Whoever says that a table keeps a policy says so of this verdict, which is that of ``duckrisk assess``.
    """
    asked = Settings(overrides=roles.overrides, identifiability=levels, policy=against, only=JUDGED)
    return measured(session, source, roles, asked, judged_only=True)


def _environment(session: Session, settings: Settings) -> Environment:
    engine = session.engine
    where = f"{engine.name} {engine.version}" if engine is not None else None
    return Environment(duckrisk.__version__, session.engine_version, settings.measures.seed, where)


def _identifiability(
    session: Session, source: Source, roles: Roles, settings: Settings, records: bool, with_users: bool
) -> tuple[identifiability.Identifiability | None, Sequence[Sentence]]:
    """Who can be singled out, and notes; with ``records`` the session gets the table of all records, without
    ``with_users`` nothing is told of users."""
    if "identifiability" not in settings.parts:
        return None, []
    return identifiability.measure(
        session,
        source,
        roles,
        settings.identifiability,
        show_values=settings.show_values,
        records=session.table if records else None,
        required=set(settings.only or SECTIONS) not in (set(MAIN), set(SECTIONS)) or records,
        with_users=with_users,
    )


def _assessed(roles: Roles, tokens: Sequence[str]) -> Roles:
    """The roles for the risk of each attribute. Ito's tables take "?" as a value that somebody learns; what a
    person named as a missing cell is none."""
    if tuple(tokens) == TOKENS:
        return roles
    types = {decision.column.binding: decision.column.type for decision in roles.decisions}
    attributes = [known_without_tokens(a, types, tokens) for a in roles.attributes]
    return dataclasses.replace(roles, attributes=attributes)


def _facts(
    session: Session, roles: Roles, settings: Settings, risks: AttributeRisks, judged_only: bool
) -> uniqueness.Uniqueness | None:
    """Whom few facts single out; what several known records tell is not measured twice."""
    if "uniqueness" not in settings.parts:
        return None
    known = None
    if "attribute_risk" in settings.parts:
        names = {attribute.name for attribute in roles.plausible}
        known = [case for case in risks.known_records if case.attribute in names]
    return uniqueness.measure(
        session,
        roles,
        settings.identifiability,
        settings.measures,
        known,
        FACTS if judged_only else uniqueness.MOST_FACTS,
        with_worst=not judged_only,
    )


def _judged(result: Assessment, settings: Settings) -> Assessment:
    """What was measured, with what follows from it: the checklist, the verdict, and the gates."""
    rules = () if result.source.holdings.no_persons else checklist(result)
    result = dataclasses.replace(result, checklist=rules, verdict=verdict(result, settings.policy))
    return gated(result, settings.gates, settings.baseline)


def _attacks(
    session: Session, disclosed: disclosure.Disclosure, settings: Settings
) -> plausible_attacks.PlausibleAttacks | None:
    """The four attacks on the classes of the people, where it is said who gets the table."""
    class_sizes = disclosed.class_sizes
    if class_sizes is None or not settings.context.given:
        return None
    of_users = (rule for rule in class_sizes.users or () if rule.missing == class_sizes.missing)
    people = next(of_users, class_sizes.chosen)
    risks = people.average_risk, people.highest_risk
    return plausible_attacks.measure(session, people.unit, *risks, settings.context)


def _of_columns_there(source: Source, settings: Settings) -> Settings:
    """The settings on columns that a release still has."""
    asked = settings.disclosure
    there = {
        name: tuple(column for column in getattr(asked, name) if not source.lacks(column))
        for name in ("quasi_identifiers", "sensitive")
    }
    gone = {
        name: None
        for name in ("weight", "household")
        if getattr(asked, name) is not None and source.lacks(getattr(asked, name))
    }
    changed: dict[str, Any] = {**there, **gone}
    return dataclasses.replace(settings, disclosure=dataclasses.replace(asked, **changed))


def _roles_by_original(
    session: Session, original: Source, release: Source, request: Request, settings: Settings
) -> Roles:
    """Return the roles of a release by its original, with the people behind records where they have several.

    The original is the assessed view before, and the release is it after.
    """
    tokens = settings.identifiability.missing_tokens
    match_columns(original, release)
    roles = infer(session, original, settings.overrides, tokens=tokens)
    people = None
    if lost_user(roles, release) is not None and roles.user is not None:
        assert settings.original is not None
        people = _PEOPLE
        settings.original.list_people(session, original, roles.user, release, RELEASE, request, people)
    if original.held:
        session.run("drop_table", table=VIEW)
    release.shown_as(VIEW)
    return roles_of_release(session, roles, release, tokens, people)[0]


def _opened(
    session: Session, request: Request, settings: Settings
) -> tuple[Source | None, Source, list[Source]]:
    """The original of the source, if it is given, the source and, where there is one, the table of the
    population, the last two spelled alike."""
    if engine_source.concerns(request, settings.engine):
        return None, engine_source.open_source(session, request, settings.engine), []
    requests = [(VIEW, request)]
    if settings.original is not None:
        requests = [(VIEW, settings.original.request(request)), (str(RELEASE.rpartition(".")[2]), request)]
    if settings.disclosure.population is not None and "class_sizes" in settings.parts:
        requests.append((disclosure.POPULATION, Request(settings.disclosure.population)))
    source, *others = open_sources(session, requests)
    original = None
    if settings.original is not None:
        original, source, *others = source, *others
        read_alike([original, source], [])
    for other in others:
        pairs = [(c, there) for c in source.columns if (there := column_named(other.columns, c.name))]
        if pairs:
            spell_alike([source, other], list(zip(*pairs, strict=True)))
    return original, source, others


def _check(settings: Settings, records: Path | None) -> None:
    settings.measures.check()
    check_baseline(settings.gates, settings.baseline)
    for gate in settings.gates:
        check(gate, settings.measures.method, settings.parts, _given(settings))
    if not settings.parts:
        raise UsageError("assessment.no_parts", parts=", ".join(PARTS))
    for name in settings.parts:
        if name not in PARTS:
            hint = suggest_names(name, list(PARTS))
            raise UsageError("assessment.unknown_part", name=name, hint=hint)
    identifiability.check(settings.identifiability)
    settings.disclosure.check()
    _check_hierarchies(settings)
    settings.context.check()
    if settings.context.given and "class_sizes" not in settings.parts:
        raise UsageError("assessment.attacks_without_class_sizes")
    settings.policy.check()
    if records is not None and records.suffix.lower() != ".parquet":
        raise UsageError("assessment.records_not_parquet", records=records.name)
    if records is not None and "identifiability" not in settings.parts:
        raise UsageError("assessment.records_without_identifiability")


def _given(settings: Settings) -> set[str]:
    """The names of the options that some numbers are measured only with."""
    asked, context = settings.disclosure, settings.context
    given = {
        name for name in ("fraction", "population", "weight", "household") if getattr(asked, name) is not None
    }
    given |= {"controls"} if context.given else set()
    return given | ({"known_records"} if settings.measures.known_records else set())


def _check_hierarchies(settings: Settings) -> None:
    """Raise UsageError for hierarchies that cannot be read; for those of the settings, if they are used."""
    path = settings.disclosure.hierarchies
    if path is not None and ("attribute_disclosure" in settings.parts or Path(path).name != settings.config):
        hierarchies.load(Path(path))


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _source(
    source: Source,
    roles: Roles,
    request: Request,
    settings: Settings,
    notes: Sequence[Sentence],
    by_content: dict[str, list[str]],
) -> AssessedSource:
    where, query = request.where, request.query
    if not settings.show_values:
        where, query = without_literals(where), without_literals(query)
    read = [Sentence("assess.settings_file", name=Data(settings.config))] if settings.config else []
    return AssessedSource(
        name=source.name,
        kind=source.kind,
        records=roles.records,
        users=roles.users,
        user=roles.user.name if roles.user is not None and roles.is_linked else None,
        lost_user=roles.lost_user,
        people_known=True if not roles.is_linked else None,
        user_confidence=roles.user_confidence,
        records_without_user=roles.without_user,
        records_of_token_users=roles.records_of_token_users,
        most_records_of_a_user=roles.most_records,
        columns=tuple(
            SourceColumn(
                name=decision.column.name,
                type=shown_type(decision.column.type),
                role=decision.role,
                confidence=decision.confidence,
                kind=decision.kind,
                reason=_reason(decision, by_content.get(decision.column.name, [])),
                missing=roles.records - decision.present,
                declared=decision.declared,
                keep=decision.keep,
                given=decision.given,
                against=decision.against,
                listed=decision.listed,
            )
            for decision in roles.decisions
        ),
        encoding=source.encoding,
        digest=source.digest,
        where=where,
        query=query,
        notes=(*read, *source.notes, *source.zoned, *source.lacking, *roles.notes, *notes),
        undated=roles.undated or None,
        counted=roles.holdings.counted,
        holdings=roles.holdings,
        person_candidates=roles.person_candidates,
        doubts=tuple(roles.doubts),
    )


def _reason(decision: Decision, kinds: list[str]) -> Sentence | str:
    """Why a column was taken for what it was, and what its cells look like."""
    if not kinds or (decision.role == "direct_identifier" and decision.confidence == "sure"):
        return decision.reason or ""
    return also(decision.reason, Sentence("roles.looks_like", kinds=join_texts(map(kind_said, kinds))))


def _settings(settings: Settings, request: Request, source: Source) -> UsedSettings:
    overrides, disclosing = settings.overrides, settings.disclosure
    chosen = vars(settings.measures) | vars(settings.identifiability)
    measuring = {name: chosen[name] for name in chosen if name not in ("seed", "levels", "settled_levels")}
    levels = identifiability.named_levels(source, settings.identifiability)
    disclosed = None
    if set(settings.parts) & set(disclosure.PARTS):
        kept = {name: value for name, value in vars(disclosing).items() if name != "missing_tokens"}
        for name in ("population", "hierarchies"):  # what a file is called, not where it is
            kept[name] = Path(kept[name]).name if kept[name] is not None else None
        disclosed = DisclosureSettings(**kept)
    return UsedSettings(
        **measuring,
        user=overrides.user,
        attributes=overrides.attributes,
        ignore=overrides.ignore,
        roles=dict(overrides.roles),
        table=request.table,
        attached=request.attach.partition(":")[0] if request.attach and ":" in request.attach else None,
        encoding=request.encoding,
        header=request.header,
        timezone=source.timezone,
        read=source.read,
        only=tuple(name for name in PARTS if name in settings.parts),  # type: ignore[misc]
        levels={name: tuple(level) if isinstance(level, list) else level for name, level in levels.items()},
        disclosure=disclosed,
        config=settings.config,
        show_values=settings.show_values,
    )
