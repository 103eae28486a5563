"""Local recoding: groups are cut in two from the top down, each where that saves most width.

The cost of a class in a quasi-identifier is the square root of the share of all values that its box covers:
the interval of numbers and moments, the set of categories. Of histories it is the logarithm (the bundled
purchases in classes of 11 people keep U 0.497 and 90 % of the detail, by the root 0.363 and 97 %). All groups
of a level are cut by the same few statements. Small groups grow classes as well, and keep what costs less
(:mod:`growing`).
"""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.release.k_anonymity import growing
from duckrisk.release.k_anonymity.tuples import MAX_SET_LEAVES, Tuples

#: Tuples of a group that are measured; a larger group is sampled (a choice: a share is known to about 1 %).
SAMPLE = 3_000
#: Minimum share of a group on either side of a cut (tests/benchmarks/k_anonymity.py: 22 levels on Adult, not
#: 78).
LEAST_SHARE = 0.05
#: Cuts of a group that are measured over all quasi-identifiers (tests/benchmarks/k_anonymity.py: more gain
#: nothing).
MEASURED_CUTS = 6
#: Tuples; with more, the cuts of each quasi-identifier are measured apart, which holds fewer of them at a
#: time (a choice: a quarter of a gigabyte of tuples with their cuts).
MANY_TUPLES = 1_000_000


def split(tuples: Tuples, k: int, weights: Sequence[float]) -> None:
    """Put every tuple in a class.

    Args:
        tuples: The tuples.
        k: Minimum number of records or people in each class.
        weights: Weight of each quasi-identifier.
    """
    run = tuples.session.run
    if max(tuples.leaves) == 1 or tuples.members < 2 * k:
        run("tuple_classes", separate=False)
        return
    sets = [
        int(bool(values) and leaves <= MAX_SET_LEAVES)
        for values, leaves in zip(tuples.sets, tuples.leaves, strict=True)
    ]
    run(
        "local_begin",
        columns=tuples.columns,
        sets=sets,
        leaves=tuples.leaves,
        people=tuples.has_people,
        more=tuples.more,
        heights=tuples.heights,
        tables=tuples.tables,
    )
    limit = growing.SHARE * k
    run("growing_left", all=tuples.members < limit and tuples.tuples <= 2 * tuples.members)
    made = _cut_groups(tuples, k, weights, sets, limit)
    growing.grow_classes(tuples, k, weights, sets, made)


def _cut_groups(tuples: Tuples, k: int, weights: Sequence[float], sets: Sequence[int], limit: int) -> int:
    """Cut all tuples into classes, and return the number of groups made.

    The largest groups of fewer than ``limit`` records or people are kept, to grow classes.
    """
    run, fetch_row = tuples.session.run, tuples.session.fetch_row
    several = [i for i, leaves in enumerate(tuples.leaves) if leaves > 1]
    kinds = [(of_sets, [i for i in several if sets[i] == of_sets]) for of_sets in (True, False)]
    kinds = [(of_sets, attributes) for of_sets, attributes in kinds if attributes]
    if tuples.tuples > MANY_TUPLES:
        kinds = [(of_sets, [i]) for of_sets, attributes in kinds for i in attributes]
    shape = {"columns": tuples.columns, "sets": sets, "leaves": tuples.leaves}
    people = {"people": tuples.has_people}
    limits = {"k": k, "sample": SAMPLE}
    made, cuts, most = 0, 1, tuples.tuples
    while cuts and most:
        run("local_parts", **people)
        source = "local_open"
        if most > SAMPLE:
            run("local_work", sample=SAMPLE)
            source = "local_work"
        for number, (of_sets, attributes) in enumerate(kinds):
            run(
                "local_candidates",
                source=source,
                attributes=attributes,
                of_sets=of_sets,
                begin=number == 0,
                weights=weights,
                leaves=tuples.leaves,
                **people,
                **limits,
                share=LEAST_SHARE,
            )
        run("local_best", most=MEASURED_CUTS)
        run("local_sides", source=source, **shape, **people, weights=weights, **limits)
        if tuples.disclosable:
            run(
                "local_disclosing",
                source=source,
                sets=sets,
                sample=SAMPLE,
                **people,
                count=tuples.disclosable,
            )
        run("drop_table", table="local_work")
        run("local_chosen", made=made, disclosing=tuples.disclosable > 0)
        cuts = fetch_row("local_count")["cuts"]
        made += 2 * cuts
        run("local_close")
        run("local_sided", sets=sets)
        run("drop_table", table="local_open")  # else all tuples are held three times
        if tuples.disclosable:
            run("local_disclosed", **people, count=tuples.disclosable)
        run("local_sizes", k=k, **people, disclosing=tuples.disclosable > 0, limit=limit)
        run("local_close_small", k=k)
        run("growing_take")
        run("local_next", k=k)
        run("drop_table", table="local_sided")
        most = fetch_row("local_most")["tuples"]
    return made
