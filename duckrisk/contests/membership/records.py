"""The standard encoding of records: numbers, categories, and the list of dummies that one-hot vectors have.

A file of the contest is CSV without a header and with nine columns; any other table is a source of any kind,
and tables are matched by the names of their columns. Every table becomes a temporary table with ``record``
(its place in the file, from 0), ``n1, n2, ...`` for numbers and ``c1, c2, ...`` for categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError, suggest_names
from duckrisk.base.results import Table
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import is_number
from duckrisk.source import Column, Request, Source, open_sources, spell_alike

#: The columns of a file of the contest, in their order: the values of a category, the limits of a number.
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
#: The table of the dummies, and that of the categories as lists, by which statements name them.
DUMMIES, CATEGORIES = "dummies", "categories"
#: Matrices have a row and a column for each dummy.
MOST_DUMMIES = 1000
#: Larger numbers have squares that a double cannot hold the sums of.
LARGEST = 1e150


@dataclass(frozen=True)
class Attribute:
    """A column that all tables have: its name, what it is called in the encoded tables, its type in the first
    table, and the number of its first dummy and of its dummies."""

    number: int
    name: str
    column: str
    type: str
    first: int = 0
    dummies: int = 1

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers; else its values are categories."""
        return self.column.startswith("n")


def attribute_of(attributes: Sequence[Attribute], name: str) -> Attribute:
    """The attribute of that name, exactly or else in any case; raises UsageError otherwise."""
    for key in (str, str.casefold):
        for attribute in attributes:
            if key(attribute.name) == key(name):
                return attribute
    names = [attribute.name for attribute in attributes]
    raise UsageError("membership.unknown_attribute", name=name, suggestion=suggest_names(name, names))


@dataclass(frozen=True)
class Records:
    """An encoded table: its name, what people call it, how many records it has, and the source of them."""

    table: str
    name: str
    records: int
    source: Source
    view: str
    bindings: tuple[str, ...]

    @property
    def told(self) -> Table:
        """What results tell of it."""
        return Table(self.name, self.records)


@dataclass(frozen=True)
class Feature:
    """A dummy: its attribute, its category and the place of that in the list of the attribute, from 1; both
    None for numbers."""

    attribute: Attribute
    value: str | None
    place: int | None


@dataclass(frozen=True)
class Encoding:
    """The tables under the names they were asked for with, their attributes, and the number of dummies, which
    are listed in the table ``dummies`` (dummy, attribute, value)."""

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
        """Those of numbers."""
        return [attribute.column for attribute in self.attributes if attribute.numeric]

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name, exactly or else in any case; raises UsageError otherwise."""
        return attribute_of(self.attributes, name)

    def features(self, session: Session) -> list[Feature]:
        """Return what each dummy is made of, in their order."""
        rows = session.run("list_dummies", dummies=identifier(DUMMIES))
        features = []
        for number, row in enumerate(rows):
            attribute = self.attributes[row["attribute"]]
            place = None if attribute.numeric else number - attribute.first + 1
            features.append(Feature(attribute, row["value"], place))
        return features


@dataclass(frozen=True)
class Opened:
    """Sources that go together: each with the name of its view and its columns by name, the attributes, and
    whether all are files of the contest."""

    sources: tuple[Source, ...]
    views: tuple[str, ...]
    columns: tuple[dict[str, Column], ...]
    attributes: tuple[Attribute, ...]
    contest: bool

    def bindings(self, index: int) -> tuple[str, ...]:
        """The columns of the attributes in the view of a source."""
        return tuple(self.columns[index][attribute.name].binding for attribute in self.attributes)


def opened(
    session: Session,
    requests: Mapping[str, Request],
    outputs: Sequence[str | Path] = (),
    attributes: Sequence[str] | None = None,
) -> Opened:
    """Open sources, lock the session to them and to the files in ``outputs``, and match their columns by
    name. Raises UsageError for tables that do not go together."""
    # Records have places: they are read in the order of the file.
    session.run("set_option", option="preserve_insertion_order", setting=True)
    views = tuple(f"{name}_source" for name in requests)
    named = list(zip(views, requests.values(), strict=True))
    sources = open_sources(session, named, outputs, as_written=True)
    columns = [_named(source) for source in sources]
    chosen = _chosen(sources[0], columns[0], attributes)
    for source, own in zip(sources[1:], columns[1:], strict=True):
        _refuse_differing(sources[0], source, chosen, columns[0], own, every=attributes is None)
    spell_alike(sources, [[own[name] for name in chosen] for own in columns], numbers=False)
    columns = [_named(source) for source in sources]
    agreed = _attributes(sources, columns, chosen)
    contest = all(is_contest(source) for source in sources)
    return Opened(tuple(sources), views, tuple(columns), agreed, contest)


def load(
    session: Session,
    requests: Mapping[str, Request],
    outputs: Sequence[str | Path] = (),
    attributes: Sequence[str] | None = None,
    domain: Sequence[str] | None = None,
) -> Encoding:
    """Open sources, lock the session to them and to the files in ``outputs``, and encode each as the
    temporary table that is named before its request.

    ``attributes`` are the columns that take part, by name (all of the first table); the dummies are the
    values of the tables named in ``domain`` (all), or those of the contest. Raises UsageError for tables that
    do not go together and SourceError for missing values and for what is outside the contest's domain.
    """
    matched = opened(session, requests, outputs, attributes)
    if not matched.contest:
        _refuse_many_categories(session, matched, [list(requests).index(name) for name in domain or requests])
    tables = {}
    for index, name in enumerate(requests):
        source, view = matched.sources[index], matched.views[index]
        tables[name] = _encode(session, name, view, source, matched.attributes, matched.bindings(index))
        if matched.contest:
            _refuse_outside(session, tables[name], matched.attributes)
    return _with_dummies(session, tables, matched.attributes, matched.contest, list(domain or requests))


def _refuse_many_categories(session: Session, matched: Opened, indices: Sequence[int]) -> None:
    """Raise UsageError for more different values than matrices have room for, before any is kept."""
    categories = [attribute for attribute in matched.attributes if not attribute.numeric]
    counts = [1] * len(matched.attributes)
    if categories:
        bindings = [[matched.columns[index][one.name].binding for one in categories] for index in indices]
        views = [identifier(matched.views[index]) for index in indices]
        for row in session.run("count_categories", tables=views, bindings=bindings):
            counts[categories[row["category"]].number] = row["categories"]
    if sum(counts) > MOST_DUMMIES:
        raise UsageError(
            "membership.too_many_values_to_encode",
            total=sum(counts),
            dummies=max(counts),
            widest=matched.attributes[counts.index(max(counts))].name,
            most_dummies=MOST_DUMMIES,
        )


def is_contest(source: Source) -> bool:
    """Whether a source has the form of a file of the contest: nine columns without names, two of numbers."""
    names = [column.name for column in source.columns]
    numbers = [is_number(column.type) for column in source.columns]
    expected = [isinstance(values[0], int) for values in CONTEST.values()]
    return source.kind == "csv" and names == [f"c{index}" for index in range(9)] and numbers == expected


def _named(source: Source) -> dict[str, Column]:
    """The columns by their names; those of a file of the contest have the names of its attributes."""
    names = list(CONTEST) if is_contest(source) else [column.name for column in source.columns]
    return dict(zip(names, source.columns, strict=True))


def _chosen(source: Source, columns: dict[str, Column], attributes: Sequence[str] | None) -> list[str]:
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
    *,
    every: bool,
) -> None:
    for name in chosen:
        if name not in columns:
            raise UsageError("membership.column_missing", other=other.name, name=name, first=first.name)
    if every and (more := [name for name in columns if name not in expected]):
        raise UsageError("membership.column_extra", other=other.name, more=more[0], first=first.name)


def _attributes(
    sources: Sequence[Source], columns: Sequence[Mapping[str, Column]], chosen: Sequence[str]
) -> tuple[Attribute, ...]:
    attributes: list[Attribute] = []
    places = {True: 0, False: 0}
    for number, name in enumerate(chosen):
        numeric = is_number(columns[0][name].type)
        for source, own in zip(sources, columns, strict=True):
            if is_number(own[name].type) != numeric:
                numbers, others = (sources[0], source) if numeric else (source, sources[0])
                raise UsageError(
                    "membership.number_columns_differ",
                    name=name,
                    numbers=numbers.name,
                    others=others.name,
                )
        places[numeric] += 1
        column = f"{'n' if numeric else 'c'}{places[numeric]}"
        first = columns[0][name]
        kind = "FLOAT" if first.binding in sources[0].narrow else first.type
        attributes.append(Attribute(number, name, column, kind))
    return tuple(attributes)


def _encode(
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
    """Refuse what no file of the contest may hold; raises SourceError."""
    for attribute in attributes:
        domain = CONTEST[attribute.name]
        outside = render(
            "is_outside", column=attribute.column, numeric=int(attribute.numeric), values=[*map(str, domain)]
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


def _with_dummies(
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
