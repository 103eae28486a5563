"""Replace users by random pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from duckrisk.base.errors import EngineError, UsageError
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date
from duckrisk.release.anonymization.chain import Chain, Column
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import Step
from duckrisk.source.hierarchies import render_period, truncate_to_microseconds

#: Hexadecimal digits of a secret (derived: 128 bits; with a number they fit one block of SHA-256).
_SECRET_DIGITS = 32


def render_day(column: Column) -> Sql:
    """Render the day of a column's moment.

    Args:
        column: The column.
    """
    return render("day_of_moment", column=truncate_to_microseconds(identifier(column.binding), column.type))


@dataclass(frozen=True)
class _Period:
    """The period that a pseudonym is valid for.

    Attributes:
        time: The column of times.
        unit: Unit of a period, such as "month".
        life: Parameters of a period of several units; empty for one.
        day: SQL of the day of a moment; None if the column has days.
        label: SQL of the period as a key table shows it; None without one.
    """

    time: Column
    unit: str
    life: dict[str, str | int]
    day: Sql | None
    label: Sql | None

    @property
    def start(self) -> Sql:
        """SQL of the day on which a record's period starts."""
        return self.start_of(truncate_to_microseconds(identifier(self.time.binding), self.time.type))

    def start_of(self, moment: Sql) -> Sql:
        """Render the day on which the period of a moment starts.

        Args:
            moment: SQL of the moment.
        """
        start = render("period_start", column=moment, unit=self.unit)
        return render("life_start", start=start, **self.life) if self.life else start


def _make_period(chain: Chain, step: Step, user: Column) -> _Period | None:
    """Make the period of pseudonyms; None if they are valid for all time."""
    unit = step.get("period", "none")
    if unit != "none":
        time = find_time_column(chain, step, user)
        render_period(identifier(time.binding), time.type, unit, time.name)  # refuses what is no moment
        day = render_day(time) if has_date(time.type) else None
        keys = "keys" in step.options
        label = render_period(identifier("period"), "DATE", unit, time.name) if keys else None
        period = _Period(time, unit, {}, day, label)
        if step.get("life", 1) == 1:
            return period
        # In a table, as a literal day would show a value of the records in the SQL log.
        first = chain.name_table("first_start")
        chain.session.run("first_start", name=first, source=chain.relation_with(time), start=period.start)
        return replace(period, life={"unit": unit, "first": identifier(first), "life": step.get("life")})
    if "life" in step.options:
        raise UsageError("anonymization.life_without_period")
    if "time" in step.options:
        raise UsageError("anonymization.time_column_without_period")
    return None


def pseudonymize(chain: Chain, step: Step) -> Done:
    """Replace users by random pseudonyms, for all time or for a period.

    Args:
        chain: The chain.
        step: The step.

    Raises:
        EngineError: Two users got the same pseudonym.
    """
    column = chain.find_column(step.get("column"))
    period = _make_period(chain, step, column)
    when, day, label = (period.start, period.day, period.label) if period is not None else (None, None, None)
    needs = [column, period.time] if period is not None else [column]
    table, source = chain.name_table("pseudonyms"), chain.relation_with(*needs)
    pairs = {"source": source, "column": column.binding, "period": when}
    days = None
    if (
        period is not None
        and day is not None
        and chain.has_repeats(render("user_and_day", column=column.binding, day=day), source)
    ):
        days = chain.name_table("days")
        chain.session.run("user_days", name=days, source=source, column=column.binding, day=day)
        pairs = {
            "source": identifier(days),
            "column": "person",
            "period": period.start_of(identifier("moment")),
        }
    counted = draw_pseudonyms(chain, table, pairs, label)
    looked_up, rows = table, counted["pairs"]
    if days is not None:
        size = chain.session.fetch_row("table_size", source=identifier(days))["found"]
        if chain.can_stream(size):
            # Computing a day is cheaper than computing its period, and finding it costs the same.
            looked_up, rows, when = chain.name_table("by_day"), size, day
            days_of = {"pseudonyms": identifier(table), "days": identifier(days), "period": pairs["period"]}
            chain.session.run("day_pseudonyms", name=looked_up, **days_of)
    chain.replace_column(
        column,
        render("looked_up_pseudonym"),
        identifier(looked_up),
        render("found_pseudonym", column=column.binding, period=when),
        rows,
        (identifier(looked_up), "pseudonym"),
        needs,
    )
    return Done(
        column=column.name,
        users=counted["users"],
        pseudonyms=counted["pseudonyms"],
        table=table,
        by_period=when is not None,
    )


def draw_pseudonyms(
    chain: Chain, table: str, pairs: Mapping[str, Sql | str | None], label: Sql | None = None
) -> dict[str, int]:
    """Make the table of the pseudonyms of all pairs of a user and a period.

    Args:
        chain: The chain, whose number and chance make the secret of the draw.
        table: The table that is made.
        pairs: The source, the column of users and the period, as the statement takes them.
        label: SQL of the period as a key table shows it; None without one.

    Returns:
        The numbers of users, pairs and pseudonyms.

    Raises:
        EngineError: Two pairs got the same pseudonym.
    """
    secret = chain.chance.derive_secret(chain.number, "pseudonyms")[:_SECRET_DIGITS]
    try:
        chain.session.run("pseudonyms", name=table, **pairs, label=label, secret=secret)
    finally:  # a log is written of some runs that fail
        if chain.session.log[-1].name == "pseudonyms":
            chain.session.redact_last_statement("pseudonyms", name=table, **pairs, label=label, secret="")
    counted: dict[str, int] = chain.session.fetch_row("count_pseudonyms", source=identifier(table))
    if counted["pseudonyms"] != counted["pairs"]:
        raise EngineError("anonymization.pseudonym_collision")
    return counted


def find_time_column(chain: Chain, step: Step, user: Column | None) -> Column:
    """Find the named column of times, or the only one.

    Args:
        chain: The chain.
        step: The step; `time` names the column.
        user: The user column, which is none of times; None for none.

    Raises:
        UsageError: No column or several columns hold dates, and none is named.
    """
    if "time" in step.options:
        return chain.find_column(step.get("time"))
    candidates = [c for c in chain.columns if has_date(c.type) and c != user]
    if len(candidates) != 1:
        what = "several columns of dates" if candidates else "no column of dates"
        raise UsageError("anonymization.time_column_ambiguous", what=what)
    return candidates[0]
