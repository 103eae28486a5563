"""Releases without their user column: people and relinked histories, by the original and by brute force."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import NotReachedError
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.policy.results import Verdict
from tests.command import command, refused
from tests.tables import LIGHTER, thinned

#: What is asked of an assessment that looks at people alone.
ASKED: dict[str, Any] = {"only": ["uniqueness", "attribute_risk", "direct_identifiers"], "samples": 0}
NAMES = ("customer_id", "sex", "shop", "code")
#: A person, what is constant for most, what changes, and a column that outsiders do not know.
Record = tuple[str, str, str, str]


def original(rows: Sequence[Record], path: Path) -> Path:
    """Write a history as a CSV file."""
    pandas.DataFrame(rows, columns=list(NAMES)).to_csv(path, index=False)
    return path


def figures(verdict: Verdict) -> dict[str, float | None]:
    return {finding.name: finding.value for finding in verdict.findings}


def decided(verdict: Verdict) -> tuple[str, dict[str, tuple[float | None, bool | None]]]:
    """The outcome, and what was found for each limit."""
    return verdict.outcome, {one.name: (one.value, one.met) for one in verdict.findings}


def test_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann and Bob have f and x, Cleo m and y twice: three rows and two, but two people and one.

    Cleo is alone in a class. Sex and shop are constant for everybody, so the rows with m and y are a history
    of one person: one of three, which nobody else has.
    """
    monkeypatch.chdir(tmp_path)
    rows = [("ann", "f", "x"), ("cleo", "m", "y"), ("ann", "f", "x"), ("bob", "f", "x"), ("cleo", "m", "y")]
    pandas.DataFrame(rows, columns=["customer_id", "sex", "shop"]).to_csv("o.csv", index=False)
    duckrisk.anonymize(
        "o.csv", "r.csv", steps=[{"method": "suppress", "column": "customer_id", "drop": True}]
    )
    alone = duckrisk.assess("r.csv", user="", **ASKED)
    assert (figures(alone.verdict)["smallest_class"], alone.source.users) == (2, 5)
    found = duckrisk.assess("r.csv", original="o.csv", **ASKED)
    assert (found.source.users, found.source.user, found.source.lost_user) == (3, None, "customer_id")
    assert figures(found.verdict) == pytest.approx(
        {
            "identifying_columns": 0,
            "unique_people": 1 / 3,
            "smallest_class": 1,
            "unique_histories": 1 / 3,
            "smallest_history": 1,
            "one_fact": (3 / 2 + 2) / 5,
            "three_facts": 1 / 3,
        }
    )
    assert found.uniqueness is not None
    assert found.uniqueness.relinked is not None
    assert (found.uniqueness.relinked.columns, found.uniqueness.relinked.people) == (("sex", "shop"), 1)
    assert found.verdict.outcome == "fail"
    text = " ".join(found.to_text().split())
    assert '1 of 3 people can be linked again: nobody else has their "sex", "shop"' in text


# --- brute force -----------------------------------------------------------------------------------


@st.composite
def drawn_rows(draw: st.DrawFn) -> list[Record]:
    """Histories whose sex and code are constant for each person in most of the tables."""
    people = draw(st.integers(2, 7))
    stays = draw(st.booleans())
    own = [(draw(st.sampled_from("fm")), draw(st.sampled_from("pqrs"))) for _ in range(people)]
    rows = []
    for _ in range(draw(st.integers(people, 22))):
        who = draw(st.integers(0, people - 1))
        sex, code = own[who]
        rows.append(
            (f"u{who}", sex, draw(st.sampled_from("ab")), code if stays else draw(st.sampled_from("pq")))
        )
    return rows


def by_brute_force(rows: Sequence[Record], known: Sequence[int], released: Sequence[int]) -> dict[str, float]:
    """The limits by their definitions: ``known`` are quasi-identifiers, ``released`` all columns."""
    people = {row[0] for row in rows}
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    own: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for row in rows:
        values = tuple(row[place] for place in known)
        holders[values].add(row[0])
        own[row[0]][values] += 1
    smallest = {who: min(len(whose) for whose in holders.values() if who in whose) for who in people}
    found = {
        "unique_people": sum(size == 1 for size in smallest.values()) / len(people),
        "smallest_class": min(smallest.values()),
    }
    varies = [place for place in released if len({row[place] for row in rows}) > 1]
    fixed = [
        place for place in varies if all(len({r[place] for r in rows if r[0] == p}) == 1 for p in people)
    ]
    linked: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        linked[tuple(row[place] for place in fixed)].add(row[0])
    relinked = {next(iter(whose)) for whose in linked.values() if len(whose) == 1}
    if len(rows) > len(people):
        found["relinked"] = len(relinked)
        if relinked:
            alike = {who: sum(own[other] == own[who] for other in people) for who in relinked}
            found["unique_histories"] = sum(size == 1 for size in alike.values()) / len(people)
            found["smallest_history"] = min(alike.values())
            if max(map(Counter.total, own.values())) <= 3:  # three records are all of them
                fits = {who: sum(own[who] <= own[other] for other in people) for who in relinked}
                found["three_records"] = sum(size == 1 for size in fits.values()) / len(people)
    return found


@LIGHTER
@given(drawn_rows(), st.booleans(), st.booleans())
def test_figures_are_those_of_their_definitions(rows: list[Record], hidden: bool, shared: bool) -> None:
    """With a column that outsiders do not know, which can link rows, and without."""
    known = (1, 2) if hidden else (1, 2, 3)
    assume(any(len({row[place] for row in rows}) > 1 for place in known))
    frame = pandas.DataFrame(rows, columns=list(NAMES))
    found = duckrisk.assess(
        frame.drop(columns="customer_id"),
        original=frame,
        user="customer_id",
        insensitive=["code"] if hidden else [],
        quasi_identifiers=["sex", "shop", *([] if hidden else ["code"])],
        policy="shared" if shared else "public",
        **ASKED,
    )
    expected = by_brute_force(rows, known, (1, 2, 3))
    check(found, expected, shared=shared)


def check(found: Assessment, expected: dict[str, float], *, shared: bool) -> None:
    """Compare an assessment with the figures of brute force, as far as the policy has limits on them."""
    relinked = found.uniqueness.relinked if found.uniqueness is not None else None
    assert (relinked.people if relinked is not None else None) == expected.pop("relinked", None)
    told = figures(found.verdict)
    away = ("unique_histories", "smallest_history") if shared else ("three_records",)
    for name, value in expected.items():
        if name not in away:
            assert told[name] == pytest.approx(value), name
    for name in ("unique_histories", "smallest_history", "three_records"):
        assert (name in told) <= (relinked is not None and relinked.people > 0)


def test_who_is_relinked_counts_as_where_rows_are_linked(tmp_path: Path) -> None:
    """A column that numbers people is a link: figures on histories are those of the table with its user."""
    rows = [(f"u{n % 9}", "fm"[n % 9 % 2], "abcde"[n * n % 5], f"p{n % 9}") for n in range(45)]
    path = original(rows, tmp_path / "o.csv")
    asked = {"insensitive": ["code"], "quasi_identifiers": ["sex", "shop"], **ASKED}
    whole = duckrisk.assess(path, user="customer_id", **asked)
    found = duckrisk.assess(
        pandas.DataFrame(rows, columns=list(NAMES)).drop(columns="customer_id"),
        original=path,
        user="customer_id",
        **asked,
    )
    assert found.uniqueness is not None
    assert whole.uniqueness is not None
    assert found.uniqueness.histories == whole.uniqueness.histories
    assert found.uniqueness.whole_records == whole.uniqueness.whole_records


# --- one judge -------------------------------------------------------------------------------------

DROP = {"method": "suppress", "column": "customer_id", "drop": True}
CHAINS: dict[str, list[dict[str, Any]]] = {
    "dropped": [DROP],
    "deleted": [{"method": "delete", "where": "shop = 'a'"}, DROP],
    "classes": [
        {
            "method": "delete-classes",
            "below": 2,
            "quasi_identifiers": ["sex", "shop"],
            "user": "customer_id",
        },
        DROP,
        {"method": "suppress", "column": "code", "drop": True},
    ],
    "coarser": [{"method": "suppress", "column": "code"}, DROP],
    "drawn": [{"method": "sample", "share": 0.7}, DROP, {"method": "shuffle"}],
    "pseudonyms": [{"method": "pseudonymize", "column": "customer_id"}],
}


@pytest.mark.parametrize(("chain", "form"), thinned(zip(CHAINS, ["csv", "parquet", "csv"] * 2, strict=True)))
def test_compare_and_assess_judge_alike(tmp_path: Path, chain: str, form: str) -> None:
    """Whatever the recipe deletes, draws or shuffles: the rows left are those of the same people."""
    rows = [
        (f"u{n * 7 % 23}", "fm"[n * 7 % 23 % 2], "abc"[n * n % 3], "pqrs"[n * 7 % 23 % 4]) for n in range(70)
    ]
    path, release = original(rows, tmp_path / "o.csv"), tmp_path / f"r.{form}"
    duckrisk.anonymize(path, release, steps=CHAINS[chain], seed=3)
    assessed = duckrisk.assess(release, original=path, **ASKED)
    compared = duckrisk.compare(path, release, only=["risk"]).releases[0].risk
    assert compared is not None
    assert decided(compared.people.verdict) == decided(assessed.verdict)
    assert compared.users == assessed.source.users
    assert compared.people.verdict.assumptions == assessed.verdict.assumptions
    left = pandas.read_csv(release) if form == "csv" else pandas.read_parquet(release)
    assert assessed.source.records == len(left)


@pytest.mark.slow
@LIGHTER
@example([(f"u{n}", "f", "a", "q" if n == 3 else "p") for n in range(4)])
@given(drawn_rows())
def test_a_release_to_a_policy_is_judged_by_all_alike(rows: list[Record]) -> None:
    """What ``--to-policy`` says of its release, assess and compare say of it too."""
    rows = [(f"{row[0]}-{turn}", *row[1:]) for turn in range(6) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        path, release = original(rows, Path(folder, "o.csv")), Path(folder, "r.csv")
        try:
            made = duckrisk.anonymize(path, release, to_policy="internal", steps=[DROP], user="customer_id")
        except (NotReachedError, duckrisk.UsageError):
            assert not release.exists()
            return
        assert made.policy is not None
        told = duckrisk.compare(path, release, user="customer_id", policy="internal", only=["risk"])
        compared = told.releases[0].risk
        assessed = duckrisk.assess(release, original=path, user="customer_id", policy="internal", **ASKED)
        assert compared is not None
        assert decided(made.policy.verdict) == decided(assessed.verdict)
        assert decided(compared.people.verdict) == decided(assessed.verdict)
        assert made.policy.people == assessed.source.users


# --- what is said ----------------------------------------------------------------------------------


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    rows = [(f"u{n % 120}", "fm"[n % 2], draw.choice("abcdef"), "pq"[n % 2]) for n in range(720)]
    original(rows, tmp_path / "o.csv")
    return tmp_path


def test_without_the_original_the_pass_depends_on_it(history: Path) -> None:
    """The recipe says that a user column was left out; a table that never had one stays as it is."""
    duckrisk.anonymize("o.csv", "r.csv", steps=[DROP])
    found = duckrisk.assess("r.csv", **ASKED)
    assert (found.verdict.outcome, found.verdict.accepted) == ("pass_if", False)
    assert [one.key for one in found.verdict.assumptions] == ["policy.assume.unlinked"]
    assert "if no two rows of a person can be linked" in found.to_text()
    assert "--original FILE" in command("assess", "r.csv").out
    shutil.copyfile("r.csv", "plain.csv")
    plain = duckrisk.assess("plain.csv", **ASKED)
    assert [one.key for one in plain.verdict.assumptions] == ["policy.assume.no_user"]
    known = duckrisk.assess("plain.csv", original="o.csv", **ASKED)
    assert (known.verdict.outcome, known.verdict.assumptions) == ("pass", ())


@pytest.mark.slow
def test_another_table_is_one_sentence(history: Path) -> None:
    """Other columns, another number of records, other rows, nothing to see it by, draws without a seed."""
    made = pandas.read_csv("o.csv", dtype=str).drop(columns="customer_id")
    made.to_csv("r.csv", index=False)
    asked = ("assess", "r.csv", "--original")
    Path("z.csv").write_text("a,b\n1,2\n")
    refused(2, 'has the column "sex"', arguments=(*asked, "z.csv"))
    refused(3, 'no file "none.csv"', arguments=(*asked, "none.csv"))
    made[:99].to_csv("few.csv", index=False)
    refused(2, "99 records", "gives 720", arguments=("assess", "few.csv", "--original", "o.csv"))
    made.sort_values(list(made.columns)).to_csv("sorted.csv", index=False)
    refused(2, "in other rows", arguments=("assess", "sorted.csv", "--original", "o.csv"))
    made.map(lambda text: f"[{text}]").to_csv("coarse.csv", index=False)
    refused(2, "--aligned", arguments=("assess", "coarse.csv", "--original", "o.csv"))
    assert duckrisk.compare("o.csv", "coarse.csv", aligned=True, only=["risk"]).releases[0].risk.users == 120
    duckrisk.anonymize("o.csv", "drawn.csv", steps=[DROP, {"method": "shuffle"}])
    refused(2, "without a seed", arguments=("assess", "drawn.csv", "--original", "o.csv"))
    unknown = duckrisk.compare("o.csv", "sorted.csv", only=["risk"]).releases[0].risk
    assert unknown is not None
    assert unknown.users == 720
    assert [one.key for one in unknown.people.verdict.assumptions] == ["policy.assume.unlinked"]
    assert "compare.people_unknown" in [note.key for note in unknown.notes]


@pytest.mark.slow
def test_a_history_that_keeps_no_policy_is_offered_without_its_link(history: Path) -> None:
    """It is left out and said, with the option or without; a release is what advice promised."""
    made = command("anonymize", "o.csv", "-o", "own.csv", "--to-policy", "public", "--method", "local")
    assert made.code == 0, made.err
    assert '"customer_id" is left out' in " ".join(made.out.split() + made.err.split())
    assert "customer_id" not in pandas.read_csv("own.csv")
    advice = duckrisk.advise("o.csv")
    assert advice.stop_reason == "policy"
    line = advice.lines[-1].people
    assert line is not None
    offered = ("anonymize", "o.csv", "--to-policy", "public", "--drop", "customer_id", "-o", "r.csv")
    assert command(*offered).code == 0
    for made in ("r.csv", "steps.csv"):
        if made == "steps.csv":
            assert command("anonymize", "o.csv", "-o", made, *advice.lines[-1].options).code == 0
        found = duckrisk.assess(made, original="o.csv", **ASKED)
        assert found.verdict.outcome == "pass"
        values = figures(found.verdict)
        assert values["smallest_class"] == line.smallest_class
        assert values["unique_people"] == pytest.approx(line.singled_out_share)
        assert found.source.users == line.people
    refused(
        2,
        '"sex" is not the user column',
        arguments=(*offered[:5], "sex", "-o", "x.csv"),
    )
    refused(
        2,
        '"sex" is to stay (keep), but the method drop removes it',
        arguments=(*offered[:5], "sex", "--keep", "sex", "-o", "x.csv"),
    )
