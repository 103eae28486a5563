"""The attacks on membership, registered by name.

An attack is an entry of :data:`REGISTRY`: a small class with its name and the score that it gives candidates.
Its legend is the key ``membership.attack.NAME`` of the words. The option ``--attack``, the legend of reports
and the error for unknown names read the registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from duckrisk.base.sentences import Sentence

if TYPE_CHECKING:
    from duckrisk.contests.membership.attacks.candidates import Candidates


@dataclass(frozen=True)
class Attack:
    """An attack, which scores each candidate by how likely it is a member.

    Attributes:
        name: Its name in options, reports and JSON.
        is_experiment: Whether it learns from known members, so that it is no attack in practice.
    """

    name: str
    is_experiment: ClassVar[bool] = False

    @property
    def legend(self) -> Sentence:
        """The sentence of reports that says how it scores."""
        return Sentence(f"membership.attack.{self.name}")

    @property
    def table(self) -> str:
        """The table that :meth:`rank` makes."""
        return f"{self.name.replace('-', '_')}_scores"

    def rank(self, candidates: Candidates) -> None:
        """Make :attr:`table` of all candidates: ``record``, ``score``, ``place`` from 1.

        A larger score means a likelier member.

        Args:
            candidates: The session and what attacks share.

        Raises:
            UsageError: The attack cannot be made on these tables.
        """
        scores = f"{self.table}_made"
        self.score(candidates, scores)
        candidates.rank(self.table, scores)

    def score(self, candidates: Candidates, table: str) -> None:
        """Make the table ``record``, ``score`` of all candidates."""
        raise NotImplementedError


@dataclass(frozen=True)
class Distance(Attack):
    """Scores the candidates nearest to the records of the release."""

    def score(self, candidates: Candidates, table: str) -> None:
        """Compare both directions of nearness."""
        candidates.session.run(
            "distance_scores",
            name=table,
            candidates=candidates.match_candidates(),
            released=candidates.match_released(),
        )


@dataclass(frozen=True)
class Nearest(Attack):
    """Scores a candidate by the distance of its nearest record of the release."""

    def score(self, candidates: Candidates, table: str) -> None:
        """Turn distances into scores."""
        candidates.session.run("nearness_scores", name=table, candidates=candidates.match_candidates())


@dataclass(frozen=True)
class Calibrated(Attack):
    """Scores as :class:`Nearest`, less the nearness of reference records."""

    def score(self, candidates: Candidates, table: str) -> None:
        """Compare with the nearest reference records."""
        references = candidates.match_references()
        candidates.session.run(
            "calibrated_scores", name=table, candidates=candidates.match_candidates(), references=references
        )


@dataclass(frozen=True)
class Density(Attack):
    """Scores a candidate by how much more frequent its values are in the release than elsewhere."""

    def score(self, candidates: Candidates, table: str) -> None:
        """Compare frequencies in blocks of attributes."""
        candidates.session.run(
            "density_scores",
            name=table,
            population=candidates.population,
            released=candidates.released,
            reference=candidates.reference,
            blocks=candidates.list_blocks(),
        )


@dataclass(frozen=True)
class Clusters(Attack):
    """Scores by the nearest record of the release in distances to centroids of k-means.

    Attributes:
        common: Whether both tables are compared by the centroids of the population.
    """

    common: bool = False

    def score(self, candidates: Candidates, table: str) -> None:
        """Compare distances to centroids."""
        nearest = candidates.match_by_centroids(common=self.common)
        candidates.session.run("nearness_scores", name=table, candidates=nearest)


@dataclass(frozen=True)
class LikelihoodRatio(Attack):
    """Scores by the likelihood of the nearness with and without the candidate, from shadow releases.

    Attributes:
        online: Whether shadows with the candidate are compared, too.
    """

    online: bool = True

    def score(self, candidates: Candidates, table: str) -> None:
        """Compare with the distributions of shadow releases."""
        candidates.session.run(
            "likelihood_scores",
            name=table,
            candidates=candidates.match_candidates(),
            fits=candidates.fit_shadows(online=self.online),
            online=self.online,
        )


@dataclass(frozen=True)
class FellegiSunter(Attack):
    """Scores a candidate by what its agreement with each record of the release weighs."""

    def score(self, candidates: Candidates, table: str) -> None:
        """Sum the probabilities that a record of the release was made of the candidate."""
        candidates.weigh_agreement(table)


@dataclass(frozen=True)
class Classifier(Attack):
    """Scores some members and as many others by classifiers that learned to recognize them."""

    is_experiment = True

    def rank(self, candidates: Candidates) -> None:
        """Learn the classifiers; they rank by two rules."""
        candidates.run_experiment(self.table)


#: Every attack by its name, in the order in which help and reports list them.
REGISTRY: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        Distance("distance"),
        Nearest("nearest"),
        Calibrated("calibrated"),
        Density("density"),
        Clusters("kmeans"),
        Clusters("kmeans-common", common=True),
        LikelihoodRatio("lira"),
        LikelihoodRatio("lira-offline", online=False),
        FellegiSunter("fellegi-sunter"),
        Classifier("classifier"),
    )
}
#: The attacks that "all" stands for.
ATTACKS = tuple(name for name, attack in REGISTRY.items() if not attack.is_experiment)
#: The experiment with known members, which runs only if it is named.
EXPERIMENT = next(name for name, attack in REGISTRY.items() if attack.is_experiment)
