"""Singling out: predicates that one record of the release meets, and how many meet one of the original."""

from __future__ import annotations

from duckrisk.contests.membership.release_risks.tables import CONTROL, ORIGINAL, RELEASED, Tables, Tried
from duckrisk.engine.templates import Sql

#: So many attempts are made for each predicate that is asked for, and so many in one statement.
_ATTEMPTS, _LEAST, _MOST = 500, 500, 20_000
#: The records of the smallest part that predicates are tried on, and so many times more in the next.
_PART, _GROWTH = 256, 4


class SinglingOut:
    """The attacks by predicates; what both forms need is made once."""

    def __init__(self, tables: Tables, attacks: int, seed: int) -> None:
        self.tables, self.attacks, self.seed = tables, attacks, seed
        self.session = tables.session
        self._made: dict[str, list[str]] = {}
        self.records = {}
        for name in tables.names:
            self.session.run(
                "risk_different", name=f"{name}_different", source=tables.coded(name), columns=tables.columns
            )
            self.records[name] = self.session.fetch_row("table_size", source=Sql(f"{name}_different"))[
                "found"
            ]
        self.session.run(
            "predicate_values",
            name="release_values",
            different=Sql(f"{RELEASED}_different"),
            columns=tables.columns,
        )

    def univariate(self) -> Tried:
        """Predicates of one condition."""
        self.session.run(
            "single_conditions",
            name="conditions",
            release_values=Sql("release_values"),
            numeric=list(self.tables.numeric),
            seed=self.seed,
        )
        self._boxes("single_boxes", repeated=False)
        self.session.run("kept_predicates", name="single", boxes=Sql("single_boxes"), most=self.attacks)
        return self._tried("single", 1)

    def multivariate(self, combined: int) -> Tried:
        """Predicates of several conditions, tried until there are enough of them or no more are found."""
        kept, predicates, start, rate = None, 0, 0, 0.5
        while predicates < self.attacks and start < max(_MOST, _ATTEMPTS * self.attacks):
            count = min(_MOST, max(_LEAST, round(1.3 * (self.attacks - predicates) / rate)))
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
            self._boxes("tried_boxes", repeated=False, kept=kept)
            boxes = self._rare("tried_boxes", RELEASED)
            self._matches("tried_matches", boxes, f"{RELEASED}_different")
            table = Sql("combined_a" if kept != "combined_a" else "combined_b")
            self.session.run(
                "kept_predicates",
                name=table,
                boxes=Sql(boxes),
                matches=Sql("tried_matches"),
                known=kept,
                most=self.attacks,
            )
            more = self.session.fetch_row("table_size", source=table)["found"] - predicates
            if not more and start >= 20 * self.attacks:
                break
            kept, predicates, start, rate = table, predicates + more, start + count, max(more, 1) / count
        return self._tried(kept or Sql("combined_a"), combined)

    def _boxes(self, name: str, *, repeated: bool, kept: Sql | None = None) -> None:
        self.session.run(
            "predicate_boxes",
            name=name,
            conditions=Sql("conditions"),
            release_values=Sql("release_values"),
            columns=len(self.tables.attributes),
            known=kept,
            keep_equal=repeated,
        )

    def _rare(self, boxes: str, records: str, *, exceptions: bool = False) -> str:
        """The predicates that a look at parts of a table leaves, from small parts to larger ones."""
        for number, part in enumerate(self._parts(records)):
            self._matches("part_matches", boxes, part, exceptions=exceptions)
            rare = f"rare_boxes_{number}"
            self.session.run("rare_predicates", name=rare, boxes=Sql(boxes), matches=Sql("part_matches"))
            boxes = rare
        return boxes

    def _parts(self, records: str) -> list[str]:
        """Tables of parts of a table, each with so many times the records of the one before."""
        if records not in self._made:
            self._made[records], size = [], _PART
            while 2 * size <= self.records[records]:
                name = f"{records}_part_{size}"
                self.session.run(
                    "record_part",
                    name=name,
                    source=Sql(f"{records}_different"),
                    step=self.records[records] // size,
                )
                self._made[records].append(name)
                size *= _GROWTH
        return self._made[records]

    def _matches(self, name: str, boxes: str, records: str, *, exceptions: bool = False) -> None:
        """How many records of a table meet each predicate."""
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

    def _isolated(self, boxes: str, records: str, *, exceptions: bool = False) -> int:
        name = f"{boxes}_{records}_matches"
        self._matches(name, boxes, f"{records}_different", exceptions=exceptions)
        return int(self.session.fetch_row("isolated_records", matches=Sql(name))["successes"])

    def _tried(self, boxes: str, combined: int) -> Tried:
        """What predicates, and as many random ones, single out."""
        attacks = self.session.fetch_row("table_size", source=Sql(boxes))["found"]
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
        self._boxes("naive_boxes", repeated=True)
        successes = self._isolated(boxes, ORIGINAL)
        naive = self._isolated(
            self._rare("naive_boxes", ORIGINAL, exceptions=True), ORIGINAL, exceptions=True
        )
        if CONTROL not in self.tables.names:
            return Tried(attacks, successes, naive)
        measured = self._isolated(boxes, CONTROL)
        control = self.session.fetch_row(
            "isolated_at_size",
            matches=Sql(f"{boxes}_{CONTROL}_matches"),
            records=self.records[CONTROL],
            size=self.records[ORIGINAL],
        )["successes"]
        return Tried(attacks, successes, naive, attacks, control, measured)
