"""How often the interval of the typical set holds the mean of all sets, and what the part costs.

    python tests/benchmarks/uniqueness.py TABLE [--user NAME] [--attributes 24] [--sizes 2 3] [--draws 1000]
        [--no-coverage]

Coverage: of the first so many attributes every set of a size is counted, then sets are drawn again and again
as an assessment draws them: printed are the mean of all sets, how often the 95 % interval held it, its mean
half width, and that of as many sets drawn without strata. Cost: CPU seconds of the part beside those of bare
statements, one GROUP BY for each set that it looked at, on the columns as they are in memory.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import statistics
import time

from duckrisk import roles
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import identifier
from duckrisk.measures import attribute, identifiability, uniqueness
from duckrisk.measures.sets.draws import Places, draw_sets
from duckrisk.source import Request, open_source


class Counted:
    """Every set of a table's first attributes, counted as a part does it."""

    def __init__(self, session: Session, found: roles.Roles, width: int) -> None:
        self.session, self.found = session, found
        self.search = uniqueness._FactSearch(session, found, identifiability.Options(), random.Random(0))
        self.width = min(width, len(found.attributes))
        self.search.count_sets((place,) for place in range(len(found.attributes)))

    def coverage(self, size: int, draws: int) -> None:
        every = list(itertools.combinations(range(self.width), size))
        self.search.count_sets(every)
        whom = {one: self.search.counted[one].people for one in every}
        people = self.found.users
        mean = statistics.fmean(whom.values()) / people
        held, half, plain = 0, 0.0, 0.0
        for seed in range(draws):
            chance = random.Random(seed)
            lower, upper = self.interval(size, whom, chance)
            held += lower - 1e-12 <= mean <= upper + 1e-12
            half += (upper - lower) / 2 / draws
            some = [
                whom[one] / people for one in chance.sample(every, min(len(every), uniqueness.DRAWN_SETS))
            ]
            left = 1 - len(some) / len(every)
            plain += 2 * math.sqrt(statistics.variance(some) / len(some) * left) / draws
        print(
            f"{size:4} {len(every):9,} {mean:8.4f} {max(whom.values()) / people:8.4f} {held / draws:9.3f} "
            f"{half:10.4f} {plain:10.4f}",
            flush=True,
        )

    def interval(self, size: int, whom: dict[Places, int], chance: random.Random) -> tuple[float, float]:
        drawn = draw_sets(
            self.search.values[: self.width], size, uniqueness.DRAWN_SETS, self.search.records, chance
        )
        row = self.session.fetch_row(
            "typical_share",
            strata=list(drawn.strata),
            sizes=list(drawn.sizes),
            people=[whom[one] for one in drawn.sets],
            records=[whom[one] for one in drawn.sets],
            worst_people=0,
            worst_records=0,
            all_people=self.found.users,
            all_records=self.found.records,
            share_of_people=1.0,
            share_of_records=1.0,
            undrawn=1 - drawn.listed / drawn.possible,
            unseen=0.0,
            least=0.0,
        )
        return row["typical_lower"], row["typical_upper"]


def cost(session: Session, found: roles.Roles) -> None:
    """The part beside one bare statement for each set that it looked at."""
    started = time.process_time()
    told = uniqueness.measure(
        session, found, identifiability.Options(), attribute.Options(known_records=0), known=()
    ).result
    ours = time.process_time() - started
    names = list(dict.fromkeys(identifier(part.column) for one in found.attributes for part in one.parts))
    connection = session._connection
    person = identifier(found.user.binding) if found.user is not None else None
    wanted = ", ".join(dict.fromkeys([*([person] if person else []), *names]))
    connection.execute(f"CREATE OR REPLACE TEMP TABLE bare AS SELECT {wanted} FROM {ASSESSED}")
    alone = "COUNT(*) = 1" if person is None else f"MIN({person}) = MAX({person})"
    chance = random.Random(0)
    started = time.process_time()
    sets = 0
    for one in told.facts:
        for _ in range(one.sets_examined):
            some = ", ".join(chance.sample(names, min(one.facts, len(names))))
            connection.execute(
                f"SELECT COUNT(*) FROM (SELECT 1 FROM bare GROUP BY {some} HAVING {alone})"
            ).fetchall()
            sets += 1
    bare = time.process_time() - started
    print(f"{ours:.2f} CPU s for {sets:,} sets of {len(names)} attributes and {found.records:,} records")
    whom = f"{told.people_examined:,} of {told.people:,} people were examined"
    print(f"{bare:.2f} CPU s for as many bare statements on whole columns; {whom}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--user")
    parser.add_argument("--attributes", type=int, default=24)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2, 3])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--no-coverage", action="store_true")
    given = parser.parse_args()
    with Session() as session:
        source = open_source(session, Request(given.table))
        found = roles.infer(session, source, roles.RoleOverrides(user=given.user))
        cost(session, found)
        if given.no_coverage:
            return
        counted = Counted(session, found, given.attributes)
        heads = ("size", "sets", "mean", "worst", "coverage", "half width", "unstrat.")
        print(
            " ".join(f"{head:>{width}}" for head, width in zip(heads, (4, 9, 8, 8, 9, 10, 10), strict=True))
        )
        for size in given.sizes:
            counted.coverage(size, given.draws)


if __name__ == "__main__":
    main()
