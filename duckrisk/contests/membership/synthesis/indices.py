"""The utility of releases: histogram, covariance, correlation and tree indices, 1 where nothing is lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.results import Environment
from duckrisk.base.sentences import Sentence
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

#: What a release has to reach in each round; "trees" is of each tree that is judged.
ROUNDS: dict[RoundName, dict[str, float]] = {
    "preliminary": {"histogram": 0.99, "covariance": 0.4, "trees": 0.85},
    "final": {"histogram": 0.97, "correlation": 0.90, "trees": 0.95},
}
#: The tables of a run.
ORIGINAL, TEST = "original", "test"


@dataclass(frozen=True)
class UtilityOptions:
    """``attributes`` that take part (all); ``targets`` of the trees (on the contest's columns income and
    relationship); ``show_values``: name the categories of the worst dummies."""

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
    """Measure how like releases are to the original by the indices of PWS Cup 2020, and judge them by the
    thresholds of both rounds. Trees need records to be tested on (``test``) and scikit-learn; without one
    of them they are not measured. Raises the errors of :mod:`duckrisk.base.errors`."""
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
            original=encoding.tables[ORIGINAL].told,
            test=encoding.tables[TEST].told if test is not None else None,
            attributes=tuple(
                EncodedAttribute(each.name, each.numeric, each.dummies) for each in encoding.attributes
            ),
            releases=_Measuring(session, encoding, options).of(names),
            settings=UtilitySettings(options.show_values),
            environment=Environment(duckrisk.__version__, session.engine_version),
            statements=tuple(session.log),
        )


class _Measuring:
    """The indices of one release after the other."""

    def __init__(self, session: Session, encoding: Encoding, options: UtilityOptions) -> None:
        self.session, self.encoding, self.options = session, encoding, options
        self.targets = trees.targets_of(session, encoding, options.targets, ORIGINAL)
        self.reason = trees.why_not(TEST in encoding.tables, self.targets)
        self.trees = None
        if self.reason is None:
            self.trees = trees.Trees(session, encoding, self.targets, ORIGINAL, TEST)

    def of(self, releases: Sequence[str]) -> tuple[ReleaseIndices, ...]:
        original = covariances(self.session, self.encoding, ORIGINAL)
        return tuple(self._release(name, original) for name in self.session.steps.track(releases))

    def _release(self, name: str, original: str) -> ReleaseIndices:
        release = covariances(self.session, self.encoding, name)
        covariance, correlation = matrix_indices(
            self.session, self.encoding, original, release, self.options.show_values
        )
        measured = indices(
            histogram(self.session, self.encoding, ORIGINAL, name),
            covariance,
            correlation,
            self.trees.of(name) if self.trees is not None else None,
            self.reason,
        )
        table = self.encoding.tables[name]
        return ReleaseIndices(table.name, table.records, measured)


def indices(
    histogram: HistogramIndex,
    covariance: CovarianceIndex,
    correlation: CorrelationIndex,
    trees: tuple[TreeIndex, ...] | None,
    reason: Sentence | None,
) -> Indices:
    """The indices of a release, held against the thresholds of both rounds."""
    values = {
        "histogram": histogram.value,
        "covariance": math.inf if covariance.infinite else covariance.value,
        "correlation": correlation.value,
    }
    rounds = Rounds(*(judged(values, trees, ROUNDS[name]) for name in ("preliminary", "final")))
    return Indices(histogram, covariance, correlation, trees, reason, rounds)


def judged(
    values: Mapping[str, float | None], trees: Sequence[TreeIndex] | None, thresholds: Mapping[str, float]
) -> Round:
    """Each threshold with the value that is held against it and whether it is reached (None: not measured),
    and whether all are: None where that is still open."""
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


def histogram(session: Session, encoding: Encoding, original: str, release: str) -> HistogramIndex:
    """U_hist of two encoded tables, and how far each attribute's counts are apart."""
    row = session.fetch_row(
        "histogram_index",
        original=identifier(original),
        release=identifier(release),
        attributes=encoding.columns,
    )
    names = [attribute.name for attribute in encoding.attributes]
    parts = zip(names, row["distances"], strict=True)
    return HistogramIndex(row["value"], row["distance"], tuple(AttributeDistance(*part) for part in parts))


def covariances(session: Session, encoding: Encoding, table: str) -> str:
    """Make the covariances and correlations of the dummies of an encoded table; the name of their table
    (dummy, other, covariance, correlation; dummy <= other)."""
    scales, codes = f"{table}_scales", f"{table}_codes"
    totals, products = f"{table}_totals", f"{table}_products"
    shape = {"attributes": encoding.columns, "places": [each.first for each in encoding.attributes]}
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
        numeric=[each.number for each in encoding.attributes if each.numeric],
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


def matrix_indices(
    session: Session, encoding: Encoding, original: str, release: str, show_values: bool = False
) -> tuple[CovarianceIndex, CorrelationIndex]:
    """U_VCM and U_cor of two tables that :func:`covariances` made; categories only where they may be
    shown."""
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
