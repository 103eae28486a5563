"""The detail and the facts of each line of advice, beside a comparison and brute force of the releases."""

from __future__ import annotations

import itertools
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from tests.command import command
from tests.tables import EXAMPLES, LIGHT, thinned

#: An example runs a command for each line of an advice.
FEW = settings(LIGHT, max_examples=min(EXAMPLES, 4) if EXAMPLES >= 20 else 2)
Table = list[dict[str, str | None]]


def read(path: Path) -> Table:
    """Read a CSV file as texts, None where a cell is empty."""
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    return [{name: text or None for name, text in row.items()} for row in frame.to_dict("records")]


def penalty(cell: str | None, values: list[str | None], numeric: bool) -> float:
    """The certainty penalty of a cell: the width of what it covers, or its share of the column's values."""
    different = set(values)
    if cell in different:
        return 0.0
    assert cell is not None
    if cell == "*":
        return float(len(different) > 1)
    if cell[0] == "{":
        covered = different & set(cell.strip("{}").split(", "))
        return len(covered) / len(different) if len(covered) > 1 else 0.0
    if not numeric:
        covered = {v for v in different if v is not None and len(v) >= len(cell) and v.startswith(cell[:-1])}
        return len(covered) / len(different) if len(covered) > 1 else 0.0
    low, high = (float(end) for end in cell.strip("[])").split(", "))
    numbers = sorted(float(v) for v in different if v is not None)
    inside = [n for n in numbers if low <= n < high or (n == high and cell[-1] == "]")]
    if len(inside) == len(different):
        return 1.0
    if len(inside) == 1:
        return 0.0
    return (min(high, numbers[-1]) - max(low, numbers[0])) / (numbers[-1] - numbers[0])


def detail_of(original: Table, release: Table, known: Sequence[str], numeric: set[str]) -> float:
    """The share that is left of the certainty of all cells; what a release lacks counts in full."""
    lost = float(len(known) * max(0, len(original) - len(release)))
    for name in known:
        values = [row[name] for row in original]
        for row in release:
            lost += (
                penalty(row[name].replace(" ", " ") if row[name] else None, values, name in numeric)
                if name in row
                else 1
            )
    return 1 - lost / (len(known) * max(len(original), len(release)))


def releases(source: Path, *words: str, roles: Sequence[str] = ()) -> Iterator[tuple[dict[str, Any], Path]]:
    """The lines of an advice, each with the release that its options make of the same roles."""
    done = command("advise", source, "-q", "--format", "json", *words, *roles)
    assert done.code == 0, done.err
    for line in json.loads(done.out)["lines"]:
        release = source
        if line["options"]:
            release = source.with_name("out.csv")
            # Means of bands are no values of the original; intervals are the same forms.
            cells = ["--numbers", "interval"] if line["method"] == "uniform" else []
            of_people = [*roles, *cells] if line["people"] is not None else []
            made = command(
                "anonymize", source, "-o", release, "--overwrite", "-q", *line["options"], *of_people
            )
            assert made.code == 0, made.err
        yield line, release


@st.composite
def drawn_rows(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Records of a person, an age, a code and a sex; no column is the same everywhere."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    count, ages, people = draw(st.integers(30, 120)), draw(st.integers(3, 70)), draw(st.integers(8, 40))
    missing, letters = draw(st.sampled_from([0, 0.1])), draw(st.sampled_from(["ab", "abc"]))
    unnamed = draw(st.sampled_from([0, 0.3]))

    def code() -> str:
        return f"{rng.choice(letters)}{rng.choice('xyz')}{rng.randrange(10)}"

    rows = [
        (
            None if rng.random() < unnamed else rng.randrange(people),
            None if rng.random() < missing else rng.randrange(-5, ages),
            code(),
            "fm"[n % 2],
        )
        for n in range(count)
    ]
    return [(0, -30, "ax0", "f"), (1, 300, "by1", "m"), *rows]


def write(path: Path, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> None:
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in [names, *rows]]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@FEW
@given(drawn_rows(), st.sampled_from(["", "person"]), st.sampled_from(["people", "value"]))
def test_a_line_leaves_the_detail_that_a_comparison_finds(
    rows: list[tuple[Any, ...]], user: str, objective: str
) -> None:
    """Whatever the objective; and as much as a count of its cells by hand."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "people.csv")
        # An ignored column would leave a policy undecided.
        columns = ["age", "code", "sex"]
        write(source, rows if user else [row[1:] for row in rows], [*(["person"] if user else []), *columns])
        asked = ["--objective", objective]
        if objective == "value":
            asked += ["--steps", "4", "--level", "age=1,1", "--level", "code=2,2", "--level", "sex=1,1"]
        else:
            asked += ["--policy", "internal"]
        for line, release in releases(source, *asked, roles=["--user", user]):
            found = duckrisk.compare(source, release, user=user, only=["information"])
            information = found.releases[0].information
            assert information is not None
            assert information.detail.detail_left == pytest.approx(line["detail_left"], abs=1e-12)
            assert (information.detail.columns, information.detail.columns_before) == (
                line["columns"],
                line["columns_before"],
            )
            assert 0 <= line["detail_left"] <= 1
            if "information" in line and not any(record[0] is None for record in rows):
                assert information.information == pytest.approx(line["information"], abs=1e-8)
            known = list(found.attributes)
            original = source
            if line["method"] == "summary":
                original = source.with_name("summaries.csv")
                made = command("anonymize", source, "-o", original, "--overwrite", "-q", "--summarize", user)
                assert made.code == 0, made.err
            by_hand = detail_of(read(original), read(release), known, {"age", "age_sum", "records"})
            assert line["detail_left"] == pytest.approx(by_hand, abs=1e-12), line["options"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(2)))
def test_records_of_nobody_are_published_and_deleted_like_others(tmp_path: Path, seed: int) -> None:
    """A quarter of the records names no person: such a record counts wherever records are counted, and goes
    with its class where too few people are in it."""
    rng, source = random.Random(seed), tmp_path / "visits.csv"
    rows: list[tuple[Any, ...]] = [
        (n if rng.random() < 0.75 else None, 20 + n % 7, rng.choice("ABC"))
        for n in range(300)
        for _ in range(2)
    ]
    rows += [(600 + n, 60 + n, "A") for n in range(4)] + [(None, 80, "B")] * 5
    write(source, rows, ["person_id", "age", "ward"])
    deleted = 0
    for line, release in releases(source, "--policy", "internal", roles=["--user", "person_id"]):
        found = duckrisk.compare(source, release, user="person_id", only=["information"]).releases[0]
        assert found.information is not None
        assert line["records"] == len(read(release))
        left = found.information.detail.detail_left
        assert line["detail_left"] == pytest.approx(left, abs=1e-12), line["options"]
        deleted += line["records"] < len(rows)
    assert deleted, "nothing was deleted, so nothing was tried"


@pytest.mark.slow
def test_a_release_costs_what_its_comparison_says(tmp_path: Path) -> None:
    """600 people in ages, of whom 30 have none."""
    source, out = tmp_path / "people.csv", tmp_path / "out.csv"
    rows = [(n + 1, None if n % 20 == 0 else 18 + n * n * 7 % 73, "MF"[n * n % 7 % 2]) for n in range(600)]
    write(source, rows, ["person_id", "age", "sex"])
    made = duckrisk.anonymize(source, out, to_policy="public", method="local")
    assert made.policy is not None
    compared = duckrisk.compare(source, out, only=["information"]).releases[0].information
    assert compared is not None
    assert made.policy.detail.columns == compared.detail.columns == 2
    assert made.policy.detail.detail_left == pytest.approx(compared.detail.detail_left, abs=1e-12)
    assert 0 < made.policy.detail.detail_left < 1
    words = " ".join(made.to_text(200).split())
    assert "2 of 2 columns, " in words
    assert "of the detail" in words


# --- three facts ----------------------------------------------------------------------------------


def three_facts(table: Table, names: Sequence[str], user: str | None) -> float:
    """The share of people whom a set of up to three of the columns singles out, in the mean over the sets."""
    people = [row[user] if user else str(number) for number, row in enumerate(table)]
    means = [0.0]
    for size in range(1, min(3, len(names)) + 1):
        shares = []
        for names_of_set in itertools.combinations(names, size):
            owners: dict[tuple[str | None, ...], set[str | None]] = defaultdict(set)
            for person, row in zip(people, table, strict=True):
                owners[tuple(row[name] for name in names_of_set)].add(person)
            alone = {
                next(iter(several))
                for cells, several in owners.items()
                if len(several) == 1 and None not in cells
            }
            shares.append(len(alone) / len(set(people)))
        means.append(sum(shares) / len(shares))
    return max(means)


@pytest.mark.slow
@FEW
@given(drawn_rows(), st.sampled_from(["public", "internal"]))
def test_three_facts_lie_within_their_bounds(rows: list[tuple[Any, ...]], policy: str) -> None:
    """Brute force of each line: a value is exact, and what is no value stands as a bound."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "people.csv")
        write(source, [row[1:] for row in rows], ["age", "code", "sex"])
        for line, release in releases(source, "--policy", policy, roles=["--user", ""]):
            table = read(release)
            names = [name for name in ("age", "code", "sex") if table and name in table[0]]
            (finding,) = (f for f in line["people"]["verdict"]["findings"] if f["name"] == "three_facts")
            exact = three_facts(table, names, None)
            if finding["value"] is not None:
                assert finding["value"] == pytest.approx(exact, abs=1e-12)
            else:
                assert finding["lower"] - 1e-12 <= exact <= finding["upper"] + 1e-12


@pytest.mark.parametrize("method", ["local", "uniform"])
def test_moments_lose_the_same_in_releases_and_comparisons(tmp_path: Path, method: str) -> None:
    """With times of the day, and periods whose first and last days hold no record."""
    rows = [
        (f"2023-{1 + i % 12:02}-{2 + i * 7 % 25:02} {i % 24:02}:{i % 60:02}:00", "ABC"[i % 3])
        for i in range(400)
    ]
    source, target = tmp_path / "t.csv", tmp_path / "r.csv"
    write(source, rows, ["seen", "ward"])
    names = ["--quasi-identifier", "seen", "--quasi-identifier", "ward"]
    done = command(
        "anonymize", source, "-o", target, "--k", "7", "--method", method, *names, "--format", "json"
    )
    assert done.code == 0, done.err
    gcp = next(step["gcp"] for step in json.loads(done.out)["steps"] if "gcp" in step)
    found = duckrisk.compare(source, target, user="", only=["information"]).releases[0].information
    assert found is not None
    assert found.detail.detail_left == pytest.approx(1 - gcp, abs=1e-12)
