"""Names that are not known: what a sentence on them suggests."""

from __future__ import annotations

import pytest

from duckrisk.base.errors import find_similar_names, quote_names, suggest_names

COLUMNS = ["InvoiceNo", "StockCode", "InvoiceDate", "UnitPrice", "CustomerID", "Country"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("customerid", ["CustomerID"]),
        ("Customer_ID", ["CustomerID"]),
        ("Cuontry", ["Country"]),
        ("date", ["InvoiceDate"]),
        ("price", ["UnitPrice"]),
        ("invoice", ["InvoiceNo", "InvoiceDate"]),
        ("no", []),  # too short to say more than chance
        ("weight", []),
        ("", []),
        ("年齢", []),
    ],
)
def test_only_what_is_near_may_be_meant(name: str, found: list[str]) -> None:
    assert find_similar_names(name, COLUMNS) == found
    meant = " or ".join(f'"{one}"' for one in found)
    ends = f"; did you mean {meant}?" if found else f"; there are {quote_names(COLUMNS)}."
    assert suggest_names(name, COLUMNS) == ends


def test_of_many_names_some_are_said() -> None:
    assert suggest_names("weight", [f"c{number}" for number in range(20)]).endswith('"c7" and 12 more.')
    assert suggest_names("c3", ["C3 ", "c33", "c34", "c35"]).count(" or ") == 2
    # A name that is nearly right stands alone.
    assert find_similar_names("prosecutr", ["present", "parse_query", "prosecutor"]) == ["prosecutor"]
    assert suggest_names("weight", ["city"]) == '; there is "city".'
    assert suggest_names("weight", []) == "."
