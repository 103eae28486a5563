"""Growth of classes: the small groups of local recoding are divided from the bottom up.

The cost of a class is the normalized certainty penalty of its box, as the released values will have it. All
groups grow their classes at the same time, by the same few statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duckrisk.release.k_anonymity.tuples import MAX_SET_VALUES, Tuples

#: A group of fewer than this times k records or people grows classes (Adult, 14 columns, k 11: the GCP falls
#: from 0.0836 to 0.0727, with 6 to 0.0745, with 20 to 0.0715, for 1.1, 0.8 and 3.5 s of CPU).
SHARE = 9
#: Most pairs of tuples that exchanges compare in a round (Adult, 700 records, k 11: 15 rounds take 0.7 s of
#: CPU and lower the GCP by 9 %; a round takes 2.5 s on all 48,842, and the first six lower it by 6 %).
MAX_PAIRS = 100_000


def grow_classes(tuples: Tuples, k: int, weights: Sequence[float], sets: Sequence[int], made: int) -> None:
    """Grow classes in the groups of ``growing_left``, and keep what costs less.

    The classes that cuts made are in ``quasi_classes``. A group keeps them where the grown ones save nothing.

    Args:
        tuples: The tuples.
        k: Minimum number of records or people in each class.
        weights: Weight of each quasi-identifier.
        sets: 1 where a quasi-identifier is a set of bits, 0 where it is a range.
        made: Number of groups made before.
    """
    run = tuples.session.run
    people = {"people": tuples.has_people}
    boxes = {"sets": sets, "weights": weights, "leaves": tuples.leaves, "most": MAX_SET_VALUES}
    most = tuples.session.fetch_row("growing_most", **people)["size"]
    if most == 0:
        return
    run("growing_members")
    for number in range(most // k):
        run("growing_seeds", **boxes, **people, k=k, number=number)
        for quota in _list_quotas(k):
            run("growing_step", **boxes, **people, k=k, number=number, quota=quota)
        run("growing_shrink")
    for last in (False, True):
        run("growing_rest", **boxes, last=last)
        run("growing_shrink")
    if tuples.disclosable:
        run("growing_disclosed", **people, count=tuples.disclosable)
    run("growing_rejected", **boxes, **people, k=k, disclosing=tuples.disclosable > 0)
    run("growing_restore")
    if not tuples.more and tuples.tuples * min(tuples.tuples, SHARE * k) <= MAX_PAIRS:
        _exchange_tuples(tuples, k, boxes)
    run("growing_close", made=made)


def _list_quotas(k: int) -> Iterator[int]:
    """List the tuples that a class takes in each step: as many as it has.

    One at a time would lower the GCP of Adult by 0.7 % more, and take twice the time to grow.
    """
    size = 1
    while size < k:
        quota = min(size, k - size)
        yield quota
        size += quota


def _exchange_tuples(tuples: Tuples, k: int, boxes: dict[str, object]) -> None:
    """Exchange tuples between the classes of each group until nothing saves any more."""
    moved = 1
    while moved:
        tuples.session.run("growing_ways", **boxes, k=k)
        tuples.session.run("growing_moved")
        tuples.session.run("growing_move")
        moved = tuples.session.fetch_row("growing_count_moved")["moved"]
