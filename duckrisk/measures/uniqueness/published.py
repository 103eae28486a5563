"""Measure who is singled out if columns are published in other forms, without a release."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, Sql
from duckrisk.measures import identifiability
from duckrisk.measures.uniqueness import _FactSearch
from duckrisk.measures.uniqueness.results import Together
from duckrisk.roles import Roles
from duckrisk.source.model import Column


@dataclass(frozen=True)
class PublishedColumn(Column):
    """A column in the form in which it is published.

    Attributes:
        cell: SQL of the published value, on the assessed view.
    """

    cell: Sql = field(kw_only=True)

    @property
    def binding(self) -> str:
        """SQL of the published value, which stands where the column's name does."""
        return self.cell


def publish_columns(roles: Roles, cells: Mapping[int, Sql | None], tokens: tuple[str, ...]) -> Roles:
    """Return the roles of a table whose columns are published in other forms.

    Args:
        roles: The roles of the table as it is.
        cells: By position of a column, SQL of the published value; None leaves the column out.
        tokens: Texts that mean a missing value.
    """
    decisions, attributes = [], []
    own = {
        decision.column.position: [
            attribute
            for attribute in roles.attributes
            if any(part.column == decision.column.binding for part in attribute.parts)
        ]
        for decision in roles.decisions
    }
    for decision in roles.decisions:
        column, known = decision.column, own[decision.column.position]
        cell = cells.get(column.position)
        if cell is not None and known:
            published = PublishedColumn(column.position, column.name, "VARCHAR", cell=cell)
            decision = replace(decision, column=published)
            known = [Attribute(column.name, (Part(cell, tokens=tokens),))]
        decisions.append(decision)
        attributes += known if column.position not in cells or cell is not None else []
    return replace(roles, decisions=decisions, attributes=list(dict.fromkeys(attributes)))


def measure_classes(session: Session, roles: Roles, options: identifiability.Options) -> Together:
    """Measure the equivalence classes of all quasi-identifiers together.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns, as they are or as :func:`publish_columns` returns them.
        options: The rule for missing values, and the texts that mean one.
    """
    known = replace(roles, attributes=roles.plausible)
    search = _FactSearch(session, known, options, random.Random(0))  # noqa: S311 (draws nothing)
    return search.measure_together(search.published)
