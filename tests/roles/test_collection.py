"""Roles of a labelled collection of tables, judged by their shapes: how many are right."""

from __future__ import annotations

import dataclasses
import time

import pytest

from duckrisk import roles
from duckrisk.engine.session import Session
from duckrisk.roles.model import ColumnProfile
from duckrisk.source import Request, open_source
from tests.benchmarks import people
from tests.labelled import Labelled, Score, collection, decided
from tests.shared_data import shared
from tests.tables import EXAMPLES, thinned

#: What has to be right at least.
LEAST = {"users": 0.95, "identifiers precise": 0.98, "identifiers found": 0.95, "free text": 0.95}


def test_shares_of_right_roles(capsys: pytest.CaptureFixture[str]) -> None:
    """The rules have seen this collection, and its labels were looked at again after rules had been changed:
    the shares say how well the rules do here, not what they are worth on other tables."""
    began = time.process_time()
    score = Score()
    for table in collection():
        score.add(table.name, decided(table), table.right)
    shares = score.shares()
    with capsys.disabled():
        shown = ", ".join(f"{key} {share:.1%}" for key, share in shares.items())
        print(f"\nseen by the rules: {score.tables} tables, {score.columns} columns: {shown}", end="")
    assert score.tables >= 60
    for name, least in LEAST.items():
        assert shares[name] >= least, (name, score.wrong)
    assert time.process_time() - began < 3


#: The columns of the public tables that are no plain attribute; c0 … are those of files without a header.
REAL = {
    "adult.parquet": (None, {"fnlwgt": "event_key"}),
    "diabetes130.parquet": (
        "patient_nbr",
        {"encounter_id": "event_key", "examide": "constant", "citoglipton": "constant"},
    ),
    "online_retail.parquet": ("CustomerID", {"InvoiceNo": "event_key", "InvoiceDate": "date_time"}),
    "online_retail_clean.parquet": ("CustomerID", {"InvoiceNo": "event_key", "InvoiceDate": "date_time"}),
    "pwscup/2016/Master-Customer400.csv": (None, {"c0": "direct_identifier"}),
    "pwscup/2017_final/T_Final.csv": ("c0", {"c1": "constant"}),
    "pwscup/2018/T.csv": ("c0", {}),
}


@pytest.mark.parametrize("name", thinned(REAL))
def test_public_tables(name: str) -> None:
    """The first records of each, which cost little; nobody is named in a file without a header."""
    user, others = REAL[name]
    with Session() as session:
        path = str(shared(name))
        query = None if name.endswith(".csv") else f"SELECT * FROM '{path}' LIMIT 5000"
        source = open_source(session, Request(None if query else path, query=query))
        assessed = roles.RoleOverrides(attributes=(source.columns[-1].name,))  # no search for dependencies
        found = roles.infer(session, source, assessed)
    assert (found.user.name if found.user else None) == user
    expected = others | ({user: "user"} if user else {})
    known = {one.column.name: one.role for one in found.decisions if one.role != "attribute"}
    if query:
        known = {column: role for column, role in known.items() if role != "constant"}
        expected = {column: role for column, role in expected.items() if role != "constant"}
    assert known == expected
    assert found.user_confidence == ("guess" if query is None else "sure" if user else "likely")


def cells(one: ColumnProfile) -> str:
    """An expression of i that makes cells of a shape."""
    kind, many = one.column.type, max(1, one.distinct)
    value = f"(i * 7919 + 13) % {many}"
    kinds = dict(one.kinds)
    if "e-mail address" in kinds:
        return f"'somebody' || {value} || '@example.org'"
    if "telephone number" in kinds:
        return f"'090-' || lpad(({value} // 10000)::VARCHAR, 4, '0') || '-' || 1000 + {value} % 9000"
    if kind == "BIGINT":
        low, high = int(one.lowest or 0), int(one.highest or many)
        return f"CAST({low} + ({value}) * {max(1, (high - low) // max(1, many - 1))} AS BIGINT)"
    if kind == "DOUBLE":
        step = ((one.highest or 1.0) - (one.lowest or 0.0)) / many
        return (
            f"{one.lowest or 0.0} + {step} * ({value} + 0.5)" if one.fractions else f"CAST({value} AS DOUBLE)"
        )
    if kind in ("TIMESTAMP", "DATE"):
        return f"CAST(TIMESTAMP '2001-01-01' + INTERVAL ({value} * 86461) SECOND AS {kind})"
    if kind == "BOOLEAN":
        return "i % 2 = 0"
    if one.wordy_values > 0.5 * one.present:
        return f"repeat('one of the words ', {max(2, round(one.mean_length / 17))}) || {value}"
    padded = f"lpad(({value})::VARCHAR, {max(1, round(one.mean_length))}, '0')"
    if one.digits:
        return padded if one.numbers else f"{padded} || 'K'"
    return f"'N' || translate({padded}, '0123456789', 'abcdefghij')"


def small(table: Labelled) -> Labelled:
    """The same table with at most 3,000 records, and as few values of each record less."""
    records = min(table.records, 3_000)
    share = records / table.records
    evidence = []
    for one in table.evidence:
        many = one.distinct if one.distinct < 200 else max(200, round(one.distinct * share))
        changed = {"records": records, "present": records, "distinct": min(many, records)}
        for name in ("wordy_values", "moments", "with_at", "fractions"):
            changed[name] = round(getattr(one, name) * records / max(1, one.present))
        evidence.append(dataclasses.replace(one, **changed))
    return dataclasses.replace(table, records=records, evidence=evidence)


@pytest.mark.parametrize(
    "name", thinned(["churn_modelling", "marketing_contacts", "clinic_lab", "会員マスタ", "nhanes_demo"])
)
def test_the_engine_sees_what_the_shapes_say(name: str) -> None:
    """Cells made of the shapes lead to the same roles through the statements."""
    table = small(next(one for one in collection() if one.name == name))
    made = ", ".join(f'{cells(one)} AS "{one.column.name}"' for one in table.evidence)
    kept = [place for place, one in enumerate(table.evidence) if one.distinct > 1]
    with Session() as session:
        query = f"SELECT {made} FROM range({table.records}) t(i)"
        found = roles.infer(session, open_source(session, Request(None, query=query)), roles.RoleOverrides())
    alone = {one.column.name: str(one.role) for one in decided(table)}
    got = {one.column.name: str(one.role) for one in found.decisions}
    different = {n: (got[n], alone[n]) for n in got if got[n] != alone[n]}
    assert len(different) <= 0.1 * len(kept), different


#: Least shares of right persons, of identifiers that are one, and of labelled ones that are found.
FLOORS = {"right": 0.97, "precise": 0.99, "found": 0.97}
#: The share of tables with an open question at most.
OPEN = 0.15


@pytest.mark.slow
def test_persons_and_identifiers_of_the_shapes_of_public_tables() -> None:
    """All shapes where many examples are asked for, else a twentieth: no missed person passes in any part."""
    each = 1 if EXAMPLES >= 20 else 20
    chosen = {shape.name for shape in list(people.shapes())[::each]}
    tallies = people.measure(lambda shape: shape.name in chosen)
    assert {name: tally.missed for name, tally in tallies.items()} == dict.fromkeys(tallies, 0)
    for part in ("all", "held out") if each == 1 else ("all",):
        tally = tallies[part]
        shares = {
            "right": tally.right / tally.tables,
            "precise": tally.named_right / tally.named,
            "found": tally.found / tally.wanted,
        }
        assert all(shares[name] >= least for name, least in FLOORS.items()), (part, shares)
        assert tally.undecided / tally.tables <= (OPEN if each == 1 else 2 * OPEN), part
