"""Advice: the information that a treatment leaves, the risk of each line, and the choice between steps."""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.api import config
from duckrisk.base.errors import UsageError
from duckrisk.engine.session import ASSESSED, Resources, Session
from duckrisk.measures import identifiability
from duckrisk.measures.sets import encoding
from duckrisk.release import advice as treatments
from duckrisk.release.advice.measures import EncodedSource
from duckrisk.release.advice.treatments import Deletion, Treatment
from duckrisk.source import Request, hierarchies, open_source
from tests.command import Result
from tests.command import command as in_process
from tests.hostile import NAMES
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, thinned

pytestmark = pytest.mark.slow

FEW = settings(LIGHTER, max_examples=min(EXAMPLES, 8))

ROOT = Path(__file__).resolve().parents[2]
ADULT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


# --- the information that is left ----------------------------------------------------------------


def information(
    source: Any,
    forms: dict[str, int | None],
    names: list[str] | None = None,
    deletion: Deletion | None = None,
    **hierarchies_of: Any,
) -> dict[str, Any]:
    """KL, KL0 and U of a source with columns at levels of hierarchies, None for one that is left out."""
    with Session() as session:
        opened = open_source(session, Request(source))
        columns = [c for c in opened.columns if names is None or c.name in names]
        overrides = roles.RoleOverrides(
            user="",
            roles=tuple((c.name, "attribute") for c in columns),
            ignore=tuple(c.name for c in opened.columns if c not in columns),
        )
        found = roles.infer(session, opened, overrides)
        levels = identifiability.Options(levels=tuple((c.name, (1, 1)) for c in columns))
        chosen = identifiability.choose_attributes(opened, found, levels)
        every = [one for one in (*chosen.searched, *chosen.others) if one.decision.column in columns]
        built = {
            c.position: hierarchies.parse_hierarchy(hierarchies_of[c.name], Path()).build(
                session, ASSESSED, c.binding, f"hierarchy_{c.position}", c.type
            )
            for c in columns
            if c.name in hierarchies_of
        }
        encoded = EncodedSource(session, found, levels, every, len(every), built)
        numbers = {c.name: forms.get(c.name, 0) for c in encoded.space.columns}
        treatment = Treatment(
            tuple(
                len(column.generalizations) - 1 if numbers[column.name] is None else numbers[column.name] or 0
                for column in encoded.space.columns
            ),
            deletion=deletion,
        )
        encoded.set_current(treatment)
        encoded.apply_step(treatment)
        return session.fetch_row(
            "treated_information",
            words=encoded.layout.count,
            masks=encoded.informative_masks,
            leaves=encoded.informative_counts,
            deletes_records=deletion is not None,
        )


def divergence(rows: list[tuple[Any, ...]], published: list[tuple[Any, ...]]) -> tuple[float, float]:
    """KL(T || T') and KL(T || T0) by their definition: every record spreads over what its form covers."""
    count, width = len(rows), len(rows[0])
    domains = [{row[place] for row in rows} for place in range(width)]
    covers = [
        {cell: {a[place] for a, b in zip(rows, published, strict=True) if b[place] == cell}
         for cell in {b[place] for b in published}}
        for place in range(width)
    ]  # fmt: skip
    spread: Counter[tuple[Any, ...]] = Counter()
    for row in set(rows):
        for cells in published:
            covered = [covers[place][cells[place]] for place in range(width)]
            if all(row[place] in covered[place] for place in range(width)):
                spread[row] += 1 / count / math.prod(len(leaves) for leaves in covered)
    kl = sum(n / count * math.log2(n / count / spread[row]) for row, n in Counter(rows).items())
    everything = math.prod(len(domain) for domain in domains)
    kl0 = sum(n / count * math.log2(n / count * everything) for n in Counter(rows).values())
    return kl, kl0


def test_information_by_hand() -> None:
    """T = a a b c, published as {a, b} three times and {c, d} once, d being the missing value."""
    frame = pandas.DataFrame({"letter": ["xa", "xa", "xb", "yc"]})
    found = information(frame, {"letter": 1}, letter={"prefixes": [1]})
    # y covers c alone: p' = 3/8 3/8 1/4 and p = 1/2 1/4 1/4.
    expected = 0.5 * math.log2(4 / 3) + 0.25 * math.log2(2 / 3)
    assert found["kl"] == pytest.approx(expected, abs=1e-9)
    assert found["kl0"] == pytest.approx(math.log2(3) - 1.5, abs=1e-9)
    assert found["information"] == pytest.approx(1 - found["kl"] / found["kl0"], abs=1e-9)


def test_information_of_the_table_as_it_is_and_of_nothing() -> None:
    frame = pandas.DataFrame({"a": [1, 1, 2, None], "b": ["x", "y", "x", "x"]})
    assert information(frame, {})["information"] == 1
    assert information(frame, {"a": None, "b": None})["information"] == 0


def test_information_of_constants_is_all_there() -> None:
    assert information(pandas.DataFrame({"a": [1, 1], "b": ["x", "x"]}), {"a": None})["information"] == 1


def test_information_of_adult_in_decades() -> None:
    path = shared("adult.parquet")
    found = information(path, {"age": 1}, [*ADULT, "income"], age={"widths": [10]})
    assert found["kl"] == pytest.approx(1.429673, abs=5e-7)
    assert found["kl0"] == pytest.approx(15.559888, abs=5e-7)
    assert found["information"] == pytest.approx(0.908118, abs=5e-7)
    alone = information(path, {"age": 1}, ["age"], age={"widths": [10]})
    assert alone["kl"] == pytest.approx(0.017336, abs=5e-7)
    assert alone["kl0"] == pytest.approx(0.519045, abs=5e-7)
    assert alone["information"] == pytest.approx(0.966600, abs=5e-7)


@FEW
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.integers(0, 30), st.none() | st.sampled_from(["", "a", "ab", "abc", "b", "é"])
        ),
        min_size=1,
        max_size=12,
    ),
    number=st.sampled_from([0, 1, 2, None]),
    text=st.sampled_from([0, 1, None]),
    word=st.sampled_from([4, 60]),  # both in one word or not
)
def test_information_against_the_definition(
    rows: list[tuple[Any, ...]], number: int | None, text: int | None, word: int
) -> None:
    published = [
        (
            "*" if number is None else a if a is None or number == 0 else a // (5 * number),
            "*" if text is None else b if b is None or text == 0 else b[:1] + "*" * (len(b) > 1),
        )
        for a, b in rows
    ]
    frame = duckdb.connect()
    frame.execute("CREATE TABLE made (n INTEGER, t VARCHAR)")
    frame.executemany("INSERT INTO made VALUES (?, ?)", rows)
    coarser = {"n": {"widths": [5, 10]}, "t": {"prefixes": [1]}}
    with mock.patch.object(encoding, "WORD_BITS", word):
        found = information(frame.table("made"), {"n": number, "t": text}, **coarser)
    kl, kl0 = divergence(rows, published)
    assert found["kl"] == pytest.approx(kl, abs=1e-9)
    assert found["kl0"] == pytest.approx(kl0, abs=1e-9)
    if kl0 > 1e-9:
        assert found["information"] == pytest.approx(1 - kl / kl0, abs=1e-9)


# --- the frontier --------------------------------------------------------------------------------

LEVELS = (("age", (1, 1)), ("city", (1, 2)), ("job", (1, 1)), ("day", (2, 1)))


def people(count: int = 160) -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "age": [20 + number * 7 % 41 for number in range(count)],
            "city": [f"{'NESW'[number % 4]}{number * 5 % 23}" for number in range(count)],
            "job": [None if number % 13 == 0 else "abc"[number * number % 3] for number in range(count)],
            "day": pandas.Timestamp("2011-01-01")
            + pandas.to_timedelta([n * 11 % 90 for n in range(count)], "D"),
        }
    )


def advice(source: Any, levels: tuple[tuple[str, Any], ...] = LEVELS, **options: Any) -> treatments.Advice:
    return treatments.run(
        Request(source),
        roles.RoleOverrides(user="", roles=tuple((name, "attribute") for name, _ in levels)),
        identifiability.Options(levels=levels),
        treatments.Options(objective="value", **options),
        Resources(),
    )


def treated(frame: pandas.DataFrame, options: list[str], folder: Path) -> pandas.DataFrame:
    """What the options of ``duckrisk anonymize`` make of a frame."""
    if not options:
        return frame
    release = folder / "release.parquet"
    frame.to_parquet(folder / "source.parquet")
    done = in_process("anonymize", folder / "source.parquet", "-o", release, "-q", "--overwrite", *options)
    assert done.code == 0, done.err
    return duckdb.read_parquet(str(release)).df()


def assessed(frame: pandas.DataFrame) -> dict[str, Any]:
    levels = {name: level for name, level in LEVELS if name in frame}
    report = duckrisk.assess(
        frame,
        user="",
        only=["identifiability"],
        levels=levels,
        roles=dict.fromkeys(levels, "attribute"),
        what_if=False,
    )
    return dict(report.data["identifiability"])


@pytest.mark.slow
def test_every_line_is_what_an_assessment_of_the_treated_table_says(tmp_path: Path) -> None:
    frame = people()
    found = advice(frame)
    assert found.stop_reason in ("no_risk", "no_step")
    assert len(found.data["lines"]) > 3
    for line in thinned(found.data["lines"], 3):
        expected = assessed(treated(frame, line["options"], tmp_path))
        for name in ("singled_out", "singled_out_share", "total_value", "total_ease", "jo_total_value"):
            assert line[name] == pytest.approx(expected[name], rel=1e-9), (line["options"], name)
    risks = [line["total_value"] for line in found.data["lines"]]
    assert risks == sorted(risks, reverse=True)
    assert len(set(risks)) == len(risks)


def test_hierarchies_say_what_is_coarser(tmp_path: Path) -> None:
    frame = people()[["age", "city"]]
    frame.to_csv(tmp_path / "people.csv", index=False)
    tree = {letter: sorted({city for city in frame["city"] if city[0] == letter}) for letter in "NESW"}
    lines = [
        f"{city};{city[0]};{'north' if city[0] in 'NE' else 'south'};*" for city in sorted(set(frame["city"]))
    ]
    (tmp_path / "city.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "coarse.toml").write_text('[hierarchies]\ncity = "city.csv"\nage = { widths = [4, 20] }\n')
    levels = [part for name, (e, p) in LEVELS[1:2] for part in ("--level", f"{name}={e},{p}")]
    done = command(
        "people.csv",
        "--user",
        "",
        *levels,
        "-q",
        "--ignore",
        "age",
        "--hierarchies",
        "coarse.toml",
        "-o",
        "found.json",
        folder=tmp_path,
    )
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["lines"]
    assert [line["form"] for line in found] == [None, "level1"]
    for number, line in enumerate(found[1:]):
        release = tmp_path / f"release{number}.csv"
        with contextlib.chdir(tmp_path):  # where the files of the hierarchies are
            made = in_process("anonymize", "people.csv", "-o", release, *line["options"])
        assert made.code == 0, made.err
        expected = assessed(pandas.read_csv(release)[["city"]])
        assert line["singled_out"] == expected["singled_out"], line["options"]
    by_tree = duckrisk.advise(
        frame[["city"]],
        user="",
        levels=dict(LEVELS[1:2]),
        roles=dict.fromkeys(dict(LEVELS[1:2]), "attribute"),
        hierarchies={"city": {"tree": tree}},
        objective="value",
        steps=1,
    )
    assert len(by_tree.data["lines"]) == 2


@pytest.mark.slow
def test_target_ends_the_steps_once_it_holds() -> None:
    found = advice(people(), target="identifiability.singled_out_share < 0.3")
    assert found.stop_reason == "target"
    assert found.reached
    shares = [line["singled_out_share"] for line in found.data["lines"]]
    assert shares[-1] < 0.3 <= min(shares[:-1])


def test_target_that_holds_already_needs_no_step() -> None:
    found = advice(people(), target="identifiability.singled_out <= 160")
    assert (found.stop_reason, found.reached, len(found.data["lines"])) == ("target", True, 1)


def test_steps_and_time_limit_end_early() -> None:
    assert len(advice(people(60), steps=1).data["lines"]) == 2
    with pytest.raises(UsageError, match="before the risk of the unchanged table was known"):
        advice(people(), time_limit=1e-9, target="identifiability.singled_out < 1")


def test_a_table_without_risk_needs_no_step() -> None:
    frame = pandas.DataFrame({"age": [20, 20, 30, 30], "job": ["a", "a", "b", "b"]})
    found = advice(frame, (("age", (1, 1)), ("job", (1, 1))))
    assert (found.stop_reason, len(found.data["lines"])) == ("no_risk", 1)
    assert found.data["lines"][0]["information"] == 1


def test_one_record_stays_singled_out() -> None:
    found = advice(pandas.DataFrame({"age": [20], "job": ["a"]}), (("age", (1, 1)), ("job", (1, 1))))
    assert found.stop_reason == "no_step"
    assert found.data["lines"][-1]["singled_out"] == 1


@pytest.mark.parametrize("name", thinned(NAMES[:6:2]), ids=ascii)
def test_hostile_names(name: str) -> None:
    frame = people(40).rename(columns={"city": name})
    levels = tuple((name if key == "city" else key, level) for key, level in LEVELS)
    found = advice(frame, levels, steps=1)
    assert len(found.data["lines"]) > 1
    text = found.to_text()
    assert all(character.isprintable() for line in text.splitlines() for character in line)


@pytest.mark.slow
def test_a_moment_is_first_told_by_the_day(tmp_path: Path) -> None:
    frame = people().assign(
        day=lambda made: made["day"] + pandas.to_timedelta([n * 977 % 86400 for n in range(len(made))], "s")
    )
    found = advice(frame)
    forms = [line["form"] for line in found.data["lines"] if line["attribute"] == "day"]
    assert forms
    for line in thinned(found.data["lines"][::-1], 3):
        expected = assessed(treated(frame, line["options"], tmp_path))
        assert line["singled_out"] == expected["singled_out"], line["options"]


# --- what cannot be advised ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "attribute_risk.mean_risk < 0.1"}, "write one of identifiability"),
        ({"target": "identifiability.not_singled_out < 3"}, "write one of identifiability"),
        ({"target": "identifiability.total_value > 3"}, "would raise the risk"),
        ({"target": "nonsense"}, "is not a gate"),
        ({"steps": 0}, "steps must be"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        advice(people(10), **options)


def test_nothing_to_combine_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="sensitivity level"):
        treatments.run(
            Request(pandas.DataFrame({"zzz": [1, 2], "qqq": ["a", "b"]})),
            roles.RoleOverrides(user=""),
            identifiability.Options(),
            treatments.Options(objective="value"),
            Resources(),
        )


def test_function_takes_what_the_command_takes() -> None:
    frame = people(60)
    found = duckrisk.advise(
        frame,
        user="",
        levels=dict(LEVELS),
        roles=dict.fromkeys(dict(LEVELS), "attribute"),
        objective="value",
        steps=1,
    )
    assert found.data["lines"] == advice(frame, steps=1).data["lines"]
    with pytest.raises(UsageError, match="stepz"):
        duckrisk.advise(frame, stepz=3)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="must be a list"):
        duckrisk.advise(frame, missing_tokens="age")


# --- the command ---------------------------------------------------------------------------------


def command(*arguments: str, folder: Path) -> Result:
    with contextlib.chdir(folder):
        return in_process("advise", "--objective", "value", *arguments)


def test_command(tmp_path: Path) -> None:
    people(60).to_csv(tmp_path / "people of x.csv", index=False)
    levels = [part for name, (e, p) in LEVELS for part in ("--level", f"{name}={e},{p}")]
    arguments = ["people of x.csv", "--user", "", *levels, "-q"]
    shown = command(*arguments, "--steps", "1", folder=tmp_path)
    assert shown.code == 0, shown.err
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "duckrisk anonymize 'people of x.csv' -o release.parquet" in shown.out
    assert "N5" not in shown.out
    written = command(*arguments, "--steps", "1", "-o", "advice.json", folder=tmp_path)
    assert (written.code, written.out) == (0, "")
    data = json.loads((tmp_path / "advice.json").read_text(encoding="utf-8"))
    assert len(data["lines"]) == 2
    assert data["lines"][0]["information"] == 1


def test_command_refuses_to_write_over_the_source(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    before = (tmp_path / "people.csv").read_bytes()
    refused = command("people.csv", "--format", "table", "-o", "people.csv", folder=tmp_path)
    assert refused.code == 2
    assert "part of the source" in refused.err
    assert (tmp_path / "people.csv").read_bytes() == before


def test_format_that_there_is_not(tmp_path: Path) -> None:
    refused = command("x.csv", "--format", "csv", folder=tmp_path)
    assert refused.code == 2
    forms = "table, json, markdown, html, sarif, github"
    assert refused.err == f"duckrisk: Advice is written as {forms}, not as csv.\n"


@pytest.mark.slow
def test_adult_reaches_a_target_within_a_time() -> None:
    """The figures of all records; where examples are few, of some, as an assessment has them."""
    path, settings = shared("adult.parquet"), config.load(ROOT / "datasets" / "adult.toml")
    query = None if EXAMPLES >= 20 else f"SELECT * FROM '{path}' LIMIT 3000"
    found = treatments.run(
        Request(None if query else path, query=query),
        settings.overrides,
        settings.identifiability,
        treatments.Options(objective="value", steps=1),
        Resources(),
    )
    first, second = found.data["lines"]
    if query is None:
        assert first["singled_out"] == 48_842 - 26_985
        assert first["total_value"] == pytest.approx(140_213_313.803, abs=0.001)
        assert (second["attribute"], second["form"]) == ("age", "5")
        assert second["information"] == pytest.approx(0.931, abs=0.0005)
        return
    asked = ("--query", query, "--config", ROOT / "datasets" / "adult.toml", "--only", "identifiability")
    expected = in_process("assess", *asked, "--format", "json", "-q").json["identifiability"]
    for name in ("singled_out", "total_value"):
        assert second[name] < first[name] == expected[name]
