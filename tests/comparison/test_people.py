"""Who is singled out in each table of a comparison, beside brute force, and what the policy says."""

from __future__ import annotations

from pathlib import Path

import pandas

import duckrisk
from tests.command import command


def people(release: pandas.DataFrame) -> tuple[int, int]:
    """Those whom all columns together single out, and the smallest class."""
    sizes = release.groupby(list(release.columns)).size()
    return int((sizes == 1).sum()), int(sizes.min())


def test_the_comparison_leads_with_people(tmp_path: Path) -> None:
    original = pandas.DataFrame(
        {"age": [20 + n * 7 % 31 for n in range(240)], "city": [n * n % 9 for n in range(240)]}
    )
    safe, worse = original.assign(age=[f"[{n // 40 * 40}, ..[" for n in original.age]), original.iloc[:100]
    found = duckrisk.compare(original, safe, worse, user="", only=["risk"], policy="internal")
    for table, frame in zip(found.tables, (original, safe, worse), strict=True):
        assert table.people is not None
        assert (table.people.singled_out, table.people.smallest_class) == people(frame.astype(str))
        exceeded = {one.name for one in table.people.verdict.exceeded}
        assert ("smallest_class" in exceeded) == (people(frame.astype(str))[1] < 3)
    assert [table.people.people for table in found.tables if table.people] == [240, 240, 100]


def test_better_and_worse_are_words_with_arrows(tmp_path: Path) -> None:
    rows = [f"{20 + n * 7 % 31},{n * n % 9}" for n in range(240)]
    (tmp_path / "a.csv").write_text("age,city\n" + "\n".join(rows) + "\n")
    (tmp_path / "b.csv").write_text(
        "age,city\n" + "\n".join(f"{20 + n % 2},{n % 9}" for n in range(250)) + "\n"
    )
    done = command("compare", tmp_path / "a.csv", tmp_path / "b.csv", "-q", "--user", "")
    assert done.code == 0, done.err
    first = " ".join(done.out.split("\n\n")[1].split())
    assert first.startswith("b.csv: 0 of 250 people are singled out (before")
    assert "↓ better" in first
    assert "↑ better" in first
    assert "10 records more than the original" in " ".join(done.out.split())
    back = command("compare", tmp_path / "b.csv", tmp_path / "a.csv", "-q", "--user", "").out
    assert "↑ worse" in back
    assert "↓ worse" in back
