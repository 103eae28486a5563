"""Bounds of hidden cells and what else to hide: by hand, against all counts that fit, and linear algebra."""

from __future__ import annotations

import importlib.util
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.release.counts import bounds, programs
from duckrisk.release.counts.bounds import list_bounds, make_solver, mend
from duckrisk.release.counts.cells import Cells, Need, Place
from duckrisk.release.counts.network import Network
from tests import counts_oracle as oracle
from tests.tables import LIGHT

#: The toy of sdcTable (tests/testthat/test-simpleheuristic.R), and its hidden cells.
TOY = {"w": (30, 47, 64, 89), "x": (90, 124, 5, 31), "y": (92, 100, 59, 85), "z": (800, 991, 651, 685)}
HIDDEN = "wa wb wc xa xc yb yd zb zd"


def toy_place(name: str) -> Place:
    return "wxyz".index(name[0]) + 1, "abcd".index(name[1]) + 1


def toy(names: str, width: int = 9) -> Cells:
    inner = {
        toy_place(row + "abcd"[n]): count for row, counts in TOY.items() for n, count in enumerate(counts)
    }
    return published(oracle.with_totals(inner), set(map(toy_place, names.split())), width)


def published(whole: dict[Place, int], hidden: set[Place], width: int = 1) -> Cells:
    """A table without its hidden counts."""
    counts = {place: None if place in hidden else count for place, count in whole.items()}
    sizes = tuple(map(max, zip(*whole, strict=True)))
    return Cells(sizes, counts, set(hidden), needs={place: Need(width=width) for place in hidden})


def test_the_toy_of_sdc_table() -> None:
    """Each row and column hides two or more, yet wb = (230 + 250 - 244) - (1012 + 779 - 1602) = 47."""
    found = {bound.place: bound for bound in list_bounds(make_solver(toy(HIDDEN)))}
    expected = {
        "wa": (25, 94), "wb": (47, 47), "wc": (0, 69), "xa": (26, 95), "xc": (0, 69), "yb": (0, 185),
        "yd": (0, 185), "zb": (906, 1091), "zd": (585, 770),
    }  # fmt: skip
    assert {
        name: (found[toy_place(name)].lower, found[toy_place(name)].upper) for name in expected
    } == expected
    assert [place for place, bound in found.items() if bound.by_subtraction] == [toy_place("wb")]
    assert [place for place, bound in found.items() if bound.is_open] == [toy_place("wb")]
    wider = {bound.place: bound for bound in list_bounds(make_solver(toy(HIDDEN + " xb")))}
    assert [(wider[toy_place(n)].lower, wider[toy_place(n)].upper) for n in ("wb", "xb")] == [
        (0, 141),
        (30, 171),
    ]


def test_the_cheapest_cell_closes_the_bridge_of_the_toy() -> None:
    """wb joins the rows w, x to the columns b, d: of the cells that join them again xd has the least, 31."""
    cells = toy(HIDDEN)
    solver = make_solver(cells)
    assert mend(solver) == [toy_place("xd")]
    joining = [toy_place(name) for name in ("wd", "xb", "xd", "ya", "yc", "za", "zc")]
    assert min(joining, key=cells.count_at) == toy_place("xd")
    assert not any(bound.is_open for bound in list_bounds(solver))


def test_totals_of_the_file_of_sdc_table() -> None:
    """Its file has 1021 and 770 instead of 1012 and 779; their sum is the same, and so wb is 47."""
    cells = toy(HIDDEN)
    cells.counts |= {(0, 1): 1021, (0, 3): 770}
    bound = next(bound for bound in list_bounds(make_solver(cells)) if bound.place == toy_place("wb"))
    assert (bound.lower, bound.upper, bound.by_subtraction) == (47, 47, True)


def test_counts_that_fit_no_totals_are_contradictory() -> None:
    cells = Cells((2,), {(0,): 3, (1,): None, (2,): 5}, {(1,)})
    solver = make_solver(cells)
    assert solver.contradictory == {(1,)}
    assert list_bounds(solver) == []


def test_without_totals_nothing_limits_a_count() -> None:
    cells = Cells((2, 2), {(1, 1): None, (1, 2): 4, (2, 1): 5, (2, 2): 6}, {(1, 1)}, needs={(1, 1): Need()})
    (bound,) = list_bounds(make_solver(cells))
    assert (bound.lower, bound.upper, bound.is_open) == (0, None, False)


def test_a_mark_limits_a_count() -> None:
    """Of 5 in two hidden cells, one says <3: 0..2 and 3..5."""
    cells = Cells((2,), {(0,): 5, (1,): None, (2,): None}, {(1,), (2,)}, most={(1,): 2})
    assert [(b.lower, b.upper) for b in list_bounds(make_solver(cells))] == [(0, 2), (3, 5)]


def test_a_total_that_no_row_shows_is_unknown() -> None:
    """The total of row 2 is not published, so its hidden cell follows from its column alone: 9 - 2 = 7."""
    counts = {(1, 1): 2, (1, 2): None, (2, 1): None, (2, 2): 8, (1, 0): 5, (0, 1): 9, (0, 0): 20}
    cells = Cells((2, 2), counts, {(1, 2), (2, 1)})
    found = {bound.place: (bound.lower, bound.upper) for bound in list_bounds(make_solver(cells))}
    assert found == {(1, 2): (3, 3), (2, 1): (7, 7)}


@st.composite
def tables(draw: st.DrawFn, sizes: tuple[int, ...] | None = None) -> tuple[dict[Place, int], set[Place]]:
    """A small table with all totals, and some hidden cells; the total of all is shown."""
    sizes = sizes or draw(st.sampled_from([(2,), (4,), (2, 2), (2, 3), (3, 3), (4, 2)]))
    places = list(itertools.product(*(range(1, size + 1) for size in sizes)))
    inner = {place: draw(st.integers(0, 3)) for place in places}
    whole = oracle.with_totals(inner)
    hideable = sorted(place for place in whole if any(place))
    return whole, set(draw(st.lists(st.sampled_from(hideable), min_size=1, max_size=6)))


@LIGHT
@given(tables())
def test_bounds_are_those_of_all_counts_that_fit(drawn: tuple[dict[Place, int], set[Place]]) -> None:
    whole, hidden = drawn
    solver = make_solver(published(whole, hidden))
    assert isinstance(solver, Network)
    assert not solver.contradictory
    found = list_bounds(solver)
    assert {bound.place: (bound.lower, bound.upper) for bound in found} == oracle.bounds_of(whole, hidden)
    assert {bound.place for bound in found if bound.by_subtraction} == oracle.by_subtraction(whole, hidden)


@LIGHT
@given(tables(), st.integers(1, 4))
def test_mended_tables_keep_what_is_asked(drawn: tuple[dict[Place, int], set[Place]], width: int) -> None:
    """Bounds are wide enough by the oracle, or no cells at all would widen them."""
    whole, hidden = drawn
    cells = published(whole, hidden, width)
    solver = make_solver(cells)
    added = mend(solver)
    assert cells.hidden == hidden | set(added)
    assert not hidden & set(added)
    left = {bound.place for bound in list_bounds(solver) if bound.is_open}
    checked = oracle.bounds_of(whole, cells.hidden)
    assert {place for place in hidden if checked[place][1] - checked[place][0] < width} == left
    most = {place for place, count in whole.items() if any(place) and count} | hidden
    limits = {bound.place: bound for bound in list_bounds(make_solver(published(whole, most, width)))}
    for place in left:
        if limits[place].upper is not None and limits[place].upper - limits[place].lower >= width:
            # The cheapest path was taken for a smaller step; hiding all would do more.
            assert limits[place].upper - limits[place].lower >= checked[place][1] - checked[place][0]


@LIGHT
@given(tables(sizes=(2, 2, 2)))
def test_three_ways(drawn: tuple[dict[Place, int], set[Place]]) -> None:
    """Lines one by one give bounds that hold; linear programs give the exact ones of real numbers."""
    whole, hidden = drawn
    expected = oracle.bounds_of(whole, hidden)
    for bound in list_bounds(programs.Boxes(published(whole, hidden))):
        assert bound.lower <= expected[bound.place][0]
        assert bound.upper is None or bound.upper >= expected[bound.place][1]
    if not programs.has_programs():
        return
    solver = programs.Programs(published(whole, hidden))
    found = list_bounds(solver)
    for bound in found:
        assert bound.lower <= expected[bound.place][0]
        assert bound.upper is not None
        assert bound.upper >= expected[bound.place][1]
    exact = {bound.place for bound in found if bound.by_subtraction}
    assert exact == oracle.by_subtraction(whole, hidden)


@LIGHT
@given(tables(sizes=(2, 3, 2)))
def test_three_ways_are_mended(drawn: tuple[dict[Place, int], set[Place]]) -> None:
    whole, hidden = drawn
    solver = make_solver(published(whole, hidden))
    added = mend(solver)
    assert not hidden & set(added)
    assert all(whole[place] for place in added)


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="scipy is not installed")
def test_flows_and_programs_give_the_same_bounds() -> None:
    cells = toy(HIDDEN)
    flows, linear = list_bounds(make_solver(cells)), list_bounds(programs.Programs(toy(HIDDEN)))
    assert flows == linear


def test_a_sum_needs_room_on_both_sides() -> None:
    """A sum of 10 that needs 4 on either side is open at 8..20, and closed at 6..14."""
    need = Need(above=4, below=4)
    assert bounds._is_open(need, 10, 8, 20)
    assert bounds._is_open(need, 10, 0, 13)
    assert not bounds._is_open(need, 10, 6, 14)
    assert not bounds._is_open(need, 10, 0, None)
