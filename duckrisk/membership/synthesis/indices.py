"""The utility of releases: histogram, covariance, correlation and tree indices, 1 where nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckrisk
from duckrisk.errors import UsageError
from duckrisk.membership.records import DUMMIES, Encoding, load
from duckrisk.membership.synthesis import trees
from duckrisk.report.membership.utility import Utility
from duckrisk.session import Resources, Session
from duckrisk.source import Request
from duckrisk.templates import identifier

#: Raised whenever a key of the report changes its meaning or goes away.
SCHEMA_VERSION = 1
#: What a release has to reach in each round; "trees" is of each tree that is judged.
ROUNDS: dict[str, dict[str, float]] = {
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
    progress: Callable[[str, float | None], None] | None = None,
) -> Utility:
    """Measure how like releases are to the original by the indices of PWS Cup 2020, and judge them by the
    thresholds of both rounds. Trees need records to be tested on (``test``) and scikit-learn; without one
    of them they are not measured. Raises the errors of :mod:`duckrisk.errors`."""
    options = options or UtilityOptions()
    if not releases:
        raise UsageError("Name the original and at least one release of it.")
    names = [f"release_{number}" for number in range(1, len(releases) + 1)]
    requests = {ORIGINAL: original, **dict(zip(names, releases, strict=True))}
    if test is not None:
        requests[TEST] = test
    with Session(resources, progress) as session:
        encoding = load(session, requests, attributes=options.attributes, domain=[ORIGINAL, *names])
        for table in encoding.tables.values():
            if table.records == 0:
                raise UsageError(f'"{table.name}" has no records; there is nothing to compare.')
        data = {
            "version": SCHEMA_VERSION,
            "kind": "membership_utility",
            "original": _entry(encoding, ORIGINAL),
            "test": _entry(encoding, TEST) if test is not None else None,
            "attributes": [
                {"name": each.name, "numeric": each.numeric, "dummies": each.dummies}
                for each in encoding.attributes
            ],
            "releases": _Indices(session, encoding, options).of(names),
            "settings": {"show_values": options.show_values},
            "environment": {"duckrisk": duckrisk.__version__, "duckdb": session.engine_version},
        }
        return Utility(data, tuple(session.log))


def _entry(encoding: Encoding, name: str) -> dict[str, Any]:
    return {"name": encoding.tables[name].name, "records": encoding.tables[name].records}


class _Indices:
    """The indices of one release after the other."""

    def __init__(self, session: Session, encoding: Encoding, options: UtilityOptions) -> None:
        self.session, self.encoding, self.options = session, encoding, options
        self.targets = trees.targets_of(session, encoding, options.targets, ORIGINAL)
        self.reason = trees.why_not(TEST in encoding.tables, self.targets)
        self.trees = None
        if self.reason is None:
            self.trees = trees.Trees(session, encoding, self.targets, ORIGINAL, TEST)

    def of(self, releases: Sequence[str]) -> list[dict[str, Any]]:
        original = covariances(self.session, self.encoding, ORIGINAL)
        return [self._release(name, original) for name in releases]

    def _release(self, name: str, original: str) -> dict[str, Any]:
        release = covariances(self.session, self.encoding, name)
        made = {
            **_entry(self.encoding, name),
            "histogram": histogram(self.session, self.encoding, ORIGINAL, name),
            **self._shown(matrix_indices(self.session, original, release)),
            "trees": self.trees.of(name) if self.trees is not None else None,
            "trees_not_measured": self.reason,
        }
        return {**made, "rounds": {each: judged(made, each) for each in ROUNDS}}

    def _shown(self, found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Attributes by their names, and categories only where they may be shown."""
        for entry in found.values():
            for key in entry:
                if key.endswith("attribute") and entry[key] is not None:
                    entry[key] = self.encoding.attributes[entry[key]].name
                if key.endswith("category") and not self.options.show_values:
                    entry[key] = None
        return found


def judged(entry: dict[str, Any], name: str) -> dict[str, Any]:
    """Each threshold of a round with the value that is held against it and whether it is reached (None: not
    measured), and whether all are: None where that is still open."""
    checks: list[dict[str, Any]] = []
    for index, threshold in ROUNDS[name].items():
        if index != "trees":
            value, infinite = entry[index]["value"], entry[index].get("infinite", False)
            passed = infinite or value >= threshold
            checks.append({"index": index, "value": value, "threshold": threshold, "passed": passed})
            continue
        for tree in entry["trees"] or []:
            if tree["judged"]:
                passed = tree["value"] >= threshold
                made = {"index": f"tree {tree['attribute']}", "value": tree["value"]}
                checks.append({**made, "threshold": threshold, "passed": passed})
        if entry["trees"] is None:
            checks.append({"index": "trees", "value": None, "threshold": threshold, "passed": None})
    answers = [check["passed"] for check in checks]
    return {"checks": checks, "passed": False if False in answers else None if None in answers else True}


# --- the indices of two tables -------------------------------------------------------------------


def histogram(session: Session, encoding: Encoding, original: str, release: str) -> dict[str, Any]:
    """U_hist of two encoded tables, and how far each attribute's counts are apart."""
    found = session.row(
        "histogram_index",
        original=identifier(original),
        release=identifier(release),
        attributes=encoding.columns,
    )
    parts = found.pop("distances")
    names = [attribute.name for attribute in encoding.attributes]
    found["attributes"] = [
        {"attribute": name, "distance": part} for name, part in zip(names, parts, strict=True)
    ]
    return found


def covariances(session: Session, encoding: Encoding, table: str) -> str:
    """Make the covariances and correlations of the dummies of an encoded table; the name of their table
    (dummy, other, covariance, correlation; dummy <= other)."""
    scales, codes = f"{table}_scales", f"{table}_codes"
    totals, products = f"{table}_totals", f"{table}_products"
    shape = {"attributes": encoding.columns, "places": [each.first for each in encoding.attributes]}
    dummies = identifier(DUMMIES)
    source, known = identifier(table), {"dummies": dummies, "scales": identifier(scales)}
    session.run("number_scales", name=scales, source=source, attributes=encoding.columns)
    session.run("dummy_codes", name=codes, source=source, attributes=encoding.columns, **known)
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
    made = f"{table}_covariances"
    session.run(
        "dummy_covariances",
        name=made,
        totals=identifier(totals),
        products=identifier(products),
        records=encoding.tables[table].records,
        **known,
    )
    return made


def matrix_indices(session: Session, original: str, release: str) -> dict[str, dict[str, Any]]:
    """U_VCM and U_cor of two tables that :func:`covariances` made; attributes by their numbers."""
    both = {
        "original": identifier(original),
        "release": identifier(release),
        "dummies": identifier(DUMMIES),
    }
    covariance = session.row("covariance_index", **both)
    covariance["infinite"] = covariance["value"] is None
    return {"covariance": covariance, "correlation": session.row("correlation_index", **both)}
