"""The searches of one report, and what the templates under ``sql/identifiability`` found by them."""

from __future__ import annotations

import itertools
import math
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from duckrisk.base.options.identifiability import Options
from duckrisk.base.results import Listed
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Sql, render
from duckrisk.engine.types import decimal_digits, is_float, is_integer, is_number, is_text
from duckrisk.measures.attribute import coarser_forms
from duckrisk.measures.identifiability.attributes import Levelled
from duckrisk.measures.identifiability.combinations import Limits
from duckrisk.measures.identifiability.questions import Questions
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
from duckrisk.measures.identifiability.search import Search, Walk
from duckrisk.roles import Roles
from duckrisk.source.long_cells import as_shown

#: Digits of a decimal number.
_DIGITS = 38
#: Scenarios and sets that a report lists.
MOST_LISTED = 50
#: The sets of seven attributes are examined in any case, however many records there are.
_LEAST_SETS = 2**7
#: What would help is computed unasked where the search looked at no more pairs than these: it takes about as
#: long once more.
_CHEAP_PAIRS = 20_000_000
#: Nor does it look at more pairs than these where it is asked for.
_MOST_PAIRS = 5_000_000_000
#: The tables of a search with a row for each combination or person.
_LARGE_TABLES = (
    *("combinations", "persons", "sharing", "open_persons", "still_open", "left_persons"),
    *("closed", "found", "settled", "users_missing"),
)
#: So many attributes are tried in a coarser form.
_COARSENED = 3


class Run:
    """The searches of one report."""

    #: A search without a limit of its own ends after so many pairs of a set and a combination: some seconds.
    most_pairs = 200_000_000

    def __init__(
        self,
        session: Session,
        roles: Roles,
        options: Options,
        searched: list[Levelled],
        others: list[Levelled],
        codes: dict[Attribute, str] | None = None,
    ) -> None:
        self.session, self.roles, self.options = session, roles, options
        self.searched = searched
        #: The first make the sets, the others only count in what a leak tells.
        self.all = [*searched, *others]
        #: The tables that number the values of attributes.
        self.codes = {} if codes is None else codes
        self.started = time.monotonic()
        self.ignore_missing = options.missing == "none"
        #: What a person has to know of how the searches went.
        self.notes: list[Sentence] = []

    def section(
        self,
        unlevelled: Sequence[Unlevelled],
        show_values: bool,
        records: Path | None,
        with_users: bool = True,
    ) -> Identifiability:
        session, options = self.session, self.options
        search = self._search(self.all)
        limits = self._limits(search)
        search.find_dependencies(self.ignore_missing, limits)
        walk = search.walk(ignore_missing=self.ignore_missing, limits=limits)
        totals = self._outcomes(search, walk)
        complete = walk.limit is None
        scenarios = self._scenarios()
        sets = session.run("set_values", base=options.base, most=MOST_LISTED)
        result = Identifiability(
            unit="record",
            records=search.records,
            **_common(totals, walk),
            singled_out_share=totals.singled_out_share,
            sets_possible=search.sets_possible,
            ties_complete=_ties_complete(walk, totals.last_tier),
            missing_mode="none" if self.ignore_missing else "value",
            missing_cells=search.missing_cells,
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
            distribution=tuple(RecordsOfEase(**row) for row in self._distribution()),
            scenarios_listed=Listed.taken(scenarios),
            scenarios=self._told(scenarios, show_values),
            sets_listed=Listed.taken(sets),
            sets=tuple(
                AttributeSet(self._names(row["mask"]), row["ease"], row["records"], row["value"])
                for row in sets
            ),
            attributes=self._attributes(),
            coarser=(),
            coarser_listed=None,
            users=None,
            unleveled=tuple(unlevelled),
        )
        if records is not None:
            session.run("write_records", records=self._record_outcomes(), path=str(records))
        unasked = options.what_if is None and options.time_limit is None
        helps = complete and (options.what_if or (unasked and walk.pairs <= _CHEAP_PAIRS))
        if helps:
            result = self._helped(search, walk, result)
        # The other search looks at about as many pairs as the first.
        affordable = limits.max_pairs is None or 2 * walk.pairs <= limits.max_pairs
        if complete and search.missing_cells and options.compare_missing and affordable:
            result = replace(result, other_missing_mode=self._other_mode(search))
        if with_users and self.roles.user is not None and self.roles.users < self.roles.records:
            result = replace(result, users=self._users())
        return result

    def _search(self, levelled: Sequence[Levelled], user: str | None = None) -> Questions:
        return Questions(
            self.session,
            [self._known(known) for known in levelled],
            [known.level for known in levelled],
            len(self.searched),
            user,
            self.codes,
        )

    def _known(self, levelled: Levelled) -> Attribute:
        return without_tokens(levelled.attribute, levelled.decision.column.type, self.options.missing_tokens)

    def _limits(self, search: Search) -> Limits:
        options = self.options
        bounded = options.max_sets is None and not options.thorough
        pairs = max(self.most_pairs, _LEAST_SETS * search.combinations) if bounded else None
        return Limits(options.max_sets, pairs, options.max_size, self._until())

    def _until(self) -> float | None:
        """The moment at which searches stop."""
        limit = self.options.time_limit
        return None if limit is None else self.started + limit

    def drop_tables(self) -> None:
        """Drop the large tables of the searches: later steps need the memory."""
        for table in (*_LARGE_TABLES, *self.codes.values()):
            self.session.run("drop_table", table=table)

    # --- results ---------------------------------------------------------------------------------

    def _outcomes(self, search: Search, walk: Walk, *, only_missing: bool = False) -> Totals:
        """Count who is singled out how; returns the totals."""
        session, several = self.session, search.user is not None
        if several:
            search.list_missing()
        if not only_missing:
            session.run(
                "patterns",
                persons="users_missing" if several else "combinations",
                by_person=several,
                **self._identity(),
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

    def _identity(self) -> dict[str, int]:
        """The bits of the attributes that JO's identifiability asks for."""
        kinds = {"names": "name", "addresses": "address", "phones": "phone_number"}
        return {
            key: sum(
                1 << position for position, levelled in enumerate(self.all) if levelled.level.type == kind
            )
            for key, kind in kinds.items()
        }

    def _distribution(self) -> list[dict[str, Any]]:
        """The rows of each ease; whom a limit left open has none."""
        rows = self.session.run("distribution", base=self.options.base)
        return [row for row in rows if row["ease"] is not None]

    def _names(self, mask: int) -> tuple[str, ...]:
        return tuple(
            levelled.attribute.name for position, levelled in enumerate(self.all) if mask >> position & 1
        )

    def _record_outcomes(self) -> Sql:
        return render(
            "record_outcomes",
            source=ASSESSED,
            attributes=[self._known(levelled) for levelled in self.all],
            names=[levelled.attribute.name for levelled in self.all],
            base=self.options.base,
        )

    def _scenarios(self) -> list[dict[str, Any]]:
        """The records whose leak tells the most; none where they have no numbers, in a distributed engine."""
        if self.session.engine is not None:
            return []
        identity = self._identity()
        named = identity["names"] or (identity["addresses"] and identity["phones"])
        return self.session.run(
            "scenarios",
            records=self._record_outcomes() if named else None,
            base=self.options.base,
            most=MOST_LISTED,
        )

    def _told(self, rows: Sequence[dict[str, Any]], show_values: bool) -> tuple[Scenario, ...]:
        told = tuple(
            Scenario(
                record=row["record"],
                attributes=self._names(row["mask"]),
                learns=self._names(~(row["mask"] | row["missing"])),
                ease=row["ease"],
                value=row["value"],
                also=tuple(self._names(mask) for mask in row["also"] or []),
            )
            for row in rows
        )
        return self._with_cells(told) if show_values and told else told

    def _with_cells(self, scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
        rows = self.session.run(
            "cells",
            source=ASSESSED,
            attributes=[as_shown(levelled.attribute) for levelled in self.all],
            records=[scenario.record for scenario in scenarios],
        )
        names = [levelled.attribute.name for levelled in self.all]
        shown = {row["record"]: dict(zip(names, row["cells"], strict=True)) for row in rows}
        return tuple(
            replace(scenario, cells={name: shown[scenario.record][name] for name in scenario.attributes})
            for scenario in scenarios
        )

    def _attributes(self) -> tuple[LevelledAttribute, ...]:
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

    def _helped(self, search: Questions, walk: Walk, result: Identifiability) -> Identifiability:
        """With what would help, unless time ends before."""
        could = self._coarsenable(result)
        result = replace(result, coarser_listed=Listed(len(could), 0))
        with self.session.limit_time(self._until()) as time:
            result = self._changed(search, walk, result, could)
        if time.is_over:
            self.notes = [Sentence("identifiability.note.time_ended")]
        return result

    def _changed(
        self, search: Questions, walk: Walk, result: Identifiability, could: dict[int, Attribute]
    ) -> Identifiability:
        """With the total value without each attribute, and with one in a coarser form, for the first of those
        that could have one. Of what a direct identifier would change nothing is told: it has to go, however
        little that is."""
        forms = dict(itertools.islice(could.items(), _COARSENED))
        most = _MOST_PAIRS if self.options.what_if else 5 * _CHEAP_PAIRS
        known = {
            position: self._known(replace(self.all[position], attribute=form))
            for position, form in forms.items()
        }
        if not search.walk_without(walk, ignore_missing=self.ignore_missing, most_pairs=most, coarser=known):
            return result
        asked = {"base": self.options.base, "before": repr(result.total_value)}
        rows = self.session.run("totals_without", **asked, **self._identity())
        attributes = tuple(
            entry
            if self.all[position].decision.role == "direct_identifier"
            else replace(entry, total_value_without=row["total_value"], change_without=row["change"])
            for position, (entry, row) in enumerate(zip(result.attributes, rows, strict=True))
        )
        result = replace(result, attributes=attributes)
        if not forms:
            return result
        places = {"forms": list(search.coarser.values()), "of": [1 << position for position in forms]}
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
            coarser_listed=Listed.of(shares, len(forms)),
        )

    def _other_mode(self, search: Search) -> OtherMissingMode | None:
        """What the other way to take missing values gives: only who has some can differ."""
        other: MissingMode = "value" if self.ignore_missing else "none"
        limits = self._limits(search)
        search.find_dependencies(other == "none", limits)
        walk = search.walk(ignore_missing=other == "none", only_missing=True, limits=limits)
        if walk.limit is not None:
            return None
        totals = self._outcomes(search, walk, only_missing=True)
        return OtherMissingMode(other, totals.singled_out, totals.total_ease, totals.total_value)

    def _coarsenable(self, result: Identifiability) -> dict[int, Attribute]:
        """The coarser forms of attributes that single somebody out, the largest parts first."""
        could: dict[int, Attribute] = {}
        for position, levelled in enumerate(self.searched):
            if not result.attributes[position].records_singled_out_with:
                continue
            decision = levelled.decision
            forms = coarser_forms(self.session, levelled.attribute, decision, decision.distinct)
            if of_use := [form for form in forms if form.parts[0].knowledge != "year"]:
                could[position] = of_use[-1]
        parts = sorted(could, key=lambda position: -(result.attributes[position].share_of_singled_out or 0))
        return {position: could[position] for position in parts}

    # --- users -----------------------------------------------------------------------------------

    def _users(self) -> UsersSection:
        """The same with the users as those who are singled out, by any of their records."""
        assert self.roles.user is not None
        self.started = time.monotonic()  # the limit on time is one for each unit
        search = self._search(self.all, self.roles.user.binding)
        limits = self._limits(search)
        search.find_dependencies(self.ignore_missing, limits)
        walk = search.walk(ignore_missing=self.ignore_missing, limits=limits)
        totals = self._outcomes(search, walk)
        return UsersSection(
            users=self.roles.users,
            **_common(totals, walk),
            distribution=tuple(
                UsersOfEase(row["ease"], row["records"], row["value"]) for row in self._distribution()
            ),
        )


def without_tokens(attribute: Attribute, kind: str, missing_tokens: Sequence[str]) -> Attribute:
    """The attribute, its tokens being missing cells; those of a number are compared as numbers of its
    type."""
    tokens = list(missing_tokens)
    number = kind if is_number(kind) else None
    if number is not None:
        tokens = [read for token in tokens if (read := _as_number(token, kind)) is not None]
    elif not is_text(kind):
        tokens = [token for token in tokens if any(c.isdigit() for c in token)]
    (part,) = attribute.parts
    # Not every engine keeps a struct without names in a table.
    if "STRUCT" in kind and part.knowledge == "exact":
        part = replace(part, knowledge="as_text")
    return Attribute(attribute.name, (replace(part, tokens=tuple(tokens), number=number),))


def known_without_tokens(
    attribute: Attribute, types: Mapping[str, str], missing_tokens: Sequence[str]
) -> Attribute:
    """The attribute, its tokens being missing cells in each of its parts; ``types`` are the columns' by their
    bindings."""
    parts = [
        without_tokens(Attribute(attribute.name, (part,)), types[part.column], missing_tokens).parts[0]
        for part in attribute.parts
    ]
    return Attribute(attribute.name, tuple(parts))


def _ties_complete(walk: Walk, last_tier: int | None) -> bool:
    """Whether all sets were examined that are as easy as one that singles somebody out: they were not where
    the walk ended within the last tier that did. A limit on the size leaves whole tiers out."""
    return walk.cut_at is None or last_tier is None or last_tier < walk.cut_at.number


def _common(totals: Totals, walk: Walk) -> dict[str, Any]:
    """What is told of records and of users alike."""
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


def _as_number(token: str, kind: str) -> str | None:
    """A token as the engine reads it in a column of this type of numbers; None where it is none of its
    numbers."""
    try:
        exact = Decimal(token)
        if is_float(kind):
            return _as_real(exact, kind)
    except (ValueError, InvalidOperation):
        return None
    if not exact.is_finite() or abs(exact.adjusted()) > _DIGITS:
        return None
    written = f"{exact:f}"
    whole, _, places = written.partition(".")
    if is_integer(kind):
        return whole if not places.strip("0") else None
    _, most = decimal_digits(kind) or (0, 0)
    return written if len(places.rstrip("0")) <= most else None


def _as_real(exact: Decimal, kind: str) -> str | None:
    """A number as the nearest one of a floating-point type; None where the type's range ends before it."""
    read = float(exact)
    if kind == "FLOAT" and exact.is_finite():
        try:
            (read,) = struct.unpack("f", struct.pack("f", read))
        except OverflowError:
            return None
    beyond = math.isinf(read) or (read == 0 and exact != 0)
    return repr(read) if not (beyond and exact.is_finite()) else None
