"""Links and infers by the records of the release nearest to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duckrisk.contests.membership.neighbours import Fields, pack_fields
from duckrisk.contests.membership.release_risks.tables import CONTROL, ORIGINAL, RELEASED, Tables, Tried
from duckrisk.engine.templates import Sql, render


class Guessing:
    """The attacks by nearest records, all on the same targets.

    Args:
        tables: The encoded tables.
        attacks: The number of targets that are drawn.
        seed: The seed of the draws.
    """

    def __init__(self, tables: Tables, attacks: int, seed: int) -> None:
        self.tables, self.attacks, self.seed = tables, attacks, seed
        self.session = tables.session
        origins = [name for name in (ORIGINAL, CONTROL) if name in tables.names]
        self.session.run(
            "risk_targets",
            name="targets",
            tables=[tables.code_table(name) for name in origins],
            columns=tables.columns,
            attacks=attacks,
            seed=seed,
        )

    def try_linking(self, left: Sequence[int], right: Sequence[int], neighbours: int) -> Tried:
        """Link both parts of a target's attributes by a record that is near to both.

        Args:
            left: The indices of the attributes of one part.
            right: The indices of those of the other part.
            neighbours: The nearest records that are compared.
        """
        for side, places in (("left", left), ("right", right)):
            distance = self._make_points(side, places)
            self.session.run(
                "nearest_of_release",
                name=f"{side}_nearest",
                targets=Sql(f"{side}_targets"),
                released=Sql(f"{side}_released"),
                distance=distance,
                span=self.tables.span,
                neighbours=neighbours,
            )
        rows = self.session.run(
            "linked_targets", targets=Sql("targets"), left=Sql("left_nearest"), right=Sql("right_nearest")
        )
        naive = self.session.fetch_row(
            "naive_links",
            records=self.tables.records[RELEASED],
            neighbours=neighbours,
            attacks=rows[0]["attacks"],
            seed=self.seed,
        )
        return _count_successes(rows, naive["successes"])

    def try_inference(self, secrets: Sequence[int], known: Sequence[int], tolerance: float) -> list[Tried]:
        """Infer each secret of a target from its nearest record.

        Args:
            secrets: The indices of the attributes that are guessed.
            known: The indices of the attributes that are known; a secret is not used for itself.
            tolerance: The relative error that a guessed number may have.

        Returns:
            The attacks on each secret.
        """
        if len(secrets) == 1:
            known = [number for number in known if number != secrets[0]]
        carried = [f"c{n}" for n in secrets if n in known and n not in self.tables.numeric]
        distance = self._make_points("guess", known, carried)
        targets = Sql("guess_targets")
        if bounded := any(number in known for number in secrets):
            self.session.run(
                "guess_bounds",
                name="bounded_targets",
                targets=targets,
                released=Sql("guess_released"),
                distance=distance,
                unit=self.tables.unit,
            )
            targets = Sql("bounded_targets")
        self.session.run(
            "guess_records",
            name="guesses",
            targets=targets,
            released=Sql("guess_released"),
            distance=distance,
            parts=[self._render_part(number) if number in known else Sql("0") for number in secrets],
            bounded=bounded,
            span=self.tables.span,
        )
        attempts = []
        for index, number in enumerate(secrets):
            rows = self.session.run(
                "guessed_secrets",
                targets=Sql("targets"),
                guesses=Sql("guesses"),
                released=self.tables.code_table(RELEASED),
                guess=f"guess{index}",
                secret=f"c{number}",
                numbers=self.tables.value_table(number) if number in self.tables.numeric else None,
                tolerance=float(tolerance),
                records=self.tables.records[RELEASED],
                seed=self.seed,
            )
            attempts.append(_count_successes(rows, rows[0]["naive"]))
        return attempts

    def measure_closeness(self) -> list[dict[str, Any]]:
        """Measure how near drawn records of the other tables are to the original.

        Returns:
            A row for each of both: ``records``, ``copies``, and low and middle values of DCR and NNDR.
        """
        tables = self.tables
        drawn = [name for name in (RELEASED, CONTROL) if name in tables.names]
        self.session.run(
            "risk_targets",
            name="drawn_records",
            tables=[tables.code_table(name) for name in drawn],
            columns=tables.columns,
            attacks=self.attacks,
            seed=self.seed,
        )
        places = list(range(len(tables.columns)))
        distance = self._make_points("closest", places, (), "drawn_records", ORIGINAL)
        rows = self.session.run(
            "closest_records",
            drawn=Sql("drawn_records"),
            targets=Sql("closest_targets"),
            released=Sql("closest_released"),
            distance=distance,
            largest=tables.unit * len(places),
        )
        return [{**row, "origin": drawn[row["origin"]]} for row in rows]

    def _make_points(
        self,
        name: str,
        places: Sequence[int],
        carried: Sequence[str] = (),
        targets: str = "targets",
        released: str = RELEASED,
    ) -> Sql:
        """Make the tables that distances are computed from; return the distance."""
        numeric = [number for number in places if number in self.tables.numeric]
        categories = [number for number in places if number not in self.tables.numeric]
        fields: Fields = pack_fields([self.tables.codes[number] + 1 for number in categories])
        for table, source, keys in (
            (f"{name}_targets", Sql(targets), ["target", *carried]),
            (f"{name}_released", self.tables.code_table(released), ["record", *carried]),
        ):
            self.session.run(
                "risk_points",
                name=table,
                source=source,
                keys=keys,
                numeric=numeric,
                tables=[self.tables.value_table(number) for number in numeric],
                categories=categories,
                words=fields.words,
                code_factors=fields.places,
                unit=self.tables.unit,
            )
        return render(
            "risk_distance",
            left="target",
            right="released",
            numeric=numeric,
            gaps=[number for number in numeric if number in self.tables.gaps],
            words=fields.names,
            filled=fields.filled,
            marks=fields.marks,
            unit=self.tables.unit,
        )

    def _render_part(self, number: int) -> Sql:
        return render(
            "risk_part",
            left="target",
            right="released",
            place=number,
            numeric=number in self.tables.numeric,
            unit=self.tables.unit,
        )


def _count_successes(rows: Sequence[Mapping[str, int]], naive: int) -> Tried:
    """Return the attacks on the original and on the control set, from a row of each."""
    first, *others = rows
    if not others:
        return Tried(first["attacks"], first["successes"], naive)
    control = others[0]
    return Tried(
        first["attacks"],
        first["successes"],
        naive,
        control["attacks"],
        control["successes"],
        control["successes"],
    )
