"""TopDown: local recoding by splitting groups at two far seeds (Xu et al., KDD 2006).

Our form of it is deterministic: the seeds of a group are found in :data:`ROUNDS` rounds, each the tuple
furthest from the one before. In a large group every tuple goes to the nearer seed; in others they follow in
an order that the seed decides, to the side whose penalty grows less by them, where tuples of one round are
compared with what the sides covered before it. (In large groups that would lose less on categories and more
on numbers.) A group of fewer than 2k records, or of equal ones only, is done. A side of fewer than k records
gets those of the other side that fit it best, of equal records only as many as it needs, so the other side
always keeps k and nothing has to be merged. All groups of a level are split by the same few statements.
"""

from __future__ import annotations

from duckrisk.release.k_anonymity.tuples import Tuples

#: Rounds 0 to 3 place 1, 2, 4 and 8 tuples of a group, the next one up to its 64th, the last one all others:
#: what a side covers hardly changes any more then.
LAST_ROUND = 5
#: In groups of more tuples all go to the nearer seed at once.
LARGE_GROUP = 200
#: Rounds of looking for the furthest tuple; more find hardly better seeds.
ROUNDS = 3
#: Groups of more records than this are halved where one side would get less than the 64th part.
LARGE = 1_000
SMALL_SHARE = 64
#: From this level on no split is very uneven, so that no data makes many levels.
DEEP = 32
DEEP_SHARE = 4


def split(tuples: Tuples, k: int, seed: int) -> None:
    """Put every tuple in a class."""
    session = tuples.session
    session.run(
        "topdown_begin",
        heights=tuples.heights,
        tables=tuples.tables,
        seed=seed,
        tuples=tuples.tuples,
        last=LAST_ROUND,
        large=LARGE_GROUP,
    )
    parts, level, most = 0, 0, tuples.tuples
    while most:
        session.run("topdown_boxes", heights=tuples.heights, seeds=_seeds(tuples))
        doublings = min(most, LARGE_GROUP).bit_length() - 1
        last = min(LAST_ROUND, doublings, 2 + doublings // 2)
        for number in range(last + 1):
            session.run("topdown_place", heights=tuples.heights, round=number)
            if number < last:
                session.run("topdown_widen", heights=tuples.heights, round=number)
        session.run("topdown_sides")
        deep = level >= DEEP
        limits = {"share": DEEP_SHARE if deep else SMALL_SHARE, "most": 0 if deep else LARGE}
        if session.fetch_row("topdown_faults", **limits)["parts"]:
            session.run("topdown_halve", **limits)
            session.run("topdown_sides")
        session.run("topdown_repair", k=k)
        session.run("topdown_parts", k=k, made=parts)
        counted = session.fetch_row("quasi_count_parts")
        session.run("topdown_next", heights=tuples.heights, last=LAST_ROUND, large=LARGE_GROUP, open=False)
        session.run("topdown_next", heights=tuples.heights, last=LAST_ROUND, large=LARGE_GROUP, open=True)
        parts, level, most = parts + counted["parts"], level + 1, counted["tuples"]


def _seeds(tuples: Tuples) -> list[str]:
    """The tables of the two seeds of every group."""
    tables = ["quasi_seeds_0", "quasi_seeds_1"]
    before = None
    for number in range(ROUNDS + 1):
        tuples.session.run(
            "topdown_seeds",
            heights=tuples.heights,
            leaves=tuples.leaves,
            tables=tuples.tables,
            before=before,
            table=tables[number % 2],
        )
        before = tables[number % 2]
    return tables if ROUNDS % 2 else tables[::-1]
