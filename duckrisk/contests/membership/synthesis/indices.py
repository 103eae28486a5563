"""Measures the utility of releases by four indices, which are 1 if nothing is lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.contests.common import run_facts
from duckrisk.contests.membership.records import DUMMIES, Encoding, load
from duckrisk.contests.membership.synthesis import trees
from duckrisk.contests.membership.synthesis.results import (
    AttributeDistance,
    Check,
    CorrelationIndex,
    CovarianceIndex,
    EncodedAttribute,
    HistogramIndex,
    Indices,
    ReleaseIndices,
    Round,
    RoundName,
    Rounds,
    TreeIndex,
    Utility,
    UtilitySettings,
)
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier
from duckrisk.source import Request

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
#: The thresholds of each round; that of "trees" applies to each tree (rules of PWS Cup 2020).
ROUNDS: dict[RoundName, dict[str, float]] = {
    "preliminary": {"histogram": 0.99, "covariance": 0.4, "trees": 0.85},
    "final": {"histogram": 0.97, "correlation": 0.90, "trees": 0.95},
}
#: The tables of a run.
ORIGINAL, TEST = "original", "test"


@dataclass(frozen=True)
class UtilityOptions:
    """How utility is measured.

    Attributes:
        attributes: The columns that take part; None for all.
        targets: The targets of the trees; empty for those of the contest.
        show_values: Whether the categories of the worst dummies are named.
    """

    attributes: Sequence[str] | None = None
    targets: Sequence[trees.Target] = ()
    show_values: bool = False


def utility(
    original: Request,
    releases: Sequence[Request],
    test: Request | None = None,
    options: UtilityOptions | None = None,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Utility:
    """Measure how similar releases are to the original (PWS Cup 2020).

    Args:
        original: The table that releases were made of.
        releases: The releases.
        test: Records that trees predict; without them or scikit-learn, trees are not measured.
        options: How utility is measured.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        The indices of each release, compared with the thresholds of both rounds.

    Raises:
        UsageError: The tables or the options do not go together.
        SourceError: A table cannot be read.
    """
    options = options or UtilityOptions()
    if not releases:
        raise UsageError("membership.release_missing")
    names = [f"release_{number}" for number in range(1, len(releases) + 1)]
    requests = {ORIGINAL: original, **dict(zip(names, releases, strict=True))}
    if test is not None:
        requests[TEST] = test
    with Session(resources, progress) as session:
        session.steps.plan("source", "losses")
        encoding = load(session, requests, attributes=options.attributes, domain=[ORIGINAL, *names])
        session.steps.begin("losses")
        for table in encoding.tables.values():
            if table.records == 0:
                raise UsageError("membership.nothing_to_compare", table=table.name)
        return Utility(
            version=SCHEMA_VERSION,
            kind="membership_utility",
            original=encoding.tables[ORIGINAL].described,
            test=encoding.tables[TEST].described if test is not None else None,
            attributes=tuple(EncodedAttribute(a.name, a.numeric, a.dummies) for a in encoding.attributes),
            releases=_Run(session, encoding, options).measure(names),
            settings=UtilitySettings(options.show_values),
            **run_facts(session),
        )


class _Run:
    """The measures of one session over all releases."""

    def __init__(self, session: Session, encoding: Encoding, options: UtilityOptions) -> None:
        self.session, self.encoding, self.options = session, encoding, options
        self.targets = trees.check_targets(session, encoding, options.targets, ORIGINAL)
        self.reason = trees.explain_absence(TEST in encoding.tables, self.targets)
        self.trees = None
        if self.reason is None:
            self.trees = trees.Trees(session, encoding, self.targets, ORIGINAL, TEST)

    def measure(self, releases: Sequence[str]) -> tuple[ReleaseIndices, ...]:
        """Return the indices of each release."""
        original = make_covariances(self.session, self.encoding, ORIGINAL)
        return tuple(self._measure_release(name, original) for name in self.session.steps.track(releases))

    def _measure_release(self, name: str, original: str) -> ReleaseIndices:
        release = make_covariances(self.session, self.encoding, name)
        covariance, correlation = compare_matrices(
            self.session, self.encoding, original, release, self.options.show_values
        )
        measured = judge_indices(
            compare_histograms(self.session, self.encoding, ORIGINAL, name),
            covariance,
            correlation,
            self.trees.measure(name) if self.trees is not None else None,
            self.reason,
        )
        table = self.encoding.tables[name]
        return ReleaseIndices(table.name, table.records, measured)


def judge_indices(
    histogram: HistogramIndex,
    covariance: CovarianceIndex,
    correlation: CorrelationIndex,
    trees: tuple[TreeIndex, ...] | None,
    reason: Sentence | None,
) -> Indices:
    """Compare the indices of a release with the thresholds of both rounds.

    Args:
        histogram: The histogram index.
        covariance: The covariance index.
        correlation: The correlation index.
        trees: The index of each tree; None if trees were not measured.
        reason: Why they were not.
    """
    values = {
        "histogram": histogram.value,
        "covariance": math.inf if covariance.infinite else covariance.value,
        "correlation": correlation.value,
    }
    rounds = Rounds(*(judge_round(values, trees, ROUNDS[name]) for name in ("preliminary", "final")))
    return Indices(histogram, covariance, correlation, trees, reason, rounds)


def judge_round(
    values: Mapping[str, float | None], trees: Sequence[TreeIndex] | None, thresholds: Mapping[str, float]
) -> Round:
    """Compare indices with the thresholds of a round.

    Args:
        values: The indices by name.
        trees: The index of each tree; None if trees were not measured.
        thresholds: The thresholds by name.

    Returns:
        Each threshold with its value; and whether all are reached, None if something was not measured.
    """
    checks = []
    for index, threshold in thresholds.items():
        if index != "trees":
            value = values[index]
            finite = None if value == math.inf else value
            checks.append(Check(index, finite, threshold, value is not None and value >= threshold))
        elif trees is None:
            checks.append(Check(index, None, threshold, None))
        else:
            checks += [
                Check(f"tree {tree.attribute}", tree.value, threshold, tree.value >= threshold)
                for tree in trees
                if tree.judged
            ]
    answers = [check.passed for check in checks]
    return Round(tuple(checks), False if False in answers else None if None in answers else True)


# --- the indices of two tables -------------------------------------------------------------------


def compare_histograms(session: Session, encoding: Encoding, original: str, release: str) -> HistogramIndex:
    """Return U_hist of two encoded tables, and the distance of each attribute."""
    row = session.fetch_row(
        "histogram_index",
        original=identifier(original),
        release=identifier(release),
        attributes=encoding.columns,
    )
    names = [attribute.name for attribute in encoding.attributes]
    parts = zip(names, row["distances"], strict=True)
    return HistogramIndex(row["value"], row["distance"], tuple(AttributeDistance(*part) for part in parts))


def make_covariances(session: Session, encoding: Encoding, table: str) -> str:
    """Make the covariances and correlations of the dummies of an encoded table.

    Returns:
        The table ``dummy``, ``other``, ``covariance``, ``correlation``, with dummy <= other.
    """
    scales, codes = f"{table}_scales", f"{table}_codes"
    totals, products = f"{table}_totals", f"{table}_products"
    shape = {
        "attributes": encoding.columns,
        "starts": [attribute.first for attribute in encoding.attributes],
    }
    dummies = identifier(DUMMIES)
    source, scaling = identifier(table), {"dummies": dummies, "scales": identifier(scales)}
    session.run("number_scales", name=scales, source=source, attributes=encoding.columns)
    session.run("dummy_codes", name=codes, source=source, attributes=encoding.columns, **scaling)
    session.run("dummy_totals", name=totals, codes=identifier(codes), dummies=dummies, **shape)
    session.run(
        "dummy_products",
        name=products,
        codes=identifier(codes),
        totals=identifier(totals),
        numeric=[attribute.number for attribute in encoding.attributes if attribute.numeric],
        dummies=dummies,
        **shape,
    )
    name = f"{table}_covariances"
    session.run(
        "dummy_covariances",
        name=name,
        totals=identifier(totals),
        products=identifier(products),
        records=encoding.tables[table].records,
        **scaling,
    )
    return name


def compare_matrices(
    session: Session, encoding: Encoding, original: str, release: str, show_values: bool = False
) -> tuple[CovarianceIndex, CorrelationIndex]:
    """Return U_VCM and U_cor of two tables that :func:`make_covariances` made.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        original: The covariances of the original.
        release: The covariances of the release.
        show_values: Whether the categories of the worst dummies are named.
    """
    both = {
        "original": identifier(original),
        "release": identifier(release),
        "dummies": identifier(DUMMIES),
    }
    rows = [session.fetch_row(name, **both) for name in ("covariance_index", "correlation_index")]
    for row in rows:
        for key in row:
            if key.endswith("attribute") and row[key] is not None:
                row[key] = encoding.attributes[row[key]].name
            if key.endswith("category") and not show_values:
                row[key] = None
    covariance, correlation = rows
    return (
        CovarianceIndex(**covariance, infinite=covariance["value"] is None),
        CorrelationIndex(**correlation),
    )
