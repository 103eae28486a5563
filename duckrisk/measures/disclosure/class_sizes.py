"""Equivalence classes: their sizes, and the risks that follow from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_number
from duckrisk.measures.disclosure.choice import Chosen, list_quasi_identifiers
from duckrisk.measures.disclosure.classes import Classes, People
from duckrisk.measures.disclosure.results import (
    Band,
    BelowSize,
    Calibration,
    ClassSizes,
    HouseholdRisk,
    IndividualRisk,
    JournalistRisk,
    PopulationUniqueness,
    QuasiIdentifier,
    SizesByRule,
    Unit,
)
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Column, Source
from duckrisk.source.model import find_column

#: The view of the population, if one is opened together with the records.
POPULATION = "population"
#: Minimum class sizes of the curve of lost records.
_CURVE_SIZES = (*range(2, 21), 25, 30, 50, 100, 200, 500, 1000)
#: Smallest class size of each band of the distribution.
_BAND_STARTS = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)
#: Shares of the table that samples are, which a calibration estimates from (a choice: from few to a fifth).
_SAMPLES = (0.01, 0.05, 0.1, 0.2)
#: Samples of each (a choice: the fewest that have a spread; each takes a third of a CPU second).
_DRAWS = 3
#: Records times draws at most (measured: half a CPU second for as many).
_MOST_DRAWN = 6_000_000


def measure(
    session: Session,
    source: Source,
    roles: Roles,
    options: Options,
    *,
    show_values: bool = False,
    population: Source | None = None,
) -> tuple[ClassSizes, list[Sentence]]:
    """Measure class sizes, and the risks that follow from them.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The quasi-identifiers, the rule for missing values, and the population.
        show_values: Not used: no figure holds a value.
        population: The second table, opened as the view :data:`POPULATION`.

    Returns:
        The class sizes, and notes.

    Raises:
        UsageError: There is no quasi-identifier, or a named column does not fit.
    """
    if options.population is not None and population is None:
        raise ValueError("open the population together with the records")
    weight = _find_number_column(source, options.weight, "weight")
    household = source.column(options.household) if options.household is not None else None
    aside = {column.position for column in (weight, household) if column is not None}
    chosen = [
        choice
        for choice in list_quasi_identifiers(source, roles, options)
        if options.quasi_identifiers or choice.column.position not in aside
    ]
    if not chosen:
        raise UsageError("disclosure.no_quasi_identifier")
    people = _match_population(chosen, population, options)
    weights = weight.binding if weight is not None else None
    counted = roles.count.binding if roles.count is not None else None
    classes = Classes(session, chosen, weights, people, options.missing_tokens, counted=counted)
    asks = weight is not None or household is not None or people is not None or options.has_all_rules
    classes.count(roles.rows if counted is not None else roles.records, keep=asks)
    notes: list[Sentence] = []
    if classes.kept and not classes.match_missing():
        notes.append(Sentence("disclosure.note.sizes_patterns"))
    chosen_rule = options.missing if options.missing in classes.rules else "value"
    risks = _ClassRisks(session, classes, options, chosen_rule)
    section = ClassSizes(
        quasi_identifiers=tuple(QuasiIdentifier(choice.column.name, choice.reason) for choice in chosen),
        missing=chosen_rule,
        missing_cells=classes.cells["cells"],
        incomplete_records=classes.cells["incomplete"],
        rules=tuple(risks.measure_sizes(rule, "record") for rule in MISSING if rule in classes.rules),
        users=None,
        population_uniqueness=risks.measure_uniqueness(),
        journalist=risks.measure_journalist(),
        individual=risks.measure_individual(),
        household=risks.measure_household(household.binding) if household is not None else None,
    )
    if roles.user is not None and roles.users < roles.records:
        done = risks.count_users(roles.user.binding)
        users = tuple(risks.measure_sizes(rule, "user") for rule in MISSING if rule in done)
        section = replace(section, users=users)
        if chosen_rule not in done:
            notes.append(Sentence("disclosure.note.sizes_users"))
    if not classes.kept and classes.cells["incomplete"]:
        notes.append(Sentence("disclosure.note.sizes_unasked"))
    return section, notes


class _ClassRisks:
    """Measures risks of counted classes, each by a template."""

    def __init__(self, session: Session, classes: Classes, options: Options, rule: Rule) -> None:
        self.session, self.classes, self.options, self.rule = session, classes, options, rule
        self.size_source: Literal["weight", "fraction"] | None = None

    def _render_frequencies(self, rule: str, unit: str, fraction: float | None = None) -> Sql:
        return render(
            "class_frequencies_of", missing=self.classes.find_rule(rule), unit=unit, fraction=fraction
        )

    def _count_below(
        self, sizes: Sql, column: str = "class_size", thresholds: tuple[int, ...] = ()
    ) -> tuple[BelowSize, ...]:
        wanted = sorted(set(thresholds or self.options.class_sizes))
        rows = self.session.run("class_thresholds", sizes=sizes, column=column, thresholds=wanted)
        return tuple(BelowSize(row["threshold"], row["records"], row["share"]) for row in rows)

    def measure_sizes(self, rule: Rule, unit: Unit) -> SizesByRule:
        """Measure k, the distribution, the curve, and prosecutor and marketer risk.

        Args:
            rule: The rule for missing values.
            unit: Whether classes of records or of users are measured.
        """
        sizes = self._render_frequencies(rule, unit)
        bands = self.session.run("class_bands", sizes=sizes, bounds=list(_BAND_STARTS))
        return SizesByRule(
            missing=rule,
            unit=unit,
            **self.session.fetch_row("reidentification_risk", sizes=sizes),
            below=self._count_below(sizes),
            lost=self._count_below(sizes, thresholds=_CURVE_SIZES),
            distribution=tuple(Band(**row) for row in bands),
        )

    def count_users(self, user: str) -> list[Rule]:
        """Count the classes of users with the same profile.

        Args:
            user: Binding of the user column.

        Returns:
            The rules for missing values by which they were counted.
        """
        done: list[Rule] = []
        for rule in self.classes.match_users(user):
            fitted, wildcard = rule != "value", rule == "wildcard"
            self.session.run("class_user_counts", missing=rule, fitted=fitted, wildcard=wildcard)
            done.append(rule)
        return done if self.classes.numbered else self.classes.rules

    def measure_uniqueness(self) -> PopulationUniqueness | None:
        """Estimate population uniqueness; the models need classes that do not overlap."""
        fraction = self.options.fraction
        if fraction is None:
            return None
        sizes = self._render_frequencies("value", "record")
        row = self.session.fetch_row("population_uniqueness", sizes=sizes, fraction=fraction)
        calibration: tuple[Calibration, ...] = ()
        ends: dict[str, Any] = {"kappa_lower": row["kappa"] if fraction == 1 else None}
        ends["kappa_upper"] = ends["kappa_lower"]
        if row["kappa"] and fraction < 1 and row["records"] <= _MOST_DRAWN:
            truth = self.session.fetch_row("reidentification_risk", sizes=sizes)["average_risk"]
            calibration = self._calibrate(sizes, row["records"], truth)
            found = self.session.run(
                "calibrated_interval", fraction=fraction, truth=truth, kappa=row["kappa"]
            )
            ends = found[0] if found else ends
        return PopulationUniqueness(fraction=fraction, **row, **ends, calibration=calibration)

    def _calibrate(self, sizes: Sql, records: int, truth: float) -> tuple[Calibration, ...]:
        """Estimate from samples of the table what is known of all of it."""
        run = self.session.run
        draws = max(1, min(_DRAWS, _MOST_DRAWN // records))
        seed = self.options.seed
        run("drawn_sizes", sizes=sizes, fractions=list(_SAMPLES), draws=draws, seed=seed)
        run("estimated_shares")
        for sample in run("drawn_samples", records=records):
            place = {"draw": sample["draw"], "fraction": sample["fraction"]}
            estimate = _render_subquery(
                "population_uniqueness", sizes=render("drawn_sizes_of", **place), fraction=sample["share"]
            )
            run("book_estimate", estimate=estimate, **place)
        return tuple(Calibration(**row) for row in run("calibration", truth=truth))

    def measure_journalist(self) -> JournalistRisk | None:
        """Measure the risk among a population: a second table, or a sampling fraction."""
        fraction = self.options.fraction
        if self.classes.people is not None:
            pairs = render("class_pairs", missing=self.classes.find_rule(self.rule), size="people")
            row = self.session.fetch_row("journalist_risk", sizes=pairs)
            row["people"] = self.classes.cells["people"]  # overlapping classes count people several times
            return JournalistRisk(by="population", **row, below=self._count_below(pairs, "population_size"))
        if fraction is None:
            return None
        pairs = self._render_frequencies(self.rule, "record", fraction)
        row = self.session.fetch_row("journalist_risk", sizes=pairs)
        # A fraction reveals nothing about classes without a record.
        row |= {"delta_min": None, "delta_max": None, "people": row["records"] / fraction}
        return JournalistRisk(by="fraction", **row, below=self._count_below(pairs, "population_size"))

    def _keep_risks(self) -> Literal["weight", "fraction"]:
        """Make the table ``class_risks`` once; return where population sizes come from."""
        if self.size_source is None:
            if self.classes.weight is not None:
                pairs = render("class_pairs", missing=self.classes.find_rule(self.rule), size="weight")
                self.size_source = "weight"
            else:
                pairs = self._render_frequencies(self.rule, "record", self.options.fraction or 1.0)
                self.size_source = "fraction"
            self.session.run("class_risks", risks=_render_subquery("individual_risk", sizes=pairs))
        return self.size_source

    def measure_individual(self) -> IndividualRisk | None:
        """Measure Benedetti and Franconi's risk, if weights or a fraction are given."""
        if self.classes.weight is None and self.options.fraction is None:
            return None
        by = self._keep_risks()
        unweighted = self.classes.cells["unweighted"] if by == "weight" else None
        row = self.session.fetch_row("individual_totals")
        return IndividualRisk(by=by, **row, unweighted_records=unweighted)

    def measure_household(self, column: str) -> HouseholdRisk:
        """Measure the risk of households.

        It follows from the individual risks, or from 1 / size without weights.

        Args:
            column: Binding of the column with the household's number.
        """
        by = self._keep_risks()
        members = render(
            "household_members",
            source=VIEW,
            household=column,
            attributes=self.classes.attributes,
            missing=self.classes.find_rule(self.rule),
            size="weight" if by == "weight" else None,
        )
        row = self.session.fetch_row("household_risk", source=members, household="household", risk="risk")
        return HouseholdRisk(by=by, **row)


def _render_subquery(name: str, **arguments: Any) -> Sql:
    """Render a metric as a relation."""
    return render("queried", query=render(name, **arguments), names=[], sources=[])


def _find_number_column(source: Source, name: str | None, setting: str) -> Column | None:
    if name is None:
        return None
    return _require_numbers(source.column(name), setting)


def _require_numbers(column: Column, setting: str) -> Column:
    if not is_number(column.type):
        raise UsageError("disclosure.column_not_numeric", setting=setting, column=column.name)
    return column


def _match_population(chosen: list[Chosen], population: Source | None, options: Options) -> People | None:
    """Match the quasi-identifiers with columns of the population, by name.

    Raises:
        UsageError: A column is missing, or has values of another type.
    """
    if population is None:
        return None
    theirs = []
    for choice in chosen:
        column = _find_population_column(population, choice.column.name)
        numbers = is_number(column.type) and is_number(choice.column.type)
        if column.type != choice.column.type and not numbers:
            raise UsageError(
                "disclosure.population_type_differs",
                column=choice.column.name,
                column_type=choice.column.type,
                column_type_2=column.type,
            )
        theirs.append(column.binding)
    count = None
    if options.population_count is not None:
        column = _find_population_column(population, options.population_count)
        count = _require_numbers(column, "population_count").binding
    return People(POPULATION, tuple(theirs), count)


def _find_population_column(population: Source, name: str) -> Column:
    """Find a column of the population by name."""
    column = find_column(population.columns, name)
    if column is None:
        hint = suggest_names(name, [column.name for column in population.columns])
        raise UsageError(
            "disclosure.population_column_missing", population=population.name, name=name, hint=hint
        )
    return column
