"""What attacks on one release share: nearest records, centroids and shadow releases, each made once."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.contests.common import count_rows
from duckrisk.contests.membership.attacks import classifier, kmeans, shadows
from duckrisk.contests.membership.attacks.fellegi_sunter import Agreement
from duckrisk.contests.membership.attacks.results import Experiment
from duckrisk.contests.membership.attacks.scoring import rank_records
from duckrisk.contests.membership.neighbours import Shape, nearest_records
from duckrisk.contests.membership.options import AttackOptions
from duckrisk.contests.membership.records import Encoding
from duckrisk.engine.session import Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier

#: The tables of a run by their roles; other releases are numbered.
POPULATION, RELEASED, MEMBERS, REFERENCE = "population", "released", "members", "reference"
OTHER_RELEASE = "also_released_"
#: The table of the members' places in the population.
TRUE_MEMBERS = "true_members"
#: Attributes of a block of the attack density by default (a choice: the values of three
#: attributes together still recur in a release).
_BLOCK_SIZE = 3


class Candidates:
    """The candidates of one run, for the attacks of :mod:`duckrisk.contests.membership.attacks.registry`.

    Args:
        session: Runs the statements.
        encoding: The encoded tables of the run.
        options: How membership is guessed.
        line: Shows the progress of an attack.
    """

    def __init__(
        self, session: Session, encoding: Encoding, options: AttackOptions, line: ProgressCallback | None
    ) -> None:
        self.session, self.encoding, self.options, self.line = session, encoding, options, line
        numeric = encoding.numeric
        self.shape = Shape(tuple(numeric), tuple(c for c in encoding.columns if c not in numeric))
        self.population, self.released = identifier(POPULATION), identifier(RELEASED)
        #: The facts of the experiment, once it has run.
        self.experiment: Experiment | None = None
        self._made: set[str] = set()
        self._centroids: int | None = None

    @property
    def has_reference(self) -> bool:
        """Whether there are reference records."""
        return REFERENCE in self.encoding.tables

    @property
    def reference(self) -> Sql:
        """The reference records, or the population without any."""
        return identifier(REFERENCE if self.has_reference else POPULATION)

    def rank(self, table: str, scores: str) -> None:
        """Make the ranking of all candidates by their scores."""
        rank_records(self.session, table, scores)

    def match_candidates(self) -> Sql:
        """Return the table of each candidate's nearest record of the release."""
        return self._find_nearest(POPULATION, RELEASED, "nearest_of_population")

    def match_released(self) -> Sql:
        """Return the table of each released record's nearest candidate."""
        return self._find_nearest(RELEASED, POPULATION, "nearest_of_released")

    def match_references(self) -> list[Sql]:
        """Return the tables of the candidates' nearest reference records.

        Without reference records, each half of the population is compared with as many records of the other
        half as the release has.

        Raises:
            UsageError: The population has a single record.
        """
        if self.has_reference:
            return [self._find_nearest(POPULATION, REFERENCE, "nearest_of_reference")]
        if self.encoding.tables[POPULATION].records < 2:
            raise UsageError("membership.calibrated_without_reference")
        tables = []
        most = self.encoding.tables[RELEASED].records
        for half in (0, 1):
            for name, part, limit in (("half_asked", half, None), ("half_known", 1 - half, most)):
                self.session.run(
                    "population_half",
                    name=name,
                    source=self.population,
                    half=part,
                    limit=limit,
                    seed=self.options.seed,
                    columns=self.encoding.columns,
                )
            tables.append(self._find_nearest("half_asked", "half_known", f"nearest_of_half_{half}"))
        return tables

    def match_by_centroids(self, *, common: bool) -> Sql:
        """Return the table of each candidate's nearest record by distances to centroids.

        Args:
            common: Whether both tables are compared by the centroids of the population.
        """
        if self._centroids is None:
            options = self.options
            self._centroids = kmeans.cluster(
                self.session,
                POPULATION,
                RELEASED,
                self.shape,
                options.clusters,
                options.starts,
                options.seed,
                options.standardise,
            )
        shape = kmeans.make_features(self.session, self._centroids, common=common)
        # Distances to centroids vary together, so that blocks are cut along more of them.
        nearest_records(
            self.session, "kmeans_population", "kmeans_released", shape, "nearest_features", levels=4
        )
        return Sql("nearest_features")

    def fit_shadows(self, *, online: bool) -> Sql:
        """Return the table of the distributions of nearness in shadow releases.

        Args:
            online: Whether shadows with the candidate are needed. Without them, shadows are made of reference
                records if there are any.
        """
        offline = not online and self.has_reference
        table = "reference_fits" if offline else "population_fits"
        if table not in self._made:
            settings = shadows.Shadows(
                POPULATION,
                REFERENCE if offline else POPULATION,
                RELEASED,
                self.options.shadows,
                float(self.options.weight),
                self.options.seed,
            )
            shadows.fit(self.session, self.encoding, self.shape, settings, table, self.line)
            self._made.add(table)
        return Sql(table)

    def weigh_agreement(self, table: str) -> None:
        """Make the table ``record``, ``score`` by the agreement of attributes.

        Args:
            table: The table that is made.
        """
        agreement = Agreement(self.session, POPULATION, RELEASED, self.encoding.columns)
        agreement.score(agreement.estimate(self.options.keep), table)

    def list_blocks(self) -> list[list[str]]:
        """Return the columns of each block of attributes, by default each three in a row."""
        if self.options.blocks is None:
            columns = self.encoding.columns
            return [columns[start : start + _BLOCK_SIZE] for start in range(0, len(columns), _BLOCK_SIZE)]
        return [[self.encoding.attribute(name).column for name in block] for block in self.options.blocks]

    def run_experiment(self, table: str) -> None:
        """Make the ranking of the targets, and keep the facts of the experiment.

        Raises:
            UsageError: There are too few members or others to learn from.
        """
        targets = self.options.targets
        members = count_rows(self.session, TRUE_MEMBERS)
        others = self.encoding.tables[POPULATION].records - members
        if members < targets or others < targets + classifier.FOLDS:
            raise UsageError(
                "membership.too_few_records_for_classifier", targets=targets, folds=classifier.FOLDS
            )
        releases = [RELEASED, *(name for name in self.encoding.tables if name.startswith(OTHER_RELEASE))]
        settings = classifier.Settings(POPULATION, tuple(releases), TRUE_MEMBERS, targets, self.options.seed)
        self.experiment = classifier.run_experiment(self.session, self.encoding, settings, table)

    def _find_nearest(self, asked: str, candidates: str, table: str) -> Sql:
        if table not in self._made:
            nearest_records(self.session, asked, candidates, self.shape, table, float(self.options.weight))
            self._made.add(table)
        return Sql(table)
