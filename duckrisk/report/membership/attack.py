"""Finished attacks on the membership of a release, and the forms they can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duckrisk.report.membership.figures import curves
from duckrisk.report.parts import Part, Report
from duckrisk.report.tables import Table
from duckrisk.report.text import number
from duckrisk.session import Statement

_WORDS = {
    "distance": "distance: the candidates nearest to the records of the release",
    "nearest": "nearest: how near the nearest record of the release is",
    "calibrated": "calibrated: the same, less how near reference records are",
    "density": "density: how much more frequent values are in the release than elsewhere",
    "kmeans": "kmeans: nearest by the distances to the centroids of clusters, each table to its own",
    "kmeans-common": "kmeans-common: nearest by the distances of both tables to the population's centroids",
    "lira": "lira: how much likelier the nearness is with the candidate than without, by shadow releases",
    "lira-offline": "lira-offline: how unlikely the nearness is without the candidate, by shadow releases",
    "classifier": "classifier: of some members and as many others, how sure the classifier of each is that "
    "it is in the release",
}
_READING = (
    "Hits are guesses that are members. By chance is what guessing without looking hits on average, and the "
    "probability is that of as many hits or more by it. An attack is void where chance finds as much with a "
    "probability of 5% or more: it says nothing of safety, as a better one may do more."
)
_READING_SCORES = (
    "TPR at a FPR: the members that are found where so many of the others at most are taken for members; "
    "chance finds as many as the FPR. AUC and balanced accuracy are 0.5 by chance."
)


@dataclass(frozen=True, repr=False)
class Attack(Report):
    """Attacks on a release. ``data["attacks"]`` has an entry for each: its ``guesses``, as places in the
    population from 0, the surest first; and where the members were given ``hits``, ``accuracy``, ``expected``
    hits of chance, ``lift``, the ``chance`` of as many, ``void``, and of its ``scores`` AUC, balanced
    accuracy, TPR at low FPR with intervals, and points of the ROC curve."""

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()

    @property
    def attacks(self) -> list[dict[str, Any]]:
        """What each attack guessed, in the order they were named."""
        found: list[dict[str, Any]] = self.data["attacks"]
        return found

    def title(self) -> str:
        population, released = self.data["population"], self.data["released"]
        return (
            f'Who of "{population["name"]}", {number(population["records"])} candidates, was in what '
            f'"{released["name"]}", {number(released["records"])} records, was made from'
        )

    def parts(self) -> list[Part]:
        """What is told."""
        guesses = number(self.data["guesses"])
        made = [Part(_WORDS[entry["attack"]] + ".") for entry in self.attacks]
        if self.data["members"] is None:
            first = [(entry["attack"], ", ".join(map(str, entry["guesses"][:10]))) for entry in self.attacks]
            made.append(Part(table=Table(("attack", "first guesses"), tuple(first))))
            made.append(
                Part(
                    f"Each guesses {guesses} candidates, told by their places in the population from 0. "
                    "Without the members it is not known how many are right."
                )
            )
            return made
        heads = ("attack", "hits", "by chance", "lift", "probability", "")
        rows = [
            (
                entry["attack"],
                f"{number(entry['hits'])} of {number(len(entry['guesses']))}",
                f"{entry['expected']:.1f}",
                f"{entry['lift']:.2f}",
                f"{entry['chance']:.2g}",
                "void" if entry["void"] else "",
            )
            for entry in self.attacks
        ]
        made += [Part(table=Table(heads, tuple(rows), (1, 2, 3, 4))), Part(_READING)]
        for entry in self.attacks:
            if "experiment" in entry:
                made += _experiment(entry)
        drawing = curves([(entry["attack"], entry["scores"]) for entry in self.attacks])
        if drawing is not None:
            made.append(Part("Scores", 2))
            made += [Part(table=_areas(self.attacks)), Part(table=_rates(self.attacks))]
            made += [Part(_READING_SCORES), Part("ROC curves", figure=drawing)]
        return made


def _experiment(entry: dict[str, Any]) -> list[Part]:
    """What classifiers of members and of others made of the release."""
    told = entry["experiment"]
    heads = ("Score of the release", "members", "others", "AUC")
    rows = tuple(
        (
            words,
            f"{told[name]['members_mean']:.3f} ± {told[name]['members_deviation']:.3f}",
            f"{told[name]['others_mean']:.3f} ± {told[name]['others_deviation']:.3f}",
            f"{told[name]['auc']:.3f}",
        )
        for name, words in (("largest", "largest probability"), ("mean", "mean of the largest 1%"))
    )
    verdict = (
        "Classifiers of members are no surer of the release than those of others: the experiment fails, as "
        "it did in the contest, and says nothing of safety."
        if entry["void"]
        else "Classifiers of members are surer of the release than those of others."
    )
    how = (
        f"Each of {number(2 * told['targets'])} classifiers learns one record, copied {told['copies']} "
        f"times, beside {told['beside']} that are not in the release, in {told['folds']} folds. All copies "
        "are learnt from in every fold, so that none is tested on what it learnt; of "
        f"{number(told['held_out'])} records that were held out {number(told['false_alarms'])} were taken "
        "for the target."
    )
    table = Table(heads, rows, (1, 2, 3))
    return [Part("The experiment with classifiers", 2), Part(table=table), Part(verdict), Part(how)]


def _areas(entries: list[dict[str, Any]]) -> Table:
    rows = [
        (entry["attack"], f"{entry['scores']['auc']:.4f}", f"{entry['scores']['balanced_accuracy']:.4f}")
        for entry in entries
        if entry["scores"]["curve"]
    ]
    return Table(("attack", "AUC", "balanced accuracy"), tuple(rows), (1, 2))


def _rates(entries: list[dict[str, Any]]) -> Table:
    """The members that are found at each rate of false alarms."""
    rows = [
        (
            entry["attack"],
            f"{rate['fpr']:g}",
            f"{rate['tpr']:.4f}",
            f"{rate['lower']:.4f} to {rate['upper']:.4f}",
            f"{number(rate['true_positives'])} of {number(rate['members'])}",
        )
        for entry in entries
        if entry["scores"]["curve"]
        for rate in entry["scores"]["rates"]
    ]
    return Table(("attack", "FPR", "TPR", "95 %", "found"), tuple(rows), (1, 2, 4))
