"""Real reports: they fit their schema and every form, and no value of a record is in them unasked."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import jsonschema
import pandas
import pytest
from rich.cells import cell_len

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.decision.assessment import Settings, run
from duckrisk.decision.assessment.gates import parse_gate
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.session import Resources
from duckrisk.measures.attribute import Options
from duckrisk.report.render.junit import to_junit
from duckrisk.report.render.rows import to_csv, write_parquet
from duckrisk.report.schema import schema
from duckrisk.report.words import LANGUAGES
from duckrisk.roles import RoleOverrides
from duckrisk.source import Request
from tests.assessments import build, data_of, with_values
from tests.command import table
from tests.fitting import fit
from tests.singled_out import LIMITED, NAMES, singled, units
from tests.tables import DATASETS, thinned

pytestmark = pytest.mark.slow

SCHEMA = schema(Assessment)


def check(report) -> None:
    fit(json.loads(report.to_json()), Assessment)


def test_the_schema_is_valid_and_says_what_numbers_are() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for name, shape in SCHEMA["$defs"].items():
        assert shape["description"], name
    for key, told in SCHEMA["$defs"]["AttributeRisk"]["properties"].items():
        assert told.get("description") or told.get("anyOf"), key


def test_built_reports_fit_the_schema() -> None:
    check(build(["a", "b"]))
    check(with_values(["a", "b"], "x"))
    check(singled(NAMES, users=units(), **LIMITED))
    with pytest.raises(jsonschema.ValidationError):
        fit({**data_of(["a"]), "surprise": 1}, Assessment)


@pytest.fixture(scope="module")
def some_of_retail(tmp_path_factory):
    """The history of one of twenty users."""
    retail = DATASETS / "retail.parquet"
    path = tmp_path_factory.mktemp("retail") / "retail.parquet"
    return table(path, f"SELECT * FROM '{retail}' WHERE CustomerID % 20 = 0")


def assessed(source, gates: tuple[str, ...] = (), **settings):
    user, show = settings.pop("user", None), settings.pop("show_values", False)
    return run(
        Request(source=str(source)),
        Settings(
            overrides=RoleOverrides(user=user), measures=Options(**settings), show_values=show,
            gates=tuple(map(parse_gate, gates)),
        ),
        Resources(),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    thinned(
        [
            {"user": ""},
            {"method": "sample", "samples": 10},
            {"method": "approximate", "known_records": 2},
            {"interval": "paper", "samples": 5},
            {"show_values": True},
            {"samples": 0, "known_records": 0, "detailed": 1},
            {"source": DATASETS / "ito_example.csv"},
        ],
        3,
    ),
    ids=str,
)
def test_real_reports_fit_the_schema_and_every_form(options, some_of_retail, tmp_path):
    fits_every_form(assessed(**{"source": some_of_retail, **options}), tmp_path)


@pytest.mark.slow
def test_models_of_the_attribute_that_is_asked_for(some_of_retail):
    """The figure and its centroid are those of the date, the second by its risk."""
    quick = {"known_records": 0, "detailed": 0}
    report = assessed(some_of_retail, models_of="InvoiceDate.date", samples=0, **quick)
    single = report.single_values
    assert single.attribute == "InvoiceDate.date"
    assert report.attribute_risk[0].attribute == "InvoiceDate.time"
    risk = next(entry for entry in report.attribute_risk if entry.attribute == single.attribute)
    assert single.mean_cost == pytest.approx(risk.records / risk.distinct_values)
    assert "one value (mean)" in report.to_text(full=True)
    assert assessed(some_of_retail, samples=0, **quick).single_values is None
    for wrong in ({"models_of": "InvoiceDate.dat"}, {"models_of": "StockCode", "method": "approximate"}):
        with pytest.raises(UsageError):
            assessed(some_of_retail, **wrong)


def fits_every_form(report, tmp_path, listing="attribute_risk"):
    check(report)
    for language in LANGUAGES:
        assert report.to_html(language)
        assert (
            max(
                map(
                    cell_len,
                    (report.to_text(80, language) + report.to_text(80, language, full=True)).splitlines(),
                )
            )
            <= 80
        )
    assert report.to_markdown()
    assert len(to_csv(report).splitlines()) == len(report.to_frame(listing)) + 1
    write_parquet(report, tmp_path / "out.parquet")
    ET.fromstring(to_junit(report, report.source.name))


@pytest.mark.slow
def test_no_value_of_a_record_leaves_without_being_asked_for(some_of_retail, tmp_path):
    report = assessed(some_of_retail, ("attribute_risk.mean_risk > 0.2", "source.users < 10"))
    fits_every_form(report, tmp_path)
    with duckdb.connect() as connection:
        codes = connection.execute(
            "SELECT DISTINCT StockCode FROM read_parquet(?)", [str(some_of_retail)]
        ).fetchall()
    shown = report.to_html() + report.to_markdown() + to_csv(report) + to_junit(report, report.source.name)
    # Only codes with letters: a number like "104" is found in any report.
    telling = [code for (code,) in codes if re.search(r"[A-Za-z]", code) and len(code) > 4]
    assert telling
    assert all(re.fullmatch(r"\w+", code) for code in telling)
    assert not set(re.findall(r"\w+", shown)) & set(telling)


@pytest.mark.parametrize(
    "options",
    thinned(
        [
            {},
            {"only": ("identifiability",)},
            {"only": ("attribute_risk",)},
            {"only": ("identifiability",), "max_sets": 1},
            {"only": ("identifiability",), "missing": "value", "what_if": True, "show_values": True},
            {
                "only": ("identifiability",),
                "user": "person",
                "levels": {"income": (2, 2)},
                "currency": "EUR",
                "base": 1.5,
            },
            {"only": ("identifiability",), "levels": {"age": "name", "city": "address"}},
        ]
    ),
    ids=str,
)
def test_reports_on_who_can_be_singled_out(options: dict[str, Any], tmp_path: Any) -> None:
    frame = pandas.DataFrame(
        {
            "person": [i // 2 for i in range(40)],
            "age": [20 + i % 7 for i in range(40)],
            "city": [None if i % 9 == 0 else f"c{i % 4}" for i in range(40)],
            "income": [100 * (i % 5) for i in range(40)],
        }
    )
    report = duckrisk.assess(frame, **{"user": "", **options})
    fits_every_form(report, tmp_path, report.listing)
