"""What the page asks duckrisk: one open source in a locked session, and the jobs of the command line.

Nothing here measures by itself. Each method calls what a command calls, with the settings of a state.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from duckrisk import source as sources
from duckrisk.base.errors import UsageError
from duckrisk.base.options import advice as advising
from duckrisk.base.options.anonymization import Wishes
from duckrisk.base.sentences import Text
from duckrisk.decision import assessment
from duckrisk.decision.assessment import Settings
from duckrisk.decision.assessment.results import Assessment, Invocation
from duckrisk.engine.session import ASSESSED, Resources, Session
from duckrisk.engine.steps import Steps
from duckrisk.engine.templates import Attribute, Part, Sql
from duckrisk.measures import attribute, uniqueness
from duckrisk.measures.detail import Detail
from duckrisk.measures.ranks import ColumnRanks, rank_values
from duckrisk.measures.uniqueness.published import PublishedClasses, SampledTogether, publish_columns
from duckrisk.measures.uniqueness.results import KnownFacts, Together
from duckrisk.page import settings as files
from duckrisk.page.levels import ColumnLevels, list_levels, make_steps, render_form
from duckrisk.page.settings import Given
from duckrisk.page.state import OUT, State, Way
from duckrisk.release import advice, anonymization
from duckrisk.release.advice.releasing import release_of
from duckrisk.release.advice.remaining import Remaining
from duckrisk.release.advice.results import Advice
from duckrisk.release.advice.study import Order
from duckrisk.release.anonymization import Release, Target, Treatment, make_treatment
from duckrisk.release.anonymization.people_behind import OriginalTable
from duckrisk.roles import Decision, Roles, infer, known_columns
from duckrisk.source import Request, Source
from duckrisk.source.choices import TableChoice, list_choices
from duckrisk.source.hierarchies import Hierarchy, parse_hierarchies
from duckrisk.source.requests import parse_request

#: Known facts (derived: the limit of a policy is about three).
_FACTS = 3
#: Records; a value in fewer is rare if the policy has no limit of classes (a choice: a usual one).
_RARE = 5
#: Looks at a column: as many of its most frequent values or shapes (a choice: what fits a cell).
_LOOKS = 3
#: Most frequent values whose shapes are looked at (a choice: others hardly change the most frequent shapes).
_EXAMINED = 1_000


class CancelledError(BaseException):
    """A person, or a newer decision, ended a job. It is no Exception, so that no handler catches it."""


class _PageSession(Session):
    """A session whose jobs end between two statements as well."""

    check: Callable[[], None] | None = None

    def check_time(self) -> None:
        """Check the deadline, and whether the job was cancelled."""
        super().check_time()
        if self.check is not None:
            self.check()


@dataclass(frozen=True)
class Found:
    """What a source holds, before anything is judged."""

    source: Source
    records: int
    roles: Roles
    looks: dict[int, tuple[str, ...]]
    levels: tuple[ColumnLevels, ...]


@dataclass(frozen=True)
class Figures:
    """What a treatment leaves, measured without a release.

    Attributes:
        people: People behind the records.
        user: Name of the user column; None without one.
        sample: An estimate of the classes from a sample; None for a small table.
        together: The classes of all quasi-identifiers, exact; None if they are not measured yet.
        detail: The detail that is left; None if it is not measured yet.
        facts: People singled out by up to three facts; None if they are not measured yet.
    """

    people: int
    user: str | None
    sample: SampledTogether | None = None
    together: Together | None = None
    detail: Detail | None = None
    facts: tuple[KnownFacts, ...] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all figures are measured."""
        return self.facts is not None


@dataclass(frozen=True)
class Judged:
    """A release with its assessment, and its columns before and after."""

    release: Release
    assessment: Assessment
    rare: int
    before: Mapping[str, ColumnRanks]
    after: Mapping[str, ColumnRanks]


class Bench:
    """One source, open in one session, and the jobs on it. Only one thread uses it.

    Args:
        given: What the page was opened with.
        resources: Memory, threads and files of the sessions.
    """

    def __init__(self, given: Given, resources: Resources) -> None:
        self.given, self._resources = given, resources
        self._session: _PageSession | None = None
        self._source: Source | None = None
        self._request = Request()
        self._hierarchies: dict[int, Hierarchy] = {}
        self._roles: dict[str, Roles] = {}
        self._classes: PublishedClasses | None = None
        #: Of the table as it is, by what is rare and what is missing.
        self._ranks: dict[tuple[int, tuple[str, ...]], Mapping[str, ColumnRanks]] = {}
        self._remaining: tuple[str, Remaining] | None = None
        #: Seed of pseudonyms: the commands of an export draw the same.
        self._seed = secrets.randbelow(2**63)
        self._exports = 0
        #: The recipes of releases of an advice, by their states.
        self._recipes: dict[State, Path] = {}
        #: Called with the steps of a job; it raises CancelledError to end it.
        self.progress: Callable[[Text, float | None], None] = lambda text, share: None

    @property
    def _opened(self) -> tuple[_PageSession, Source]:
        """The open session and its source."""
        assert self._session is not None
        assert self._source is not None
        return self._session, self._source

    @property
    def folder(self) -> Path:
        """The private folder of the session, which goes with it."""
        assert self._session is not None
        return self._session.folder

    def close(self) -> None:
        """Close the session; nothing is left behind."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _plan(self, *names: str) -> None:
        """Plan the steps of a job of the open session, whose shares begin anew."""
        assert self._session is not None
        self._session.steps = Steps(self._report)
        self._session.steps.plan(*names)

    def _report(self, text: Text, share: float | None) -> None:
        self.progress(text, share)

    # --- opening ---------------------------------------------------------------------------------

    def open_source(self) -> None:
        """Open the source.

        Raises:
            DuckriskError: It cannot be opened.
        """
        self.close()
        session = self._session = _PageSession(self._resources, self._report)
        self._plan("source")
        settings = self.read_settings(State())
        if settings.earlier.earlier:
            raise UsageError("page.earlier")
        self._request = Request(self.given.source, self.given.table).with_defaults_from(settings.source)
        session.resources = session.resources.with_readings_from(settings)
        self._source = sources.open_source(session, self._request)
        self.given = dataclasses.replace(self.given, has_log=session.can_be_read_again)
        session.check = partial(self._report, "source", None)

    def choose(self, given: Given) -> None:
        """Take another source, which the next search opens."""
        self.given, self._source = given, None

    def list_tables(self) -> tuple[TableChoice, ...]:
        """List the tables of a source that could not be opened as one.

        Raises:
            DuckriskError: They cannot be listed.
        """
        self.close()
        self._source = None
        self._session = _PageSession(self._resources, self._report)
        return tuple(list_choices(self._session, self.given.source))

    def find(self) -> Found:
        """Propose the roles of the columns, and look at their values.

        A source that was chosen is opened first.

        Raises:
            DuckriskError: The source cannot be opened, or the settings do not fit it.
        """
        if self._source is None:
            self.open_source()
        session, source = self._opened
        self._plan("roles")
        settings = self.read_settings(State())
        roles = self.find_roles(State())
        treatment = self._make_treatment(settings, [])
        definitions = parse_hierarchies(treatment.hierarchies, treatment.folder, "the settings")
        self._hierarchies = {
            column.position: definition.build(
                session, ASSESSED, column.binding, f"hierarchy_{column.position}", column.type, column.name
            )
            for name, definition in definitions.items()
            for column in [source.column(name)]
        }
        levels = tuple(list_levels(d, self._hierarchies.get(d.column.position)) for d in roles.decisions)
        return Found(source, roles.records, roles, dict(self._look_at_columns(source)), levels)

    def _look_at_columns(self, source: Source) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the most frequent shapes of each column, or its values if they may appear."""
        session, _ = self._opened
        for column in source.columns:
            rows = session.run(
                "value_looks",
                source=session.views.select_columns(column.binding),
                column=column.binding,
                masked=not self.given.show_values,
                most=_LOOKS,
                examined=_EXAMINED,
            )
            yield column.position, tuple(row["look"] for row in rows)

    def check_source(self) -> None:
        """Check that the source is still the one that was opened.

        Raises:
            SourceError: A file was changed, replaced or removed.
        """
        if self._session is not None:
            self._session.check_files()

    # --- the settings of a state -----------------------------------------------------------------

    def read_settings(self, state: State) -> Settings:
        """Read the settings of a state from the file that would be exported."""
        path = self.folder / files.SETTINGS
        files.write_text(path, files.write_settings(self.given, state))
        return files.read_settings(path)

    def find_roles(self, state: State) -> Roles:
        """Infer the roles of the columns, with those that the state declares."""
        session, source = self._opened
        settings = self.read_settings(state)
        key = repr(settings.overrides)
        if key not in self._roles:
            self._roles[key] = infer(
                session, source, settings.overrides, tokens=settings.missing_tokens, counts=True
            )
        return self._roles[key]

    def _make_treatment(self, settings: Settings, steps: list[anonymization.Step]) -> Treatment:
        specs = dict(self.given.content.get("hierarchies", {}))
        # A run that draws pseudonyms is repeated by its seed alone.
        seed = self._seed if any(step.method == "pseudonymize" for step in steps) else None
        return make_treatment(steps, None, seed, specs, self.given.folder)

    # --- jobs ------------------------------------------------------------------------------------

    def assess(self, state: State) -> Assessment:
        """Judge the table as it is, as ``assess --quick`` does."""
        session, source = self._opened
        self.check_source()
        settings = files.without_repetition(self.read_settings(state))
        settings = dataclasses.replace(settings, quick=True, gates=())
        self._plan("roles", "identifiers", "attribute", "uniqueness")
        return assessment.assess_open_source(session, source, settings, self._request)

    def measure(self, state: State, stage: Figures | None) -> Figures:
        """Measure the next figures of a state: of a sample, the classes, then the rest.

        Args:
            state: The state.
            stage: The figures so far; None for none.
        """
        session, _ = self._opened
        self.check_source()
        settings, roles = self.read_settings(state), self.find_roles(state)
        self._plan("uniqueness")
        by_name = {decision.column.name: decision for decision in roles.decisions}
        forms = [(by_name[name], form) for name, form in state.forms]
        cells = {d.column.position: self._render(d, form, d.column.binding) for d, form in forms}
        published = publish_columns(roles, cells, settings.missing_tokens)
        levels = settings.identifiability
        if self._classes is None:
            self._classes = PublishedClasses(session, levels)
        if stage is None:
            stage = Figures(roles.users, roles.user.name if roles.user is not None else None)
            sample = self._classes.estimate(roles, published)
            if sample is not None:
                return dataclasses.replace(stage, sample=sample)
        if stage.together is None:
            return dataclasses.replace(stage, together=self._classes.measure(roles, published))
        if stage.detail is None:
            return dataclasses.replace(stage, detail=self._measure_detail(roles, state))
        facts: tuple[KnownFacts, ...] = ()
        if published.plausible:
            limit = settings.policy.limit_of("three_facts")
            attacker = attribute.Options(seed=settings.measures.seed)
            found = uniqueness.measure(session, published, levels, attacker, (), _FACTS, False, limit)
            facts = found.result.facts
        return dataclasses.replace(stage, facts=facts)

    def _render(self, decision: Decision, form: str, column: str) -> Sql | None:
        return render_form(form, decision, column, self._hierarchies.get(decision.column.position))

    def _measure_detail(self, roles: Roles, state: State) -> Detail:
        session, source = self._opened
        key = repr(roles.overrides)
        if self._remaining is None or self._remaining[0] != key:
            made = Remaining(session, roles, self._hierarchies, source.formats)
            self._remaining = key, made
        by_name = {decision.column.name: decision for decision in roles.decisions}
        cells = {name: self._render(by_name[name], form, "value") for name, form in state.forms}
        return self._remaining[1].measure(
            {
                name: Attribute(name, (Part(cell),)) if cell is not None else None
                for name, cell in cells.items()
            }
        )

    def advise(self, state: State) -> Advice:
        """List the releases that keep the policy, as ``advise`` does."""
        self.check_source()
        settings = files.without_repetition(self.read_settings(state))
        return advice.run(
            self._request,
            settings.overrides,
            dataclasses.replace(settings.identifiability, time_limit=None),
            advising.Options(),
            self._resources.with_readings_from(settings),
            self._report,
            self._make_treatment(settings, []),
            settings.policy,
        )

    def make_export_folder(self) -> Path:
        """Make the folder of an export; undo leads back to those of earlier ones."""
        self._exports += 1
        folder = self.folder / f"export-{self._exports}"
        folder.mkdir(mode=0o700)
        return folder

    # --- releases --------------------------------------------------------------------------------

    def release(self, state: State, folder: Path, log: Path | None = None) -> Release:
        """Write the release of a state, as ``anonymize`` does.

        Args:
            state: A state with a treatment.
            folder: Where it goes, with its recipe.
            log: File of the SQL log; None for none.
        """
        settings = self.read_settings(state)
        resources = self._with_log(log)
        treatment = (
            self._make_treatment(settings, self.list_steps(state))
            if state.way is None
            else make_treatment((), self._find_recipe(state, state.way))
        )
        return anonymization.run(
            self._request,
            treatment,
            Target(folder / files.RELEASE, None, True),
            resources.with_readings_from(treatment, settings),
            self._report,
            overrides=settings.overrides,
        )

    def _find_recipe(self, state: State, way: Way) -> Path:
        """Make a release of an advice once, and return its recipe."""
        if state in self._recipes:
            return self._recipes[state]
        settings = self.read_settings(state)
        tokens = settings.identifiability.missing_tokens
        order = Order(
            request=self._request,
            overrides=settings.overrides,
            against=settings.policy,
            treatment=dataclasses.replace(self._make_treatment(settings, []), seed=self._seed),
            resources=dataclasses.replace(
                self._resources.with_readings_from(settings), missing_tokens=tokens
            ),
            wishes=Wishes(method=way.method, least_detail=0.0),
            k=way.k,
        )
        folder = self.folder / "found"
        folder.mkdir(exist_ok=True)
        made = release_of(order, Target(folder / files.RELEASE, None, True), self._report, _accept)
        recipe = self.folder / f"found-{len(self._recipes) + 1}.toml"
        files.write_text(recipe, made.recipe)
        self._recipes[state] = recipe
        return recipe

    def list_steps(self, state: State) -> list[anonymization.Step]:
        """List the steps of a state, which are its recipe."""
        roles = self.find_roles(state)
        known = tuple(decision.column.name for decision in known_columns(roles))
        user = roles.user.name if roles.user is not None and state.find_form(roles.user.name) != OUT else None
        return make_steps(dict(state.forms), state.k, state.below, known, user)

    def judge_release(self, state: State) -> Judged:
        """Write the release of a state privately, and judge it as ``assess`` does."""
        self.check_source()
        folder = self.folder / "judged"
        folder.mkdir(exist_ok=True)
        release = self.release(state, folder)
        return Judged(release, self.assess_release(state, folder, quick=True), *self._compare(state, folder))

    def _compare(
        self, state: State, folder: Path
    ) -> tuple[int, Mapping[str, ColumnRanks], Mapping[str, ColumnRanks]]:
        """Rank the values of the columns of the table and of its release.

        Returns:
            What is rare, and the ranks of the table and of the release.
        """
        session, source = self._opened
        settings = self.read_settings(state)
        rare, tokens = int(settings.policy.limit_of("smallest_class") or _RARE), settings.missing_tokens
        if (rare, tokens) not in self._ranks:
            self._ranks[rare, tokens] = rank_values(session, source.columns, rare, tokens)
        request = Request(str(folder / files.RELEASE)).with_defaults_from(settings.source)
        with Session(self._resources.with_readings_from(settings), self._report) as other:
            released = sources.open_source(other, request)
            return rare, self._ranks[rare, tokens], rank_values(other, released.columns, rare, tokens)

    def assess_release(self, state: State, folder: Path, *, quick: bool) -> Assessment:
        """Assess a written release by its original.

        Args:
            state: The state.
            folder: The folder of the release.
            quick: Whether to measure only what the verdict needs, without notices on what the page shows.
        """
        settings = self.read_settings(state)
        original = OriginalTable(parse_request(self.given.original))
        settings = dataclasses.replace(
            self._with_language(files.without_repetition(settings) if quick else settings),
            quick=quick,
            original=original,
            show_values=self.given.show_values,
            gates=(),
        )
        request = Request(str(folder / files.RELEASE)).with_defaults_from(settings.source)
        resources = self._resources.with_readings_from(settings)
        report = assessment.run(request, settings, resources, self._report)
        invocation = self._describe_invocation((files.RELEASE,), "--original", self.given.original)
        return report if quick else dataclasses.replace(report, invocation=invocation)

    def assess_source(self, state: State, log: Path | None) -> Assessment:
        """Assess the table as it is, in full, as the exported command does.

        Args:
            state: The state.
            log: File of the SQL log; None for none.
        """
        settings = self._with_language(self.read_settings(state))
        settings = dataclasses.replace(settings, show_values=self.given.show_values, gates=())
        request = Request(self.given.address, self.given.table).with_defaults_from(settings.source)
        resources = self._with_log(log).with_readings_from(settings)
        report = assessment.run(request, settings, resources, self._report)
        return dataclasses.replace(report, invocation=self._describe_invocation(self.given.words))

    def _with_log(self, log: Path | None) -> Resources:
        return dataclasses.replace(self._resources, sql_log=str(log) if log is not None else None)

    def _with_language(self, settings: Settings) -> Settings:
        if self.given.language is None:
            return settings
        language = dataclasses.replace(settings.language, language=self.given.language)
        return dataclasses.replace(settings, language=language)

    def _describe_invocation(self, source: tuple[str, ...], *original: str) -> Invocation:
        """Return the words of an exported command, which its report repeats."""
        asked, spoken, values = self.given.options
        *table, name = source
        words = (*table, *asked, *spoken, name)
        return Invocation(words, words, (*table, *original, *asked, *values, *spoken, name))


def _accept(release: Release) -> Release:
    """Accept a release; what judges it is the policy."""
    return release
