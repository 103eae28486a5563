"""A release that keeps a policy: made by a method, and judged as it was written."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.policy import PRESETS
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence, join_texts
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.questions import quote_names
from duckrisk.decision.assessment.release_roles import infer_release_roles
from duckrisk.decision.assessment.verdict import FACT_LIMITS, HISTORY_LIMITS
from duckrisk.decision.policy.results import Verdict
from duckrisk.engine.session import Session
from duckrisk.engine.steps import ProgressCallback, Steps
from duckrisk.engine.templates import Sql
from duckrisk.measures import identifiability
from duckrisk.release.advice.publication import CLASS_SIZES, Publication, plan_publication
from duckrisk.release.advice.study import Order, Study, study_original
from duckrisk.release.anonymization import Judge, Release, Target, Treatment, output, recipe
from duckrisk.release.anonymization import run as anonymize
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.people_behind import Matching, create_people_table
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.recoding import k_anonymize
from duckrisk.release.anonymization.recodings import BOUND_NAMES
from duckrisk.release.anonymization.results import PolicyKept, StepDone
from duckrisk.release.anonymization.summary import summarize
from duckrisk.release.anonymization.uniform_steps import expand_step
from duckrisk.source import VIEW, Request, hierarchies, open_source, open_sources
from duckrisk.source.matching import align_text_columns

#: Share of the detail of local classes (a choice: one form a column that leaves as much is easier to use).
UNIFORM_SHARE = 0.9
#: The view of the file that was written, where the original is the assessed view.
_WRITTEN = "release"
#: The view of the numbers of its records in the original.
_NUMBERS = "record_numbers"


class _UniformError(Exception):
    """One form a column leaves nearly as much, so it is taken."""


class _RefusedError(Exception):
    """A written release does not keep the policy."""

    def __init__(self, verdict: Verdict, error: NotReachedError) -> None:
        self.verdict, self.error = verdict, error

    @property
    def needs_larger_classes(self) -> bool:
        """Whether larger classes might help, as only known facts single people out."""
        return {finding.name for finding in self.verdict.exceeded} <= {*HISTORY_LIMITS, *FACT_LIMITS}


def release_of(order: Order, target: Target, progress: ProgressCallback | None, judge: Judge) -> Release:
    """Make a release that keeps a policy, judge it, and write it.

    A column that looks sensitive, and whose values groups of alike people share in the release, is left out:
    nobody said whether that matters.

    Args:
        order: The release that is asked for.
        target: Where the release goes.
        progress: Called with the steps of the job.
        judge: Judges the release before it gets its name.

    Raises:
        NotReachedError: No release keeps the policy, or the best one leaves too little detail.
        DuckriskError: The source cannot be read, or the release cannot be written. Nothing is left behind.
    """
    output.check_output(target, order.request)  # before all that is measured to find the treatment
    recipe.check_recipe_path(target.named, order.request, overwrite=target.overwrite)
    parts = Steps(progress)
    parts.plan("advice", "anonymization")
    study = study_original(order, parts)
    _check_study(order, study)
    parts.begin("anonymization")
    return Maker(order, study, parts).make(target, judge)


def _check_study(order: Order, study: Study) -> None:
    """Refuse an original that keeps the policy already, or has nothing to change."""
    verdict = study.assessed.verdict
    if verdict.is_kept:
        raise UsageError(
            "advice.policy_kept_already", source=study.source, policy=order.policy, records=study.chosen
        )


@dataclass(frozen=True)
class Maker:
    """Makes releases of a studied original, one after the other, until one keeps the policy.

    Attributes:
        order: The release that is asked for.
        study: The original.
        parts: Receives the progress.
        original: The records, where the study is of one row a person.
    """

    order: Order
    study: Study
    parts: Steps
    original: Study | None = None

    def make(self, target: Target, judge: Judge) -> Release:
        """Make the release by the method that is asked for.

        Args:
            target: Where the release goes.
            judge: Judges the release before it gets its name.

        Raises:
            NotReachedError: No release keeps the policy, or the best one leaves too little detail.
        """
        method, plan = self.order.wishes.method or "auto", self.plan(set())
        if method != "auto":
            return self.try_method(method, plan.k, target, judge)
        try:
            return self._make_most_useful(plan, target, judge)
        except NotReachedError:
            if not self.study.has_histories:
                raise
            for other in ("uniform", "summary"):
                with contextlib.suppress(NotReachedError):
                    return self.try_method(other, plan.k, target, judge)
            raise

    def _make_most_useful(self, plan: Publication, target: Target, judge: Judge) -> Release:
        """Make the release by local recoding, or by uniform if that leaves nearly as much.

        Of histories local keeps narrow cells at the price of detail, so it always comes first.
        """
        if self.study.has_histories:
            return self.try_method("local", plan.k, target, judge)
        uniform = self._estimate("uniform", plan)

        def choose(release: Release) -> Release:
            assert release.policy is not None
            if uniform >= UNIFORM_SHARE * release.policy.detail.detail_left:
                raise _UniformError
            return judge(release)

        try:
            if uniform >= UNIFORM_SHARE:
                raise _UniformError
            return self.try_method("local", plan.k, target, choose)
        except _UniformError:
            with contextlib.suppress(NotReachedError):
                return self.try_method("uniform", plan.k, target, judge)
        return self.try_method("local", plan.k, target, judge)

    def _estimate(self, method: str, plan: Publication) -> float:
        """Estimate the detail that a method leaves, from 0 to 1, without a release."""
        if not plan.quasi_identifiers or plan.k > self.study.roles.users:
            return 0.0
        request, treatment = self.order.request, self.order.treatment
        definitions = hierarchies.parse_hierarchies(treatment.hierarchies, treatment.folder, "the treatment")
        with Session(self.order.resources.for_part(4), self.parts) as session:
            chain = Chain(session, open_source(session, request), Chance(treatment.seed), definitions)
            steps = list(plan.list_steps(method, self.order.wishes))
            if plan.summary is not None:
                summarize(chain, plan.summary)
            step = next((step for step in steps if step.method == "k-anonymize"), None)
            if step is None:
                return 0.0
            if method == "local":
                done = StepDone(step=1, method=step.method, gcp=k_anonymize(chain, step).gcp)
            else:
                expand_step(chain, step)
                done = StepDone(step=1, method=step.method, gcp=chain.uniform_gcp)
            records = self.study.roles.records
            return plan.measure_detail([done], records, records).detail_left

    def _describe_others(self, plan: Publication) -> str:
        """Describe what the smaller classes of weaker policies would leave."""
        if self.order.named_policy not in PRESETS:
            return ""
        said: list[str] = []
        for name in PRESETS[PRESETS.index(self.order.named_policy) + 1 :]:
            k = int(policy.Options(name=name).limit_of("smallest_class") or 2)
            left = self._estimate("local", plan.with_k(k))
            said.append(f'"{name}" about {format_share(left)}')
        return f"; by class sizes alone {' and '.join(said)} would be left" if said else ""

    def try_method(self, method: str, k: int, target: Target, judge: Judge) -> Release:
        """Make the release by a method, with larger classes or fewer columns if needed.

        Args:
            method: "local", "uniform", "columns" or "summary".
            k: Minimum number of people in a class.
            target: Where the release goes.
            judge: Judges the release before it gets its name.

        Raises:
            NotReachedError: No release keeps the policy, or the best one leaves too little detail.
        """
        if method == "summary":
            return self._summarize().try_method("local", k, target, judge)
        without: set[str] = set()
        plan = self.plan(without).with_k(k)
        ways = self._list_further_ways(plan)
        while True:
            try:
                return self._write(method, plan, target, judge)
            except _RefusedError as refused:
                disclosed = _find_disclosed(refused.verdict, plan)
                if disclosed - without and not refused.verdict.exceeded:
                    without |= disclosed
                    plan = self.plan(without, is_linked=plan.is_linked).with_k(plan.k)
                    continue
                larger = next(ways, None) if refused.needs_larger_classes else None
                if larger is None:
                    raise refused.error from None
                plan = self.plan(without, is_linked=larger.is_linked).with_k(larger.k)

    def _summarize(self) -> Maker:
        """Return what makes releases of one row a person."""
        if not self.study.has_histories:
            raise NotReachedError(
                "advice.one_record_each", source=self.study.source, policy=self.order.policy
            )
        order = dataclasses.replace(self.order, resources=self.order.resources.for_part(5))
        study = study_original(order, self.parts, summarized=True)
        return dataclasses.replace(self, study=study, original=self.study)

    def plan(self, without: set[str], *, is_linked: bool = True) -> Publication:
        """Plan what is published of each column.

        Args:
            without: Columns to leave out.
            is_linked: Whether to publish the user column, where whole histories can be alike.
        """
        order, study = self.order, self.study
        asked = (study.assessed, study.roles, order.against, study.sensitive, without, order.k)
        plan = plan_publication(*asked, is_linked=is_linked and order.drop is None)
        if plan.is_linked and not study.varying.isdisjoint(plan.quasi_identifiers):
            plan = plan_publication(*asked, is_linked=False)  # hardly two whole histories stay alike
        return dataclasses.replace(plan, summary=study.summary)

    def _list_further_ways(self, plan: Publication) -> Iterator[Publication]:
        """Yield what else to try for histories: larger classes, or no link.

        Larger classes hide a few known records. They hide no whole history, which only counts if the policy
        limits it.
        """
        if not (plan.has_histories and plan.is_linked):
            return
        if self.order.against.limit_of("unique_histories") is None:
            yield from (plan.with_k(k) for k in CLASS_SIZES if plan.k < k <= self.study.roles.users)
        yield self.plan(set(), is_linked=False).with_k(plan.k)

    def _write(self, method: str, plan: Publication, target: Target, judge: Judge) -> Release:
        order = self.order
        steps = tuple(plan.list_steps(method, order.wishes))
        if plan.forbidding:
            raise NotReachedError(
                "advice.kept_column_identifies", column=plan.forbidding[0], policy=order.policy
            )
        if not plan.published:
            raise _refuse_undecided(order, self.study.assessed.verdict)
        if plan.k > (people := self.study.roles.users):
            raise NotReachedError(
                "advice.too_few_people",
                source=self.study.source,
                records=self.study.chosen,
                policy=order.policy,
                people=people,
                k=plan.k,
            )

        parts = Steps(self.parts)
        parts.plan("anonymization", "judged")

        def check(file: Path, release: Release) -> Release:
            parts.begin("judged")
            self._check_left(plan, release)
            made = tomllib.loads(release.recipe)
            applied = recipe.parse_recipe(made, target.path.parent)
            kept = dataclasses.replace(self, parts=parts)._judge(file, target, plan, applied, release)
            if kept.detail.detail_left < order.wishes.least_detail:
                raise NotReachedError(
                    "advice.too_little_detail",
                    policy=order.policy,
                    detail=format_share(kept.detail.detail_left),
                    least=format_share(order.wishes.least_detail),
                    others=self._describe_others(plan),
                )
            notes = (*release.notes, *_list_notes(self.study, plan))
            return judge(dataclasses.replace(release, policy=kept, notes=notes))

        user, folds = self.study.roles.user, self.study.roles.overrides.fold_keys
        folded = user.name if folds and user is not None and user.type == "VARCHAR" else None
        treatment = dataclasses.replace(order.treatment, steps=steps, fold_keys=folded)
        target = dataclasses.replace(target, lists_records=_needs_people(self.study, plan))
        return anonymize(
            *(order.request, treatment, target, order.resources.for_part(2), parts),
            check=check,
            file_settings=order.file_settings,
            against=order.against,
        )

    def _check_left(self, plan: Publication, release: Release) -> None:
        """Refuse a release that says nothing any more, or lacks a column to keep."""
        order = self.order
        gone = {step.column for step in release.steps if step.dropped}
        if lost := [name for name in plan.kept if name in gone]:
            raise NotReachedError("advice.kept_column_forbids", column=lost[0], policy=order.policy)
        lost_all = gone.issuperset(plan.quasi_identifiers)
        gcp = next((step.gcp for step in release.steps if step.gcp is not None), 0.0)
        if plan.quasi_identifiers and (lost_all or gcp > 1 - 1e-9):
            raise NotReachedError("advice.nothing_left", source=self.study.source, policy=order.policy)

    def _judge(
        self, file: Path, target: Target, plan: Publication, applied: Treatment, release: Release
    ) -> PolicyKept:
        """Judge the file that was written, read anew with the roles of the original.

        If it has no user column, the original says whose its records are.

        Raises:
            _RefusedError: It does not keep the policy, or that is undecided.
        """
        order, study = self.order, self.study
        form = target.path.suffix.lower()
        path = file.with_name(f"written{form}")
        try:
            os.link(file, path)
        except OSError:  # not every disk gives a file a second name
            shutil.copyfile(file, path)
        written = Request(path, header=True if form == ".csv" else None)
        with Session(order.resources.for_part(3), self.parts) as session:
            session.steps.plan("source", "identifiers", "attribute", "uniqueness")
            session.renamed_files[path] = target.logged_as or target.path
            people = None
            if _needs_people(study, plan):
                assert study.roles.user is not None
                numbers = output.get_numbers_path(file)
                session.renamed_files[numbers] = output.name_numbers(target)
                requests = [(VIEW, order.request), (_WRITTEN, written), (_NUMBERS, Request(numbers))]
                original, opened, _ = open_sources(session, requests, with_digest=False)
                align_text_columns([original, opened], [])
                people, relation = "people_of_release", Sql(f"temp.main.{_WRITTEN}")
                folds = bool(study.roles.overrides.fold_keys)
                matching = Matching(applied, is_aligned=True, numbers=Sql(f"temp.main.{_NUMBERS}"))
                create_people_table(
                    *(session, original, study.roles.user, opened, relation, matching, people), folds=folds
                )
                opened.use_view(VIEW)
            else:
                opened = open_source(session, written)
            opened.pseudonymized_columns = frozenset(
                step.options["column"] for step in applied.steps if step.method == "pseudonymize"
            )
            read, _ = infer_release_roles(session, study.roles, opened, order.tokens, people)
            levels = identifiability.Options(missing_tokens=order.tokens)
            assessed = assessment.assess_for_policy(session, opened, read, levels, order.against)
        self._check_verdict(assessed.verdict)
        together = assessed.uniqueness.all_attributes if assessed.uniqueness is not None else None
        uniqueness = (self.original or study).assessed.uniqueness
        before = uniqueness.all_attributes if uniqueness is not None else None
        assert together is not None  # else nothing would be decided
        return PolicyKept(
            rows_before=study.roles.records,
            people_before=study.assessed.source.users,
            singled_out_before=before.people if before is not None else 0,
            people=assessed.source.users,
            singled_out=together.people,
            smallest_class=together.smallest_class,
            detail=plan.measure_detail(release.steps, study.roles.records, release.released),
            verdict=assessed.verdict,
        )

    def _check_verdict(self, verdict: Verdict) -> None:
        if verdict.exceeded:
            limits = ", ".join(limit.name for limit in verdict.exceeded)
            error = NotReachedError("advice.policy_not_kept", policy=self.order.policy, limits=limits)
            names = join_texts([Sentence(f"verdict.{limit.name}") for limit in verdict.exceeded])
            error.because = Sentence("advice.why.exceeded", limits=names)
            raise _RefusedError(verdict, error)
        if not verdict.is_kept:
            raise _RefusedError(verdict, _refuse_undecided(self.order, verdict))


def _needs_people(study: Study, plan: Publication) -> bool:
    """Return whether only the original says whose the records of a release are."""
    return plan.has_histories and not plan.is_linked and study.roles.most_records > 1


def _refuse_undecided(order: Order, verdict: Verdict) -> NotReachedError:
    because = verdict.undecided_because[0]
    error = NotReachedError("advice.policy_undecided", policy=order.policy, reason=in_english(because))
    error.because = because
    return error


def _find_disclosed(verdict: Verdict, plan: Publication) -> set[str]:
    """Find columns of the original that look sensitive to an undecided verdict."""
    reasons = verdict.undecided_because
    if not all(reason.key == "policy.unsettled.sensitive" for reason in reasons):
        return set()
    split = {form.format(name=name): name for name in plan.quasi_identifiers for form in BOUND_NAMES}
    names = {str(reason.values["column"]) for reason in reasons}
    return {name if name in plan.published else split.get(name, name) for name in names}


def _list_notes(study: Study, plan: Publication) -> list[Sentence]:
    """List what a reader of the release has to know of columns that it lacks."""
    notes = [Sentence("advice.one_row_each")] if plan.summary is not None else []
    names = [name for name in plan.dropped if name in study.sensitive]
    if names:
        notes.append(
            Sentence("advice.left_out_sensitive", names=quote_names(names), count=format_number(len(names)))
        )
    if plan.hopeless:
        count = format_number(len(plan.hopeless))
        notes.append(Sentence("advice.left_out_hopeless", names=quote_names(plan.hopeless), count=count))
    if plan.has_histories and not plan.is_linked and plan.user is not None:
        notes.append(Sentence("advice.left_out_user", names=quote_names([plan.user])))
    return notes
