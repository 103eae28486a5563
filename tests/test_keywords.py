"""What keywords of the package take."""

from __future__ import annotations

import pandas
import pytest

import duckrisk
from duckrisk.api.keywords import options_from
from duckrisk.base.errors import UsageError
from duckrisk.base.options import options_of
from duckrisk.roles import RoleOverrides
from tests.cases import Cases


def test_keywords_of_columns_take_one_text_or_several() -> None:
    """What is neither is refused in a sentence, and so are several columns where there is one."""
    frame = pandas.DataFrame({"a": range(30), "b": ["x", "y"] * 15, "c": [1, 2, 3] * 10})
    with Cases() as case:
        for name, field in options_of(RoleOverrides).items():
            if field.kind is not str:
                continue
            arguments = {"source": None, name: "b"}
            for given in ("b", ("b",), ["b"], pandas.Index(["b"])):
                with case((name, given)):
                    found = getattr(options_from(RoleOverrides, {**arguments, name: given}), name)
                    assert found == (("b",) if field.many else "b")
            for wrong in (5, {"b": 1}, [5], True, *([] if field.many else [("a", "b"), ()])):
                with case((name, wrong)), pytest.raises(UsageError, match=f"{name} has to be a"):
                    options_from(RoleOverrides, {**arguments, name: wrong})
    with pytest.raises(UsageError, match="fold_keys has to be true or false"):
        duckrisk.assess(frame, fold_keys="b")
    assert duckrisk.assess(frame, pseudonym=("a",), only=("direct_identifiers",)).source.user == "a"
