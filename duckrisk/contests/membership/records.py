"""Encodes records as numbers and categories, and lists the dummies of their one-hot vectors.

A file of the contest is CSV without a header and with nine columns; any other table is a source of any kind.
Tables are matched by the names of their columns. Every table becomes a temporary table with ``record`` (its
index in the file, from 0), ``n1, n2, ...`` for numbers and ``c1, c2, ...`` for categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import SourceError, UsageError, suggest_names
from duckrisk.base.results import Table
from duckrisk.contests.common import keep_file_order
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import is_number
from duckrisk.source import Column, Request, Source, open_sources, unify_column_types

if TYPE_CHECKING:
    from duckrisk.engine.session import Array

#: The columns of a file of the contest in their order, with the values of a category or the limits of a
#: number (rules of PWS Cup 2020).
CONTEST: dict[str, tuple[str, ...] | tuple[int, int]] = {
    "age": (17, 90),
    "workclass": (
        "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay",
        "Never-worked",
    ),
    "education": (
        "Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th",
        "7th-8th", "12th", "Masters", "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool",
    ),
    "marital-status": (
        "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent",
        "Married-AF-spouse",
    ),
    "occupation": (
        "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty",
        "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving",
        "Priv-house-serv", "Protective-serv", "Armed-Forces",
    ),
    "relationship": ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
    "sex": ("Female", "Male"),
    "hours-per-week": (1, 99),
    "income": ("<=50K", ">50K"),
}  # fmt: skip
#: The table of the dummies, and that of the categories of each attribute as lists.
DUMMIES, CATEGORIES = "dummies", "categories"
#: Dummies; a matrix has this many rows and columns (a choice: 8 MB, and seconds to decompose).
MAX_DUMMIES = 1000
_ADVICE = "name the columns that both have with --attribute, or call them alike"
#: The largest magnitude of a number; sums of larger squares overflow a double (derived: 1e8
#: squares of 1e300 stay below 1.8e308).
LARGEST = 1e150


@dataclass(frozen=True)
class Attribute:
    """A column that all tables have.

    Attributes:
        number: Its index among the attributes.
        name: Its name in the first table.
        column: Its name in the encoded tables.
        type: Its type in the first table.
        first: The index of its first dummy.
        dummies: The number of its dummies.
    """

    number: int
    name: str
    column: str
    type: str
    first: int = 0
    dummies: int = 1

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers; otherwise its values are categories."""
        return self.column.startswith("n")


def find_attribute(attributes: Sequence[Attribute], name: str) -> Attribute:
    """Return the attribute of that name, in another case if no name is equal.

    Raises:
        UsageError: There is none.
    """
    for key in (str, str.casefold):
        for attribute in attributes:
            if key(attribute.name) == key(name):
                return attribute
    names = [attribute.name for attribute in attributes]
    raise UsageError("membership.unknown_attribute", name=name, suggestion=suggest_names(name, names))


@dataclass(frozen=True)
class Records:
    """An encoded table.

    Attributes:
        table: Its name in the session.
        name: Its name in messages and reports.
        records: The number of its records.
        source: The source of the records.
        view: The view of the source.
        bindings: The columns of the attributes in that view.
    """

    table: str
    name: str
    records: int
    source: Source
    view: str
    bindings: tuple[str, ...]

    @property
    def described(self) -> Table:
        """The facts that results show."""
        return Table(self.name, self.records)


@dataclass(frozen=True)
class Feature:
    """A dummy of the one-hot vectors.

    Attributes:
        attribute: Its attribute.
        value: Its category; None for a number.
        place: The index of the category in the list of the attribute, from 1; None for a number.
    """

    attribute: Attribute
    value: str | None
    place: int | None


@dataclass(frozen=True)
class Encoding:
    """The encoded tables of a run.

    Attributes:
        tables: The tables by the names of their requests.
        attributes: Their attributes.
        dummies: The number of dummies; the table ``dummies`` (dummy, attribute, value) lists them.
        contest: Whether all tables are files of the contest.
    """

    tables: dict[str, Records]
    attributes: tuple[Attribute, ...]
    dummies: int
    contest: bool

    @property
    def columns(self) -> list[str]:
        """The columns of the encoded tables, in the order of the attributes."""
        return [attribute.column for attribute in self.attributes]

    @property
    def numeric(self) -> list[str]:
        """The columns of numbers in the encoded tables."""
        return [attribute.column for attribute in self.attributes if attribute.numeric]

    def attribute(self, name: str) -> Attribute:
        """Return the attribute of that name; see :func:`find_attribute`."""
        return find_attribute(self.attributes, name)

    def list_features(self, session: Session) -> list[Feature]:
        """Return the dummies in their order."""
        rows = session.run("list_dummies", dummies=identifier(DUMMIES))
        features = []
        for number, row in enumerate(rows):
            attribute = self.attributes[row["attribute"]]
            place = None if attribute.numeric else number - attribute.first + 1
            features.append(Feature(attribute, row["value"], place))
        return features


def feature_arguments(features: Sequence[Feature]) -> dict[str, Any]:
    """Return the arguments of statements that make a column of each dummy."""
    return {
        "columns": [feature.attribute.column for feature in features],
        "category_ids": [feature.place for feature in features],
        "category_lists": identifier(CATEGORIES),
    }


def feature_matrix(columns: dict[str, Array], features: int) -> Array:
    """Move the columns ``f0, f1, ...`` into a float32 matrix, a row a record."""
    import numpy

    matrix = numpy.empty((len(next(iter(columns.values()))), features), dtype=numpy.float32)
    for index in range(features):
        matrix[:, index] = columns.pop(f"f{index}")
    return matrix


@dataclass(frozen=True)
class OpenedTables:
    """Sources with the same attributes.

    Attributes:
        sources: The sources.
        views: The view of each.
        columns: The columns of each, by name.
        attributes: The attributes that all have.
        contest: Whether all are files of the contest.
    """

    sources: tuple[Source, ...]
    views: tuple[str, ...]
    columns: tuple[dict[str, Column], ...]
    attributes: tuple[Attribute, ...]
    contest: bool

    def bindings(self, index: int) -> tuple[str, ...]:
        """Return the columns of the attributes in the view of a source."""
        return tuple(self.columns[index][attribute.name].binding for attribute in self.attributes)


def open_tables(
    session: Session,
    requests: Mapping[str, Request],
    outputs: Sequence[str | Path] = (),
    attributes: Sequence[str] | None = None,
) -> OpenedTables:
    """Open sources, lock the session to them, and match their columns by name.

    Args:
        session: The session, which is locked to the sources and the `outputs`.
        requests: The sources by name.
        outputs: Files that the run writes.
        attributes: The columns that take part, by name; None for all of the first table.

    Raises:
        UsageError: The tables do not go together.
        SourceError: A source cannot be read.
    """
    keep_file_order(session)
    views = tuple(f"{name}_source" for name in requests)
    named = list(zip(views, requests.values(), strict=True))
    sources = open_sources(session, named, outputs, keep_texts=True)
    columns, chosen = match_columns(sources, attributes)
    agreed = _build_attributes(sources[0], columns[0], chosen)
    contest = all(is_contest(source) for source in sources)
    return OpenedTables(tuple(sources), views, tuple(columns), agreed, contest)


def match_columns(
    sources: Sequence[Source],
    attributes: Sequence[str] | None = None,
    *,
    numbers: bool = False,
    advice: str = _ADVICE,
) -> tuple[list[dict[str, Column]], list[str]]:
    """Match the columns of sources by name, and read the same values as the same text.

    Args:
        sources: The opened sources.
        attributes: The columns that take part, by name; None for all of the first source.
        numbers: Whether numbers are compared as they are spelled, too.
        advice: What to do about a column that one source lacks.

    Returns:
        The columns of each source by name, and the names of those that take part.

    Raises:
        UsageError: A column is missing in a source, or holds numbers in some of them only.
    """
    columns = [_columns_by_name(source) for source in sources]
    chosen = _choose_columns(sources[0], columns[0], attributes)
    for source, own in zip(sources[1:], columns[1:], strict=True):
        _refuse_differing(sources[0], source, chosen, columns[0], own, advice, every=attributes is None)
    unify_column_types(sources, [[own[name] for name in chosen] for own in columns], numbers=numbers)
    columns = [_columns_by_name(source) for source in sources]
    for name in chosen:
        _refuse_mixed_types(sources, columns, name)
    return columns, chosen


def load(
    session: Session,
    requests: Mapping[str, Request],
    outputs: Sequence[str | Path] = (),
    attributes: Sequence[str] | None = None,
    domain: Sequence[str] | None = None,
) -> Encoding:
    """Open sources, lock the session to them, and encode each as a table of its name.

    Args:
        session: The session, which is locked to the sources and the `outputs`.
        requests: The sources by name.
        outputs: Files that the run writes.
        attributes: The columns that take part, by name; None for all of the first table.
        domain: The names of the tables whose values are dummies; None for all. Files of the contest have the
            dummies of the contest.

    Raises:
        UsageError: The tables do not go together, or have too many categories.
        SourceError: A value is missing, or is outside the domain of the contest.
    """
    matched = open_tables(session, requests, outputs, attributes)
    if not matched.contest:
        _refuse_many_categories(session, matched, [list(requests).index(name) for name in domain or requests])
    tables = {}
    for index, name in enumerate(requests):
        source, view = matched.sources[index], matched.views[index]
        tables[name] = _encode_table(session, name, view, source, matched.attributes, matched.bindings(index))
        if matched.contest:
            _refuse_outside(session, tables[name], matched.attributes)
    return _list_dummies(session, tables, matched.attributes, matched.contest, list(domain or requests))


def _refuse_many_categories(session: Session, matched: OpenedTables, indices: Sequence[int]) -> None:
    """Refuse more distinct values than matrices have room for, before any is stored."""
    categories = [attribute for attribute in matched.attributes if not attribute.numeric]
    counts = [1] * len(matched.attributes)
    if categories:
        bindings = [
            [matched.columns[index][attribute.name].binding for attribute in categories] for index in indices
        ]
        views = [identifier(matched.views[index]) for index in indices]
        for row in session.run("count_categories", tables=views, bindings=bindings):
            counts[categories[row["category"]].number] = row["categories"]
    if sum(counts) > MAX_DUMMIES:
        raise UsageError(
            "membership.too_many_values_to_encode",
            total=sum(counts),
            dummies=max(counts),
            widest=matched.attributes[counts.index(max(counts))].name,
            most=MAX_DUMMIES,
        )


def is_contest(source: Source) -> bool:
    """Return whether a source is a file of the contest, by its nine columns."""
    names = [column.name for column in source.columns]
    numbers = [is_number(column.type) for column in source.columns]
    expected = [isinstance(values[0], int) for values in CONTEST.values()]
    return source.kind == "csv" and names == [f"c{index}" for index in range(9)] and numbers == expected


def _columns_by_name(source: Source) -> dict[str, Column]:
    """Return the columns by name; a file of the contest gets the contest's names."""
    names = list(CONTEST) if is_contest(source) else [column.name for column in source.columns]
    return dict(zip(names, source.columns, strict=True))


def _choose_columns(
    source: Source, columns: dict[str, Column], attributes: Sequence[str] | None
) -> list[str]:
    """Return the columns that take part, in another case if no name is equal."""
    if attributes is None:
        return list(columns)
    chosen = []
    for name in attributes:
        folded = [column for column in columns if column.casefold() == name.casefold()]
        alike = [name] if name in columns else folded
        if len(alike) != 1:
            raise UsageError(
                "membership.column_not_found",
                source=source.name,
                name=name,
                suggestion=suggest_names(name, list(columns)),
            )
        chosen.append(alike[0])
    return list(dict.fromkeys(chosen))


def _refuse_differing(
    first: Source,
    other: Source,
    chosen: Sequence[str],
    expected: Mapping[str, Column],
    columns: Mapping[str, Column],
    advice: str,
    *,
    every: bool,
) -> None:
    for name in chosen:
        if name not in columns:
            raise UsageError(
                "membership.column_missing", other=other.name, name=name, first=first.name, advice=advice
            )
    if every and (more := [name for name in columns if name not in expected]):
        raise UsageError(
            "membership.column_extra", other=other.name, more=more[0], first=first.name, advice=advice
        )


def _refuse_mixed_types(
    sources: Sequence[Source], columns: Sequence[Mapping[str, Column]], name: str
) -> None:
    numeric = is_number(columns[0][name].type)
    for source, own in zip(sources, columns, strict=True):
        if is_number(own[name].type) != numeric:
            numbers, others = (sources[0], source) if numeric else (source, sources[0])
            raise UsageError(
                "membership.number_columns_differ", name=name, numbers=numbers.name, others=others.name
            )


def _build_attributes(
    source: Source, columns: Mapping[str, Column], chosen: Sequence[str]
) -> tuple[Attribute, ...]:
    """Name the encoded columns, numbers and categories each by a counter."""
    attributes: list[Attribute] = []
    counters = {True: 0, False: 0}
    for number, name in enumerate(chosen):
        first = columns[name]
        numeric = is_number(first.type)
        counters[numeric] += 1
        column = f"{'n' if numeric else 'c'}{counters[numeric]}"
        kind = "FLOAT" if first.binding in source.float32_bindings else first.type
        attributes.append(Attribute(number, name, column, kind))
    return tuple(attributes)


def _encode_table(
    session: Session,
    name: str,
    view: str,
    source: Source,
    attributes: Sequence[Attribute],
    bindings: tuple[str, ...],
) -> Records:
    columns = [attribute.column for attribute in attributes]
    numeric = [attribute.column for attribute in attributes if attribute.numeric]
    counted = session.fetch_row(
        "count_missing",
        source=identifier(view),
        columns=list(bindings),
        numeric=[b for b, attribute in zip(bindings, attributes, strict=True) if attribute.numeric],
        largest=LARGEST,
    )
    for index, attribute in enumerate(attributes):
        if missing := counted[f"missing{index}"]:
            what = "missing values, or numbers that are none," if attribute.numeric else "missing values"
            raise SourceError(
                "membership.values_missing",
                attribute=attribute.name,
                source=source.name,
                missing=missing,
                what=what,
                records=counted["records"],
            )
    session.run(
        "encoded_records",
        name=name,
        source=identifier(view),
        bindings=list(bindings),
        columns=columns,
        numeric=numeric,
    )
    return Records(name, source.name, counted["records"], source, view, bindings)


def _refuse_outside(session: Session, table: Records, attributes: Sequence[Attribute]) -> None:
    """Refuse values outside the domain of the contest."""
    for attribute in attributes:
        domain = CONTEST[attribute.name]
        outside = render(
            "is_outside", column=attribute.column, numeric=attribute.numeric, values=[*map(str, domain)]
        )
        _, met = session.fetch_row("count_where", source=identifier(table.table), met=outside).values()
        if met:
            what = f"from {domain[0]} to {domain[1]}" if attribute.numeric else "of the contest's list"
            raise SourceError(
                "membership.invalid_values",
                table=table.name,
                met=met,
                attribute=attribute.name,
                what=what,
            )


def _list_dummies(
    session: Session,
    tables: dict[str, Records],
    attributes: tuple[Attribute, ...],
    contest: bool,
    domain: Sequence[str],
) -> Encoding:
    categories = [attribute for attribute in attributes if not attribute.numeric]
    listed = [list(map(str, CONTEST[attribute.name])) for attribute in categories] if contest else []
    session.run(
        "dummies",
        name=DUMMIES,
        tables=[Sql(identifier(name)) for name in domain],
        columns=[attribute.column for attribute in attributes],
        numeric=[attribute.column for attribute in attributes if attribute.numeric],
        listed=[attribute.column for attribute in categories] if contest else [],
        values=listed,
    )
    session.run(
        "category_lists",
        name=CATEGORIES,
        dummies=identifier(DUMMIES),
        columns=[attribute.column for attribute in categories],
        attributes=[attribute.number for attribute in categories],
    )
    rows = session.run("dummy_places", dummies=identifier(DUMMIES))
    places = {row["attribute"]: (row["first"], row["dummies"]) for row in rows}
    placed = []
    for attribute in attributes:
        first, dummies = places.get(attribute.number, (0, 0))
        placed.append(replace(attribute, first=first, dummies=dummies))
    total = sum(attribute.dummies for attribute in placed)
    return Encoding(tables, tuple(placed), total, contest)
