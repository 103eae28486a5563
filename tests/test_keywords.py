"""What functions of the package take: their keywords are the option fields, also for type checkers."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mypy.api
import pandas
import pytest

import duckrisk
from duckrisk import membership, pwscup
from duckrisk.base.errors import UsageError
from duckrisk.base.options import options_of
from duckrisk.base.options.calls import options_from
from duckrisk.roles import RoleOverrides
from tests.cases import Cases

PACKAGE = Path(duckrisk.__file__).parent
#: Every public function, by its name in Python.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{home.__name__}.{name}": getattr(home, name)
    for home in (duckrisk, pwscup, membership)
    for name in home.__all__
    if inspect.isfunction(getattr(home, name))
}
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


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
                    assert found == (("b",) if field.is_list else "b")
            for wrong in (5, {"b": 1}, [5], True, *([] if field.is_list else [("a", "b"), ()])):
                with case((name, wrong)), pytest.raises(UsageError, match=f"{name} must be a"):
                    options_from(RoleOverrides, {**arguments, name: wrong})
    with pytest.raises(UsageError, match="fold_keys must be true or false"):
        duckrisk.assess(frame, fold_keys="b")
    assert duckrisk.assess(frame, pseudonym=("a",), only=("direct_identifiers",)).source.user == "a"


def test_keywords_have_the_names_and_types_of_the_option_fields() -> None:
    """The TypedDict of each function says what the fields say; the functions restate none."""
    assert len(FUNCTIONS) == 26
    with Cases() as case:
        for name, function in FUNCTIONS.items():
            inner: Any = inspect.unwrap(function)
            (typed,) = re.findall(r"\w+Keywords", inner.__annotations__["options"])
            wing = function.__module__.rpartition(".")[0]
            declared = typing.get_type_hints(
                getattr(importlib.import_module(f"{wing}.typed_keywords"), typed), include_extras=True
            )
            parameters = inspect.signature(function).parameters.values()
            keywords = {one.name: one for one in parameters if one.kind is _KEYWORD}
            for keyword in {*declared, *keywords}:
                with case(f"{name}: {keyword}"):
                    expected = keywords[keyword].annotation
                    if keywords[keyword].default is inspect.Parameter.empty:
                        expected = typing.Required[expected]
                    assert declared[keyword] == expected
            with case(name):
                assert not [
                    one for one in inspect.signature(inner).parameters.values() if one.kind is _KEYWORD
                ]


def test_help_tells_every_keyword() -> None:
    with Cases() as case:
        for name, function in FUNCTIONS.items():
            told = inspect.getdoc(function) or ""
            for parameter in inspect.signature(function).parameters.values():
                with case(f"{name}: {parameter.name}"):
                    assert re.search(rf"^    \*?{parameter.name}(:| \()", told, re.MULTILINE)
                    assert "--" not in told
    assert "    k (int): A value that fewer people share is rare. [5]" in str(duckrisk.assess.__doc__)


def _said(function: Callable[..., Any], *args: Any, **keywords: Any) -> str:
    with pytest.raises(UsageError) as caught:
        function(*args, **keywords)
    return str(caught.value)


def test_a_call_that_does_not_fit_is_refused_in_a_sentence() -> None:
    """Whichever function it is: a typo with the nearest name, and arguments that miss or are too many."""
    with Cases() as case:
        for name, function in FUNCTIONS.items():
            parameters = list(inspect.signature(function).parameters.values())
            needed = [
                one for one in parameters if one.default is one.empty and "POSITIONAL_OR" in one.kind.name
            ]
            positional = [one for one in parameters if "POSITIONAL_OR" in one.kind.name]
            given = ["x"] * len(needed)
            for parameter in (one for one in parameters if one.kind is _KEYWORD):
                with case(f"{name}: {parameter.name}"):
                    said = _said(function, *given, **{f"{parameter.name}x": 1})
                    assert f'There is no option "{parameter.name}x"; did you mean "' in said
                    assert f'"{parameter.name}"' in said
            with case(f"{name}: missing"):
                assert not needed or f'needs "{needed[-1].name}"' in _said(function, *given[1:])
            with case(f"{name}: twice"):
                assert "twice" in _said(function, *(given or ["x"]), **{positional[0].name: "x"})
            if not any(one.kind is one.VAR_POSITIONAL for one in parameters):
                with case(f"{name}: too many"):
                    required = {
                        one.name: 1 for one in parameters if one.kind is _KEYWORD and one.default is one.empty
                    }
                    assert "by position" in _said(function, *["x"] * 9, **required)
    assert 'needs "alpha"' in _said(pwscup.partial_knowledge, "x", "y.csv")


def test_values_that_no_option_can_have_are_refused_in_a_sentence() -> None:
    with Cases() as case:
        for function, args, keywords, said in (
            (membership.attack, 2, {"blocks": [5]}, "blocks must be a list"),
            (membership.attack, 2, {"blocks": ["ab"]}, "blocks must be a list, not one text"),
            (membership.attack, 2, {"also": 5}, "also must be a list"),
            (pwscup.score, 2, {"partials": 5}, "partials must be a dictionary"),
            (membership.score, 3, {}, "guesses must be a dictionary"),
            (pwscup.release, 1, {"output": 5}, "output must be a path"),
            (duckrisk.anonymize, 1, {"output": 5}, "output must be a path"),
            (duckrisk.assess, 1, {"baseline": 5}, "baseline must be a path"),
            (duckrisk.assess, 1, {"levels": ["a"]}, "levels must be a dictionary"),
            (duckrisk.advise, 1, {"fail_on": "policy"}, "fail_on must be a list, not one text"),
        ):
            with case((function.__name__, keywords)):
                assert said in _said(function, *["x"] * args, **keywords)


def test_type_checkers_refuse_what_the_functions_refuse(tmp_path: Path) -> None:
    """A line that ends with a remark is wrong, the others are right."""
    program = tmp_path / "program.py"
    program.write_text(
        "import duckrisk\n"
        "from duckrisk import membership, pwscup\n"
        "duckrisk.assess('x', k=3, only=['uniqueness'], levels={'a': (1, 2)}, policy='shared', header=None)\n"
        "duckrisk.compare('x', 'y', 'z', aligned=True, hierarchies='h.toml')\n"
        "duckrisk.anonymize('x', 'y.csv', steps=[{'method': 'shuffle'}], hierarchies={'a': {'b': ['c']}})\n"
        "pwscup.score('x', 'y', top=3, period='week', partials={25: 'p.csv'}, guesses={'a': 'g.csv'})\n"
        "pwscup.partial_knowledge('x', 'y.csv', alpha=25)\n"
        "membership.anneal('x', 'y.csv', targets=['a=b', ('c=d', 3)])\n"
        "membership.attack('x', 'y', attacks=('density',), blocks=[['a', 'b']])\n"
        "pwscup.score('x', 'y', topp=3)  # topp\n"
        "duckrisk.assess('x', attribute=['a'])  # attribute\n"
        "membership.risks('x', 'y', risk=['linkability'])  # risk\n"
        "pwscup.score('x', 'y', period='3')  # Argument\n"
        "duckrisk.advise('x', steps='3')  # Argument\n"
        "duckrisk.assess('x', missing='drop')  # Argument\n"
        "membership.risks('x', 'y', risks=['linkabilty'])  # item\n"
        "pwscup.partial_knowledge('x', 'y.csv')  # alpha\n"
        "duckrisk.compare()  # original\n",
        encoding="utf-8",
    )
    rooms = ("api/jobs", "api/typed_keywords", "base/options/typed_keywords", "base/options/calls")
    rooms += tuple(
        f"contests/{room}/{name}"
        for room in ("pwscup", "membership")
        for name in ("__init__", "functions", "typed_keywords")
    )
    files = [str(PACKAGE / f"{name}.py") for name in ("__init__", *rooms)]
    # What these import is skipped: the functions and the types of their keywords stand in them.
    options = [
        "--strict",
        "--follow-imports=skip",
        "--no-incremental",
        f"--python-executable={sys.executable}",
    ]
    told, failed, _ = mypy.api.run([*options, str(program), *files])
    found = {int(line): text for line, text in re.findall(r"program\.py:(\d+): error: (.*)", told)}
    lines = program.read_text(encoding="utf-8").splitlines()
    wrong = {number: line.partition("  # ")[2] for number, line in enumerate(lines, 1) if "  # " in line}
    assert not failed, told
    assert found.keys() == wrong.keys(), told
    assert all(word in found[number] for number, word in wrong.items()), told


def test_the_package_lists_its_functions_before_any_is_used() -> None:
    """Completion asks for these names; nothing is imported for that."""
    assert dir(duckrisk) == sorted(duckrisk.__all__)
    assert set(pwscup.__all__) <= set(dir(pwscup))
    assert set(membership.__all__) <= set(dir(membership))
    for name in (*FUNCTIONS, "duckrisk.nothing", "duckrisk.contests.pwscup.nothing"):
        home, _, own = name.rpartition(".")
        assert hasattr(sys.modules[home], own) == (own != "nothing")
