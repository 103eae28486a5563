"""Japanese explanations: a text for every metric, term, SQL file and key, and no English sentence in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from duckrisk.base.shapes import keys_of, shapes_of
from duckrisk.cli.explain import explain_topic
from duckrisk.engine import templates
from duckrisk.engine.meanings import meaning_of
from duckrisk.report.explaining.japanese import load_explanations, load_metrics
from duckrisk.report.explaining.terms import TERMS
from duckrisk.report.lines import measure
from duckrisk.report.registry import report_kinds
from tests.cases import Cases
from tests.command import command
from tests.japanese.test_japanese_errors import JAPANESE, MIXED_WIDTHS
from tests.japanese.test_japanese_runs import ENGLISH, find_english
from tests.tables import EXAMPLES, thinned

METRICS = templates.metrics()
#: Names of columns, parameters and statements, as in class_size.
NAMES = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
#: Formulas, whose brackets and signs are those of mathematics.
FORMULA = re.compile(r"[(（][^()（）]*[)）]|`[^`]*`|[\[{|][^\]}|]*[\]}|]")


def list_texts() -> Iterator[tuple[str, str, str]]:
    """Every English text of a metric that has a Japanese one: the metric, its place, and the text."""
    for name, metric in METRICS.items():
        yield name, "summary", metric.summary
        for fact in ("definition", "source", "missing", "read"):
            if fact in metric.facts:
                yield name, fact, metric.facts[fact]
        for kind, items in (("parameter", metric.parameters), ("column", metric.columns)):
            for item in items:
                yield name, f"{kind}.{item.name}", item.text


def find_own(metric: str, place: str) -> str | None:
    """The text that a metric has of its own."""
    own = load_metrics()[metric]
    kind, _, name = place.partition(".")
    found: str | None = own.get(kind, {}).get(name) if name else own.get(kind)
    return found


def test_every_metric_has_its_texts() -> None:
    metrics = load_metrics()
    assert metrics.keys() == {"units", "shared", *METRICS}
    used, places = set(), {(name, place) for name, place, _ in list_texts()}
    with Cases() as case:
        for name, place, english in list_texts():
            with case(f"{name} {place}"):
                own, shared = find_own(name, place), metrics["shared"].get(english)
                assert own is None or shared is None
                used |= {english} if shared is not None else set()
                text = own or shared
                if text is None:
                    assert place == "source"  # which is a reference then
                    assert not re.search(r"\b(our own|duckrisk|as|whose|named|extension)\b", english)
                    continue
                if place != "source":
                    assert JAPANESE.search(text) or not ENGLISH.search(text)
                    latin = text.replace("α", "alpha").replace("ω", "omega").replace("Σ", "sum")
                    assert set(NAMES.findall(english)) <= set(NAMES.findall(latin))
    assert metrics["shared"].keys() == used
    assert metrics["units"].keys() == {
        column.unit for metric in METRICS.values() for column in metric.columns
    }
    for name in METRICS:
        for kind in ("parameter", "column"):
            assert {(name, f"{kind}.{item}") for item in metrics[name].get(kind, {})} <= places


def test_texts_are_japanese() -> None:
    tables = {**load_metrics(), **load_explanations()}
    with Cases() as case:
        for table, entries in tables.items():
            for key, entry in entries.items():
                for text in entry.values() if isinstance(entry, dict) else (entry,):
                    with case(f"{table} {key} {text}"):
                        assert not MIXED_WIDTHS.search(FORMULA.sub("", text))
                        if table in METRICS and key == "source":  # a reference stays as it is
                            english = METRICS[table].facts["source"]
                            assert all(run in english for run in ENGLISH.findall(text))
                        else:
                            assert not find_english(text)
                        if key in ("summary", "definition", "missing", "read") or table in TABLES:
                            assert text.endswith("。")


#: The tables of whole sentences.
TABLES = ("terms", "algorithms", "keys")


def list_keys() -> set[str]:
    """The keys of reports that are explained by themselves."""
    columns = {column.name for metric in METRICS.values() for column in metric.columns}
    known = {*columns, *templates.algorithms(), *templates.catalogue()}
    keys = {name for kind in shapes_of(report_kinds()) for name in keys_of(kind) if meaning_of(kind, name)}
    return keys - known


def test_every_name_has_its_text() -> None:
    texts = load_explanations()
    files = templates.algorithms()
    single = {name for name, file in files.items() if file.names == (name,) and file.is_metric}
    assert texts["algorithms"].keys() == files.keys() - single
    assert texts["terms"].keys() == TERMS.keys()
    assert texts["keys"].keys() == list_keys()
    for name, text in texts["terms"].items():
        assert re.findall("`([^`]*)`", TERMS[name][1]) == re.findall("`([^`]*)`", text), name


def name_all() -> list[str | None]:
    """Every metric, file, term and key, and some steps of each file."""
    steps = [name for file in templates.algorithms().values() for name in list(file.names)[:2]]
    named = [*METRICS, *templates.algorithms(), *steps, *(name.replace("_", "-") for name in TERMS)]
    columns = [column.name for metric in METRICS.values() for column in metric.columns]
    return [None, "options", "policy", *dict.fromkeys([*named, *columns, *sorted(list_keys())])]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 60])
def test_nothing_is_explained_in_english(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where examples are few, each name is explained at one of the widths."""
    monkeypatch.setenv("COLUMNS", str(columns))
    with Cases() as case:
        for name in thinned(name_all()[columns == 60 and EXAMPLES < 20 :]):
            with case(str(name)):
                said = explain_topic(name, "ja")
                assert JAPANESE.search(said)
                assert not find_english(said)
                fits = [measure(re.sub("`[^`]*`。?", "", line)) <= columns for line in said.splitlines()]
                assert all(fits)


def test_a_step_is_explained_by_a_command_that_works() -> None:
    for name in ("suda", "suda_begin", "month"):
        said = command("explain", name, "--lang", "ja").out
        (line,) = re.findall("`duckrisk (explain .*)`", said)
        assert command(*line.split()).out.startswith(f"{name}\n")


def test_a_metric_by_hand() -> None:
    said = command("explain", "prosecutor", "--lang", "ja").out
    assert said.startswith("prosecutor：prosecutor リスクは highest_risk と average_risk です。")
    assert "average_risk：レコードについての平均［確率］\n" in said
    assert "出典：El Emam, Guide to the de-identification of personal health information," in said
    key = command("explain", "ncp", "--lang", "ja").out
    assert key.startswith("ncp\n\nNCP：")
    assert "class_losses" in key


@pytest.mark.parametrize("name", ["class_sizes", "suda", None])
def test_sql_says_in_which_language_its_comments_are(name: str | None, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    line = ["sql", "macros"] if name is None else ["sql", "show", name, str(tmp_path / "p.csv")]
    english, japanese = (command(*line, "--lang", language) for language in ("en", "ja"))
    assert (english.code, japanese.code) == (0, 0)
    assert japanese.out == f"-- この SQL の中のコメントは英語です。\n{english.out}"
