"""Compare releases of a table with the original: remaining risk, and what it cost."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.numbers import format_number as written
from duckrisk.base.options.comparison import PARTS, Options
from duckrisk.base.results import Environment
from duckrisk.base.sentences import Data, Sentence, list_names
from duckrisk.decision.assessment import Settings
from duckrisk.decision.assessment.release_roles import find_lost_user, infer_release_roles
from duckrisk.decision.notices import list_notices
from duckrisk.engine.session import ASSESSED, Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql
from duckrisk.measures import identifiability, sequence
from duckrisk.measures.detail import ComparedColumn, Detail, sum_penalties
from duckrisk.release.anonymization.people_behind import Matching, create_people_table
from duckrisk.release.comparison import distributions, linkage, recommendation, results, risk, utility
from duckrisk.release.comparison.coverage import MAX_ATTRIBUTES, Coverage, Leaves
from duckrisk.release.comparison.distances import Distances
from duckrisk.release.comparison.one_row_each import find_summary, summarize_original
from duckrisk.release.comparison.prediction import Predictor, check_installed
from duckrisk.release.comparison.recoded import list_class_means, read_recoded_columns
from duckrisk.release.comparison.results import (
    Classes,
    ComparedTable,
    Comparison,
    Information,
    Risk,
    Utility,
)
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Column, Request, Source, open_sources
from duckrisk.source.hierarchies import Definition, load_hierarchies
from duckrisk.source.long_values import digest_heavy_texts, share_digests
from duckrisk.source.matching import align_text_columns, distinguish_names, find_bounds, match_columns
from duckrisk.source.recipes import locate_recipe

__all__ = ["PARTS", "Options", "run"]


@dataclass
class _Table:
    """A table of a comparison, with its columns by their names in the original.

    What the values of ``means`` cover is unknown.
    """

    request: Request
    source: Source
    relation: Sql
    records: int
    columns: dict[str, str]
    means: tuple[str, ...] = ()


def run(
    original: Request,
    releases: Sequence[Request],
    settings: Settings,
    options: Options,
    resources: Resources,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Compare releases with the original, each judged by the policy of the settings.

    Args:
        original: How to open the original.
        releases: How to open each release.
        settings: The settings of the assessments.
        options: What to compare, and how records correspond.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.

    Raises:
        DuckriskError: A table cannot be read, or the options do not fit it (:mod:`duckrisk.base.errors`).
    """
    options.check()
    settings.measures.check()
    settings.policy.check()
    identifiability.check_options(settings.identifiability)
    if not releases:
        raise UsageError("comparison.release_missing")
    if options.predict is not None:
        check_installed()
    hierarchies = _load_hierarchies(options, releases)
    with Session(resources, progress) as session:
        session.steps.plan("source", "roles", "losses", *(["risk"] if "risk" in options.only else []))
        labelled = {name for one in hierarchies for name in one}
        run = _ComparisonRun(session, [original, *releases], settings, options, labelled)
        session.steps.begin("losses")
        # The original takes half the time: it loses nothing, so no distance is measured.
        weights = [0.5, *[1.0] * len(releases)]
        numbers = session.steps.track(range(len(run.tables)), weights=weights)
        tables = [run.measure_table(format_number, hierarchies[format_number]) for format_number in numbers]
        session.steps.begin("risk")
        if "risk" in options.only:  # last, as each table in turn becomes the assessed view
            tables = [replace(table, risk=r) for table, r in zip(tables, run.measure_risks(), strict=True)]
        engine = session.engine_version
    asked = results.Settings(
        options.k,
        options.aligned,
        options.key,
        run.item,
        tuple(name for name in PARTS if name in run.options.only),
        os.path.basename(options.hierarchies) if options.hierarchies else None,
        run.target,
        settings.show_values,
        options.seed,
        settings.config,
    )
    first = run.tables[0]
    against = settings.policy if "risk" in options.only else None
    return Comparison(
        attributes=tuple(attribute.name for attribute in run.attributes),
        quasi_identifiers=tuple(run.quasi_identifiers),
        tables=tuple(tables),
        notes=(*run.notes, *next((own for table in run.tables if (own := table.source.timezone_notes)), ())),
        settings=asked,
        environment=Environment(duckrisk.__version__, engine),
        notices=list_notices(
            settings.file_settings, first.request, first.source.unfiltered_records, first.records, against
        ),
        statements=tuple(session.log),
    )


def _load_hierarchies(options: Options, releases: Sequence[Request]) -> list[dict[str, Definition]]:
    """Load the hierarchies of the original (none) and of each release.

    These are the given ones, else those of the release's recipe, else those of the settings file.
    """
    if options.hierarchies is not None:
        return [{}, *([load_hierarchies(Path(options.hierarchies))] * len(releases))]
    settled = (
        load_hierarchies(Path(options.settled_hierarchies), False) if options.settled_hierarchies else {}
    )
    hierarchies: list[dict[str, Definition]] = [{}]
    for request in releases:
        recipe = locate_recipe(request)
        hierarchies.append((load_hierarchies(recipe, False) if recipe is not None else {}) or settled)
    return hierarchies


#: Parts that compare each attribute together with all others.
_PARTS_BY_ATTRIBUTE = ("information", "utility", "linkage")


class _ComparisonRun:
    """Measures all tables in one session."""

    def __init__(
        self,
        session: Session,
        requests: Sequence[Request],
        settings: Settings,
        options: Options,
        labelled: Set[str] = frozenset(),
    ) -> None:
        self.session, self.settings, self.options = session, settings, options
        self.notes: tuple[Sentence, ...] = ()
        views = [VIEW, *(f"release_{number}" for number in range(1, len(requests)))]
        earlier = sequence.Earlier.of(settings.earlier)
        opened = [*zip(views, requests, strict=True), *earlier.list_views()]
        every = open_sources(session, opened, with_digest=False)
        sources, self._earlier = every[: len(views)], every[len(views) :]
        distinguish_names(sources, requests)
        align_text_columns(sources, [name for name in (options.key, options.item) if name is not None])
        if earlier.releases:
            sequence.align_releases(sources[0], earlier.select_opened(self._earlier), settings.overrides)
        session.steps.begin("roles")
        tokens = settings.identifiability.missing_tokens
        summary = find_summary(requests[1:])
        if summary is not None and summary.fold_keys is not None:
            sources[0].form_person_key([summary.fold_keys], fold=True)
        self.roles: Roles = roles.infer(session, sources[0], settings.overrides, tokens=tokens)
        if summary is not None:
            summarize_original(session, sources[0], summary)
            self.roles, _ = infer_release_roles(session, self.roles, sources[0], tokens)
            self.notes = (Sentence("compare.one_row_each"),)
        share_digests(session, sources[0], list(zip(views[1:], sources[1:], strict=True)))
        self.attributes = self._list_attributes(sources[0])
        self.tables: list[_Table] = []
        for view, request, source in zip(views, requests, sources, strict=True):
            relation = Sql(f"temp.main.{view}") if view != VIEW else ASSESSED
            records = session.fetch_row("count_records", source=relation)["records"]
            if records == 0:
                raise UsageError("comparison.empty_release", source=source.name)
            columns = match_columns(sources[0], source)
            if bounds := find_bounds(sources[0], source):
                relation = self._read_bounds(relation, f"{view}_bounds", list(bounds.values()))
                columns |= {name: f"between_{number}" for number, name in enumerate(bounds)}
            means: tuple[str, ...] = ()
            if view != VIEW:
                both = (sources[0], ASSESSED), (source, relation)
                means = list_class_means(session, *both, request, columns)
                named = (sources[0], source, request, relation, columns, f"{view}_recoded")
                relation = read_recoded_columns(session, *named)
            self.tables.append(_Table(request, source, relation, records, columns, means))
        self._note_means()
        self.quasi_identifiers = self._list_quasi_identifiers(sources[0])
        self._digested = sources[0].digest_positions
        # The values of a hierarchy are compared with its labels, in full.
        names = {*self.quasi_identifiers, *(attribute.name for attribute in self.attributes)} - labelled
        long = [d.column.name for d in self.roles.decisions if d.is_long and d.column.name in names]
        digest_heavy_texts(session, list(zip(views, sources, strict=True)), long)
        self._leaves: tuple[tuple[ComparedColumn, ...], Leaves] | None = None
        self._original: Utility | None = None
        self._keys = self._match_records() if options.is_matched else None
        self._target = self._find_target(sources[0])
        self._predictor: Predictor | None = None
        self._item_columns: tuple[str, str] | None = None
        if options.item is not None:
            self._item_columns = recommendation.find_item_columns(sources[0], self.roles, options.item)

    def _note_means(self) -> None:
        """Note the releases whose means cover unknown values."""
        if set(_PARTS_BY_ATTRIBUTE).isdisjoint(self.options.only):
            return
        unknown = [table for table in self.tables if table.means]
        self.notes += tuple(
            Sentence("compare.means", release=Data(table.source.name), columns=list_names(table.means))
            for table in unknown
        )

    def _read_bounds(self, relation: Sql, view: str, bounds: Sequence[tuple[Column, Column]]) -> Sql:
        """Return a release with a column of intervals for each pair of bounds."""
        self.session.run(
            "bounded_values",
            source=relation,
            low=[low.binding for low, _ in bounds],
            high=[high.binding for _, high in bounds],
            table=view,
        )
        return Sql(f"temp.main.{view}")

    def _list_attributes(self, original: Source) -> list[ComparedColumn]:
        """List the columns that an attacker may know, in their order."""
        chosen = roles.known_columns(self.roles)
        if not chosen:
            raise UsageError("comparison.no_attributes", original=original.name)
        if len(chosen) > MAX_ATTRIBUTES and not set(_PARTS_BY_ATTRIBUTE).isdisjoint(self.options.only):
            self._skip_parts(len(chosen))
        return [
            ComparedColumn.of(number, decision, original.formats) for number, decision in enumerate(chosen)
        ]

    def _skip_parts(self, count: int) -> None:
        """Skip the parts that cannot be measured with too many attributes.

        Raises:
            UsageError: Parts were requested by name.
        """
        if self.options.only != PARTS:
            raise UsageError(
                "comparison.too_many_attributes",
                most_attributes=MAX_ATTRIBUTES,
                count=count,
            )
        rest = tuple(part for part in PARTS if part not in _PARTS_BY_ATTRIBUTE)
        self.options = replace(self.options, only=rest)
        self.notes += (Sentence("compare.too_many", most=str(MAX_ATTRIBUTES), count=written(count)),)

    def _list_quasi_identifiers(self, original: Source) -> list[str]:
        if not self.options.quasi_identifiers:
            return [attribute.name for attribute in self.attributes]
        return list(dict.fromkeys(original.column(n).name for n in self.options.quasi_identifiers))

    def _find_target(self, original: Source) -> ComparedColumn | None:
        """Find the column that models predict; None if nobody asked for models.

        Raises:
            UsageError: The column is not compared.
        """
        if self.options.predict is None or "utility" not in self.options.only:
            return None
        name = original.column(self.options.predict).name
        target = next((attribute for attribute in self.attributes if attribute.name == name), None)
        if target is None:
            raise UsageError("comparison.target_is_no_attribute", name=name)
        return target

    def _match_records(self) -> list[tuple[str | None, str | None]]:
        """Return the keys of the original and of each table; None for the order of rows.

        Raises:
            UsageError: The records do not correspond.
        """
        first = self.tables[0]
        name = ""
        if self.options.key is not None:
            name = first.source.column(self.options.key).name
            for table in self.tables:
                if name not in table.columns:
                    raise UsageError("comparison.key_column_missing", source=table.source.name, name=name)
        pairs: list[tuple[str | None, str | None]] = []
        for table in self.tables:
            if self.options.key is None:
                if table.records != first.records:
                    raise UsageError(
                        "comparison.record_counts_differ",
                        source=table.source.name,
                        table_records=table.records,
                        first_records=first.records,
                    )
                pairs.append((None, None))
                continue
            pair = (first.columns[name], table.columns[name])
            row = self.session.fetch_row(
                "matched_keys",
                original=first.relation,
                original_key=pair[0],
                release=table.relation,
                release_key=pair[1],
            )
            if max(row["original_most"], row["release_most"]) > 1:
                raise UsageError("comparison.key_not_unique", name=name, source=table.source.name)
            if row["common"] == 0:
                raise UsageError("comparison.keys_without_match", source=table.source.name)
            pairs.append(pair)
        return pairs

    @property
    def target(self) -> str | None:
        """Name of the column that models predict; None without one."""
        return self._target.name if self._target is not None else None

    @property
    def item(self) -> str | None:
        """Name of the column of items in the original; None without one."""
        return self._item_columns[1] if self._item_columns is not None else None

    # --- one table -----------------------------------------------------------------------------

    def measure_table(self, number: int, hierarchies: dict[str, Definition]) -> ComparedTable:
        """Measure one table, except for its risk.

        Args:
            number: Number of the table; 0 is the original.
            hierarchies: Hierarchies of its columns, by name.
        """
        table, options = self.tables[number], self.options
        if table.means:
            only = tuple(part for part in options.only if part not in _PARTS_BY_ATTRIBUTE)
            options = replace(options, only=only)
        classes = self.session.fetch_row(
            "equivalence_classes",
            source=table.relation,
            columns=[table.columns[name] for name in self.quasi_identifiers if name in table.columns],
            k=options.k,
        )
        keys = self._keys[number] if self._keys is not None else None
        linked = "linkage" in options.only and keys is not None and number > 0
        coverage = None
        if {"information", "utility"} & set(options.only) or linked:
            coverage = self._make_coverage(number, hierarchies)
        information = utilities = links = recommended = None
        distances = Distances(coverage) if coverage is not None else None
        if distances is not None and "information" in options.only:
            information = self._measure_information(distances, keys)
        if distances is not None and "utility" in options.only:
            utilities = utility.measure(distances, number, self._original)
            self._original = self._original or utilities
            utilities = self._add_readers_view(utilities, distances.coverage, number)
        if coverage is not None and keys is not None and linked:
            links = linkage.measure(coverage, keys, options.seed)
        if "recommendation" in options.only and self._item_columns is not None and number > 0:
            tables = [(side.relation, side.columns) for side in (self.tables[0], table)]
            recommended = recommendation.measure(self.session, self._item_columns, tables)
        return ComparedTable(
            name=table.source.name,
            original=number == 0,
            records=table.records,
            missing_attributes=tuple(a.name for a in self.attributes if a.name not in table.columns),
            notes=tuple(table.source.notes),
            classes=Classes(**classes),
            risk=None,
            information=information,
            utility=utilities,
            linkage=links,
            recommendation=recommended,
        )

    def _add_readers_view(self, measured: Utility, coverage: Coverage, number: int) -> Utility:
        """Add the models that learn from a table, and its distributions."""
        if number > 0:
            shown = distributions.measure(coverage, with_values=self.settings.show_values)
            measured = replace(measured, distributions=shown)
        if self._target is None:
            return measured
        key = self._keys[number][min(number, 1)] if self._keys is not None else None
        if self._predictor is None:
            self._predictor = Predictor(self._target, coverage, key)
        predicted = self._predictor.measure(
            coverage, key, is_original=number == 0, corresponding=self._keys is not None
        )
        return replace(measured, prediction=predicted)

    def measure_risks(self) -> list[Risk]:
        """Measure the risk of each table, the original first; nothing else can follow."""
        if self._leaves is not None:
            self._leaves[1].drop_tables()
        self.tables[0].source.use_digests(self._digested)
        people = [self._list_people(number) for number in range(len(self.tables))]
        sources = self.session.steps.track([table.source for table in self.tables])
        original, levels = risk.measure_original(self.session, next(sources), self.roles, self.settings)
        return [
            original,
            *(
                risk.measure_release(
                    self.session, table, self.roles, levels, self.settings, behind, self._earlier
                )
                for table, behind in zip(sources, people[1:], strict=True)
            ),
        ]

    def _list_people(self, number: int) -> str | Sentence | None:
        """List the people behind the records of a release without a user column.

        Returns:
            Name of the table of the people, a text if they are unknown, or None if the release needs none.
        """
        table, user = self.tables[number], self.roles.user
        if number == 0 or user is None or find_lost_user(self.roles, table.source) is None:
            return None
        original, release = self._keys[number] if self._keys is not None else (None, None)
        given: dict[str, Any] = {"is_aligned": self.options.aligned}
        if original is not None and release is not None:
            given["key"] = (original, release)
        try:
            is_given = self.options.is_matched
            matching = Matching(**given) if is_given else Matching.by_recipe(table.request)
            name = f"people_{number}"
            source = self.tables[0].source
            create_people_table(self.session, source, user, table.source, table.relation, matching, name)
        except UsageError as error:
            return Sentence("compare.people_unknown", why=Data(str(error)))
        return name

    def _make_coverage(self, number: int, hierarchies: dict[str, Definition]) -> Coverage:
        table, original = self.tables[number], self.tables[0]
        attributes = tuple(self._add_hierarchy(attribute, hierarchies) for attribute in self.attributes)
        if self._leaves is None or self._leaves[0] != attributes:
            self._leaves = attributes, Leaves(self.session, original.relation, attributes, original.records)
        bindings = {a.number: table.columns[a.name] for a in attributes if a.name in table.columns}
        types = {column.name: column.type for column in original.source.columns}
        lists = {column.binding for column in table.source.columns if column.type.endswith("[]")}
        listed = {a.number for a in attributes if bindings.get(a.number) in lists}
        listed -= {a.number for a in attributes if types[a.name].endswith("[]")}
        return Coverage(self._leaves[1], table.relation, bindings, table.records, listed)

    def _add_hierarchy(self, attribute: ComparedColumn, hierarchies: dict[str, Definition]) -> ComparedColumn:
        definition = hierarchies.get(attribute.name)
        if definition is None or definition.is_computed:  # intervals, prefixes and moments need no hierarchy
            return attribute
        name = f"hierarchy_{attribute.number}"
        type_name = self.roles.decisions[int(attribute.binding[1:])].column.type
        built = definition.build(
            self.session, self.tables[0].relation, attribute.binding, name, type_name, attribute.name
        )
        return replace(attribute, hierarchy=Sql(f"temp.main.{name}"), height=built.height)

    def _measure_information(
        self, distances: Distances, keys: tuple[str | None, str | None] | None
    ) -> Information:
        coverage = distances.coverage
        cells = {attribute.name: coverage.measure_losses(attribute.number) for attribute in self.attributes}
        penalties = [loss.ncp or 0.0 for loss in cells.values()]
        before = coverage.leaves.records
        penalty = sum_penalties(self.session, penalties, coverage.records, before)
        false = {name: losses for name, losses in cells.items() if losses.false_cells}
        distance = distances.measure_distance()
        exact = distance is not None
        return Information(
            kl=distance.kl if distance else None,
            kl_of_nothing=distance.kl_of_nothing if distance else None,
            information=distance.information if distance else None,
            exact=exact,
            reason=None if exact else "too_much",
            valid=distance.uncovered == 0 if distance else None,
            uncovered_records=distance.uncovered if distance else None,
            false_cells={name: losses.false_cells for name, losses in false.items()},
            false_forms={name: losses.false_form or "" for name, losses in false.items()},
            ncp=penalty["ncp"],
            gcp=penalty["gcp"],
            detail=Detail(len(coverage.bindings), len(cells), penalty["detail_left"]),
            bound=None if exact and keys is None else coverage.measure_bound(keys or (None, None)),
        )
