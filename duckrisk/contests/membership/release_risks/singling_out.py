"""Singles out: finds predicates that one record of the release meets, and counts those of the original."""

from __future__ import annotations

from duckrisk.contests.common import count_rows
from duckrisk.contests.membership.release_risks.tables import CONTROL, ORIGINAL, RELEASED, Tables, Tried
from duckrisk.engine.templates import Sql

#: Attempts for each predicate at most (a choice: where fewer succeed, none are left to find).
_MAX_ATTEMPTS = 500
#: Attempts in one statement, at least and at most (a choice: they amortize planning and bound memory).
_MIN_BATCH, _MAX_BATCH = 500, 20_000
#: Records of the smallest part that predicates are tried on, and the factor of the next part (a choice: most
#: predicates fail on some hundred records).
_FIRST_PART, _PART_GROWTH = 256, 4


class SinglingOut:
    """The attacks by predicates.

    Args:
        tables: The encoded tables.
        attacks: The number of predicates.
        seed: The seed of the draws.
    """

    def __init__(self, tables: Tables, attacks: int, seed: int) -> None:
        self.tables, self.attacks, self.seed = tables, attacks, seed
        self.session = tables.session
        self._made: dict[str, list[str]] = {}
        self.records = {}
        for name in tables.names:
            self.session.run(
                "risk_different",
                name=f"{name}_different",
                source=tables.code_table(name),
                columns=tables.columns,
            )
            self.records[name] = count_rows(self.session, f"{name}_different")
        self.session.run(
            "predicate_values",
            name="release_values",
            different=Sql(f"{RELEASED}_different"),
            columns=tables.columns,
        )

    def try_single_conditions(self) -> Tried:
        """Attack by predicates of one condition."""
        self.session.run(
            "single_conditions",
            name="conditions",
            release_values=Sql("release_values"),
            numeric=list(self.tables.numeric),
            seed=self.seed,
        )
        self._make_boxes("single_boxes", repeated=False)
        self.session.run(
            "kept_predicates", name="single", boxes=Sql("single_boxes"), max_predicates=self.attacks
        )
        return self._measure("single", 1)

    def try_combined_conditions(self, combined: int) -> Tried:
        """Attack by predicates of several conditions, until there are enough or no more.

        Args:
            combined: The number of conditions of a predicate.
        """
        kept, predicates, start, rate = None, 0, 0, 0.5
        while predicates < self.attacks and start < max(_MAX_BATCH, _MAX_ATTEMPTS * self.attacks):
            count = min(_MAX_BATCH, max(_MIN_BATCH, round(1.3 * (self.attacks - predicates) / rate)))
            self.session.run(
                "record_conditions",
                name="conditions",
                different=Sql(f"{RELEASED}_different"),
                release_values=Sql("release_values"),
                columns=self.tables.columns,
                numeric=list(self.tables.numeric),
                combined=combined,
                records=self.records[RELEASED],
                start=start,
                stop=start + count,
                seed=self.seed,
            )
            self._make_boxes("tried_boxes", repeated=False, kept=kept)
            boxes = self._keep_rare("tried_boxes", RELEASED)
            self._count_matches("tried_matches", boxes, f"{RELEASED}_different")
            table = Sql("combined_a" if kept != "combined_a" else "combined_b")
            self.session.run(
                "kept_predicates",
                name=table,
                boxes=Sql(boxes),
                matches=Sql("tried_matches"),
                excluded=kept,
                max_predicates=self.attacks,
            )
            more = count_rows(self.session, table) - predicates
            if not more and start >= 20 * self.attacks:
                break
            kept, predicates, start, rate = table, predicates + more, start + count, max(more, 1) / count
        return self._measure(kept or Sql("combined_a"), combined)

    def _make_boxes(self, name: str, *, repeated: bool, kept: Sql | None = None) -> None:
        self.session.run(
            "predicate_boxes",
            name=name,
            conditions=Sql("conditions"),
            release_values=Sql("release_values"),
            columns=len(self.tables.attributes),
            excluded=kept,
            keep_equal=repeated,
        )

    def _keep_rare(self, boxes: str, records: str, *, exceptions: bool = False) -> str:
        """Keep the predicates that few records meet, by ever larger parts of a table."""
        for number, part in enumerate(self._make_parts(records)):
            self._count_matches("part_matches", boxes, part, exceptions=exceptions)
            rare = f"rare_boxes_{number}"
            self.session.run("rare_predicates", name=rare, boxes=Sql(boxes), matches=Sql("part_matches"))
            boxes = rare
        return boxes

    def _make_parts(self, records: str) -> list[str]:
        """Make parts of a table, each a multiple of the one before."""
        if records not in self._made:
            self._made[records], size = [], _FIRST_PART
            while 2 * size <= self.records[records]:
                name = f"{records}_part_{size}"
                self.session.run(
                    "record_part",
                    name=name,
                    source=Sql(f"{records}_different"),
                    step=self.records[records] // size,
                )
                self._made[records].append(name)
                size *= _PART_GROWTH
        return self._made[records]

    def _count_matches(self, name: str, boxes: str, records: str, *, exceptions: bool = False) -> None:
        """Make the table of how many records of a table meet each predicate."""
        ways = [row["way"] for row in self.session.run("predicate_ways", boxes=Sql(boxes))]
        self.session.run(
            "predicate_matches",
            name=name,
            boxes=Sql(boxes),
            records=Sql(records),
            columns=self.tables.columns,
            ways=ways or [0],
            exceptions=exceptions,
        )

    def _count_isolated(self, boxes: str, records: str, *, exceptions: bool = False) -> int:
        name = f"{boxes}_{records}_matches"
        self._count_matches(name, boxes, f"{records}_different", exceptions=exceptions)
        return int(self.session.fetch_row("isolated_records", matches=Sql(name))["successes"])

    def _measure(self, boxes: str, combined: int) -> Tried:
        """Count what predicates, and as many random ones, single out."""
        attacks = count_rows(self.session, boxes)
        if not attacks:
            return Tried(0, 0, 0)
        self.session.run(
            "random_conditions",
            name="conditions",
            release_values=Sql("release_values"),
            numeric=list(self.tables.numeric),
            columns=len(self.tables.attributes),
            combined=combined,
            predicates=attacks,
            seed=self.seed,
        )
        self._make_boxes("naive_boxes", repeated=True)
        successes = self._count_isolated(boxes, ORIGINAL)
        naive = self._count_isolated(
            self._keep_rare("naive_boxes", ORIGINAL, exceptions=True), ORIGINAL, exceptions=True
        )
        if CONTROL not in self.tables.names:
            return Tried(attacks, successes, naive)
        measured = self._count_isolated(boxes, CONTROL)
        control = self.session.fetch_row(
            "isolated_at_size",
            matches=Sql(f"{boxes}_{CONTROL}_matches"),
            records=self.records[CONTROL],
            size=self.records[ORIGINAL],
        )["successes"]
        return Tried(attacks, successes, naive, attacks, control, measured)
