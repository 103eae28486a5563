"""Run the searches of a report, and collect their results.

The templates under ``sql/identifiability`` do the counting.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from duckrisk.base.options.identifiability import Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Sql, render
from duckrisk.measures.attribute.coarser_forms import list_coarser_forms
from duckrisk.measures.identifiability.attributes import LevelledColumn
from duckrisk.measures.identifiability.by_value import Splits
from duckrisk.measures.identifiability.results import (
    AttributeSet,
    CoarserAttribute,
    Identifiability,
    JoFigures,
    LevelledAttribute,
    MissingMode,
    NotExamined,
    OtherMissingMode,
    RecordsOfEase,
    Scenario,
    Totals,
    Unlevelled,
    UsersOfEase,
    UsersSection,
)
from duckrisk.measures.identifiability.tokens import drop_tokens
from duckrisk.measures.sets.combinations import Combinations, EncodedSource
from duckrisk.measures.sets.dependencies import Dependencies
from duckrisk.measures.sets.easiest import EasiestSets, Walk
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.owners import Owners
from duckrisk.measures.sets.tiers import count_possible
from duckrisk.measures.sets.without import WithoutAttributes
from duckrisk.roles import Roles
from duckrisk.source.long_values import show_in_full

#: Scenarios and sets of a report (a choice: a page of each).
MAX_LISTED = 50
#: Sets that are examined with any number of records (derived: all sets of seven attributes).
_MIN_SETS = 2**7
#: Levels by value that lengthen a search (a choice: half a minute).
_MOST_LEVELS = 8
#: Pairs of a set and a combination; up to here coarser forms are tried by default, which takes about as long
#: as the search itself (a choice: seconds).
_CHEAP_PAIRS = 20_000_000
#: Pairs; coarser forms look at no more on request (a choice: minutes).
_MAX_PAIRS = 5_000_000_000
#: Tables of a search with a row for each combination or person.
_LARGE_TABLES = (
    *("combinations", "persons", "open_persons", "left_persons"),
    *("near_combinations", "projected"),  # where the time ended while they were read
    *("closed", "found", "settled", "users_missing"),
    *("singled", "found_owners", "known_sets", "open_owners"),
)
#: Attributes that are tried in a coarser form (a choice: those with the largest parts matter most).
_MAX_COARSENED = 3


class SearchRun:
    """Runs the searches of one report."""

    #: Pairs of a set and a combination; a search without a limit of its own ends here (a choice: seconds).
    max_pairs = 200_000_000

    def __init__(
        self,
        session: Session,
        roles: Roles,
        options: Options,
        searched: list[LevelledColumn],
        others: list[LevelledColumn],
        codes: dict[Attribute, str] | None = None,
    ) -> None:
        self.session, self.roles, self.options = session, roles, options
        self.searched = searched
        #: The searched attributes make up sets; the others only count in the value of a leak.
        self.all = [*searched, *others]
        #: Names of tables that number the values of attributes.
        self.codes = {} if codes is None else codes
        self.started = time.monotonic()
        self.ignore_missing = options.missing == "none"
        self.splits = Splits(self.all)
        #: Notes on how the searches ended.
        self.notes: list[Sentence] = []

    def make_section(
        self,
        unlevelled: Sequence[Unlevelled],
        show_values: bool,
        records: Path | None,
        with_users: bool = True,
    ) -> Identifiability:
        """Search the records, and the users if they have several, and make the section.

        Args:
            unlevelled: Columns without a level.
            show_values: Whether scenarios show the values of records.
            records: Private file for the table of all records; None for none.
            with_users: Whether to search users as well.
        """
        session, options = self.session, self.options
        with_users = with_users and self._has_users()
        encoding = self._encode(with_owners=with_users and self._has_owners())
        combinations = self._combine(encoding)
        owners = Owners.start(combinations) if encoding.owner is not None else None
        search = self._search(combinations, self.ignore_missing, owners=owners)
        dependencies = combinations.dependencies
        walk, limits = search.walk, search.limits
        totals = self.count_outcomes(combinations, walk)
        complete, has_all_ties = walk.limit is None, _has_all_ties(walk, totals.last_tier)
        scenarios = self._list_scenarios()
        sets = session.run("set_values", base=options.base, max_rows=MAX_LISTED)
        result = Identifiability(
            unit="record",
            records=combinations.records,
            **_list_common_figures(totals, walk),
            singled_out_share=totals.singled_out_share,
            sets_possible=count_possible(len(combinations.levels)),
            ties_complete=has_all_ties,
            missing_mode="none" if self.ignore_missing else "value",
            missing_cells=combinations.missing_cells - self.splits.count_empty(combinations.records),
            other_missing_mode=None,
            currency=options.currency,
            base=options.base,
            sensitivity=totals.sensitivity,
            jo=JoFigures(
                identifiability=totals.jo_identifiability,
                value_per_record=totals.jo_value_per_record,
                social_responsibility=options.social_responsibility,
                post_response=options.post_response,
                total_compensation=totals.total_compensation,
            ),
            distribution=tuple(RecordsOfEase(**row) for row in self._list_distribution()),
            scenarios_listed=Truncation.pop_from(scenarios),
            scenarios=self._make_scenarios(scenarios, show_values),
            sets_listed=Truncation.pop_from(sets),
            sets=tuple(
                AttributeSet(self._list_names(row["mask"]), row["ease"], row["records"], row["value"])
                for row in sets
            ),
            attributes=self._list_attributes(),
            coarser=(),
            coarser_listed=None,
            users=None,
            unleveled=tuple(unlevelled),
        )
        if records is not None:
            session.run("write_records", records=self._render_record_outcomes(), path=str(records))
        unasked = options.what_if is None and options.time_limit is None
        helps = has_all_ties and complete and (options.what_if or (unasked and walk.pairs <= _CHEAP_PAIRS))
        if helps:
            result = self._add_coarser_forms(search, encoding, result)
        # The other rule takes about as many pairs as the first.
        affordable = limits.max_pairs is None or 2 * walk.pairs <= limits.max_pairs
        others = options.compare_missing and not self.splits.parts
        if complete and combinations.missing_cells and others and affordable:
            result = replace(result, other_missing_mode=self._measure_other_mode(combinations))
        if with_users:
            result = replace(result, users=self._measure_users(encoding, owners, combinations, dependencies))
        return self.splits.join(result)

    def _has_users(self) -> bool:
        """Return whether there are users with several records."""
        return self.roles.user is not None and self.roles.users < self.roles.records

    def _has_owners(self) -> bool:
        """Return whether one table can hold the records and the user of each."""
        return self.session.engine is None and not self.roles.without_user

    def _encode(self, user: str | None = None, *, with_owners: bool = False) -> EncodedSource:
        """Encode the records, or the users if `user` is their column."""
        attributes = [self.drop_tokens(known) for known in self.all]
        owner = self.roles.user.binding if with_owners and self.roles.user is not None else None
        return EncodedSource(self.session, attributes, len(self.searched), user, self.codes, owner)

    def _combine(self, encoding: EncodedSource) -> Combinations:
        """Combine the values of each record or user."""
        levels = list_levels(self.all)
        return Combinations(self.session, encoding, len(self.all), len(self.searched), encoding.user, levels)

    def _search(
        self,
        combinations: Combinations,
        ignore_missing: bool,
        is_only_missing: bool = False,
        owners: Owners | None = None,
        dependencies: Dependencies | None = None,
    ) -> EasiestSets:
        """Walk to the easiest sets by a rule for missing values."""
        limits = self.make_limits(combinations)
        if dependencies is not None:
            combinations.dependencies = dependencies
        else:
            combinations.find_dependencies(ignore_missing, limits)
            combinations.dependencies.redundant += self.splits.list_exclusive()
        search = EasiestSets(
            combinations,
            ignore_missing=ignore_missing,
            limits=limits,
            is_only_missing=is_only_missing,
            owners=owners,
        )
        search.run()
        return search

    def drop_tokens(self, levelled: LevelledColumn) -> Attribute:
        """Return an attribute of the search whose tokens are missing values.

        Args:
            levelled: The attribute.
        """
        return drop_tokens(levelled.attribute, levelled.decision.column.type, self.options.missing_tokens)

    def make_limits(self, combinations: Combinations) -> Limits:
        """Return where a search ends early.

        Args:
            combinations: The combinations that are searched.
        """
        options = self.options
        bounded = options.max_sets is None and not options.thorough
        pairs = max(self.max_pairs, _MIN_SETS * combinations.count) if bounded else None
        if pairs is not None:  # sets of the parts of an attribute share the work of a set with all of it
            pairs *= min(_MOST_LEVELS, math.prod(map(len, self.splits.parts)))
        return Limits(options.max_sets, pairs, options.max_size, self._get_deadline())

    def _get_deadline(self) -> float | None:
        """Return the moment at which searches end; None for no limit."""
        limit = self.options.time_limit
        return None if limit is None else self.started + limit

    def drop_tables(self) -> None:
        """Drop the large tables of the searches, whose memory later steps need."""
        for table in (*_LARGE_TABLES, *self.codes.values()):
            self.session.run("drop_table", table=table)

    # --- results ---------------------------------------------------------------------------------

    def count_outcomes(self, combinations: Combinations, walk: Walk, *, only_missing: bool = False) -> Totals:
        """Count who is singled out by what, and return the totals.

        Args:
            combinations: The combinations.
            walk: How the walk to the easiest sets went.
            only_missing: Whether only persons with a missing value count.
        """
        session, several = self.session, combinations.user is not None
        if several:
            combinations.encoding.list_missing()
        if not only_missing:
            session.run(
                "patterns",
                persons="users_missing" if several else "combinations",
                by_person=several,
                **self._get_identity_bits(),
            )
        session.run("outcomes", by_user=several, only_missing=only_missing)
        row = session.fetch_row(
            "jo_model",
            base=self.options.base,
            social_responsibility=self.options.social_responsibility,
            post_response=self.options.post_response,
            stopped_at=walk.stopped_at.number if walk.stopped_at is not None else None,
        )
        return Totals(**row)

    def _get_identity_bits(self) -> dict[str, int]:
        """Return the bits of the attributes that JO's identifiability depends on."""
        kinds = {"names": "name", "addresses": "address", "phones": "phone_number"}
        return {
            key: sum(
                1 << position for position, levelled in enumerate(self.all) if levelled.level.type == kind
            )
            for key, kind in kinds.items()
        }

    def _list_distribution(self) -> list[dict[str, Any]]:
        """List the rows of each ease; undecided records and users have none."""
        rows = self.session.run("distribution", base=self.options.base)
        return [row for row in rows if row["ease"] is not None]

    def _list_names(self, mask: int) -> tuple[str, ...]:
        return tuple(
            levelled.attribute.name for position, levelled in enumerate(self.all) if mask >> position & 1
        )

    def _render_record_outcomes(self) -> Sql:
        return render(
            "record_outcomes",
            source=ASSESSED,
            attributes=[self.drop_tokens(levelled) for levelled in self.all],
            names=[levelled.attribute.name for levelled in self.all],
            base=self.options.base,
        )

    def _list_scenarios(self) -> list[dict[str, Any]]:
        """List the records whose leak reveals most.

        A distributed engine has no numbers of records, so there are none.
        """
        if self.session.engine is not None:
            return []
        identity = self._get_identity_bits()
        named = identity["names"] or (identity["addresses"] and identity["phones"])
        return self.session.run(
            "scenarios",
            records=self._render_record_outcomes() if named else None,
            base=self.options.base,
            max_rows=MAX_LISTED,
        )

    def _make_scenarios(self, rows: Sequence[dict[str, Any]], show_values: bool) -> tuple[Scenario, ...]:
        scenarios = tuple(
            Scenario(
                record=row["record"],
                attributes=self._list_names(row["mask"]),
                learns=self._list_names(~(row["mask"] | row["missing"])),
                ease=row["ease"],
                value=row["value"],
                other_sets=tuple(self._list_names(mask) for mask in row["also"] or []),
            )
            for row in rows
        )
        return self._add_values(scenarios) if show_values and scenarios else scenarios

    def _add_values(self, scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
        rows = self.session.run(
            "cells",
            source=ASSESSED,
            attributes=[show_in_full(levelled.whole or levelled.attribute) for levelled in self.all],
            records=[scenario.record for scenario in scenarios],
        )
        names = [levelled.attribute.name for levelled in self.all]
        shown = {row["record"]: dict(zip(names, row["cells"], strict=True)) for row in rows}
        return tuple(
            replace(scenario, cells={name: shown[scenario.record][name] for name in scenario.attributes})
            for scenario in scenarios
        )

    def _list_attributes(self) -> tuple[LevelledAttribute, ...]:
        rows = self.session.run("attribute_parts")
        return tuple(
            LevelledAttribute(
                attribute=levelled.attribute.name,
                column=levelled.decision.column.name,
                type=levelled.level.type,
                economic=levelled.level.economic,
                psychological=levelled.level.psychological,
                level_source="given" if levelled.given else "proposed",
                provisional=not levelled.given,
                reason=levelled.reason,
                records_singled_out_with=row["records"],
                share_of_singled_out=row["share"],
            )
            for levelled, row in zip(self.all, rows, strict=True)
        )

    # --- what would help -------------------------------------------------------------------------

    def _add_coarser_forms(
        self, search: EasiestSets, encoding: EncodedSource, result: Identifiability
    ) -> Identifiability:
        """Add what coarser attributes would change, unless time ends before."""
        could = self._list_coarsenable(result)
        result = replace(result, coarser_listed=Truncation(len(could), 0))
        with self.session.limit_time(self._get_deadline()) as time:
            result = self._measure_changes(search, encoding, result, could)
        if time.is_over:
            self.notes = [Sentence("identifiability.note.time_ended")]
        return result

    def _measure_changes(
        self,
        search: EasiestSets,
        encoding: EncodedSource,
        result: Identifiability,
        could: dict[int, Attribute],
    ) -> Identifiability:
        """Measure the total value without each attribute, and with coarser forms.

        Coarser forms are tried for the first of the attributes that have one. A direct identifier has no
        figure: it must be removed whatever that changes.
        """
        forms = dict(itertools.islice(could.items(), _MAX_COARSENED))
        most = _MAX_PAIRS if self.options.what_if else 5 * _CHEAP_PAIRS
        known = {
            position: self.drop_tokens(replace(self.all[position], attribute=form))
            for position, form in forms.items()
        }
        if not WithoutAttributes(search, encoding, most_pairs=most, coarser=known).run():
            return result
        asked = {"base": self.options.base, "before": repr(result.total_value)}
        rows = self.session.run("totals_without", **asked, **self._get_identity_bits())
        attributes = tuple(
            entry
            if self.all[position].decision.role == "direct_identifier"
            else replace(entry, total_value_without=row["total_value"], change_without=row["change"])
            for position, (entry, row) in enumerate(zip(result.attributes, rows, strict=True))
        )
        result = replace(result, attributes=attributes)
        if not forms:
            return result
        places = {
            "forms": list(search.combinations.coarser.values()),
            "form_bits": [1 << position for position in forms],
        }
        rows = self.session.run("totals_coarser", **asked, **places)
        shares = [result.attributes[position].share_of_singled_out for position in could]
        return replace(
            result,
            coarser=tuple(
                CoarserAttribute(
                    attribute=self.all[position].attribute.name,
                    coarser=form.name,
                    singled_out=row["singled_out"],
                    total_value=row["total_value"],
                    change=row["change"],
                )
                for (position, form), row in zip(forms.items(), rows, strict=True)
            ),
            coarser_listed=Truncation.after(len(forms), shares),
        )

    def _measure_other_mode(self, combinations: Combinations) -> OtherMissingMode | None:
        """Measure the other rule for missing values: only who has some can differ."""
        other: MissingMode = "value" if self.ignore_missing else "none"
        walk = self._search(combinations, other == "none", is_only_missing=True).walk
        if walk.limit is not None:
            return None
        totals = self.count_outcomes(combinations, walk, only_missing=True)
        return OtherMissingMode(other, totals.singled_out, totals.total_ease, totals.total_value)

    def _list_coarsenable(self, result: Identifiability) -> dict[int, Attribute]:
        """List coarser forms of attributes that single somebody out, largest parts first."""
        could: dict[int, Attribute] = {}
        for position, levelled in enumerate(self.searched):
            # A coarser form of values has no level where each value has its own.
            if levelled.whole is not None or not result.attributes[position].records_singled_out_with:
                continue
            decision = levelled.decision
            forms = list_coarser_forms(self.session, levelled.attribute, decision, decision.distinct)
            if of_use := [form for form in forms if form.parts[0].knowledge != "year"]:
                could[position] = of_use[-1]
        parts = sorted(could, key=lambda position: -(result.attributes[position].share_of_singled_out or 0))
        return {position: could[position] for position in parts}

    # --- users -----------------------------------------------------------------------------------

    def _measure_users(
        self, encoding: EncodedSource, owners: Owners | None, records: Combinations, known: Dependencies
    ) -> UsersSection:
        """Search the users: any of their records may single them out.

        Args:
            encoding: What made the table of combinations.
            owners: The users that the walk over records found; None if it looked for none.
            records: The combinations of the records.
            known: What adds nothing to a set of these.
        """
        assert self.roles.user is not None
        self.started = time.monotonic()  # each unit has the whole time limit
        if has_owners := encoding.owner is not None:
            encoding.turn_to_owners()
        else:
            encoding = self._encode(self.roles.user.binding)
        combinations = self._combine(encoding)
        combinations.order = records.order
        # A constant makes sets only where there is one person.
        is_alike = has_owners and combinations.varying == records.varying
        search = self._search(
            combinations,
            self.ignore_missing,
            owners=owners if is_alike else None,
            dependencies=known if is_alike else None,
        )
        walk = search.walk
        totals = self.count_outcomes(combinations, walk)
        return UsersSection(
            users=self.roles.users,
            **_list_common_figures(totals, walk),
            distribution=tuple(
                UsersOfEase(row["ease"], row["records"], row["value"]) for row in self._list_distribution()
            ),
        )


def list_levels(levelled: Sequence[LevelledColumn]) -> list[tuple[int, int]]:
    """List the economic and the psychological level of attributes.

    Args:
        levelled: The attributes.
    """
    return [(known.level.economic, known.level.psychological) for known in levelled]


def _has_all_ties(walk: Walk, last_tier: int | None) -> bool:
    """Return whether all sets as easy as one that singles somebody out were examined.

    They were not if the walk ended within the last tier that singles somebody out. A limit on the size of
    sets leaves out whole tiers.
    """
    return walk.cut_at is None or last_tier is None or last_tier < walk.cut_at.number


def _list_common_figures(totals: Totals, walk: Walk) -> dict[str, Any]:
    """Return the figures that records and users share."""
    complete = walk.limit is None
    return {
        "singled_out": totals.singled_out,
        "not_singled_out": totals.not_singled_out,
        "unknown": totals.unknown,
        "unknown_ease_at_most": totals.unknown_ease_at_most,
        "sets_examined": walk.examined,
        "sets_not_examined": NotExamined(
            adds_nothing=walk.adds_nothing,
            settles_nobody=walk.settles_nobody,
            all_settled=walk.left if complete else 0,
            limit=0 if complete else walk.left,
        ),
        "complete": complete,
        "limit": walk.limit,
        "total_ease": totals.total_ease,
        "total_value": totals.total_value,
        "jo_total_value": totals.jo_total_value,
    }
