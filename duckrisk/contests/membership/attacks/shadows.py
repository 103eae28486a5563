"""Shadow releases: what an attacker makes of records of its own, to learn what membership changes.

A pool of records is dealt into groups as large as the release, and each group is made into a shadow by the
generator. With the candidates as the pool each is among the records of as many shadows as another; with
reference records none is in any.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.neighbours import Shape, nearest_records
from duckrisk.contests.membership.records import Encoding
from duckrisk.contests.membership.synthesis import generator
from duckrisk.engine.session import Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier

#: Seeds of shadows are this far apart from run to run.
_SEEDS = 1_000_003
_SAMPLE, _RELEASED, _NEAREST = "shadow_members", "shadow_released", "shadow_nearest"
_STATISTICS = "shadow_statistics"


@dataclass(frozen=True)
class Shadows:
    """What shadows are made of and how many there are; ``inside``: the pool is the population itself."""

    population: str
    pool: str
    released: str
    shadows: int
    weight: float
    seed: int

    @property
    def inside(self) -> bool:
        return self.population == self.pool


def fit(
    session: Session,
    encoding: Encoding,
    shape: Shape,
    wanted: Shadows,
    table: str,
    line: ProgressCallback | None = None,
) -> None:
    """Make the table of the normal distributions of each candidate's statistic, and tell by ``line`` how far
    it is and how long the rest will take; raises UsageError for a pool that cannot be dealt."""
    pool = encoding.tables[wanted.pool]
    if pool.records < 4:
        raise UsageError("membership.too_few_records_for_shadows", pool=pool.name, pool_records=pool.records)
    released = encoding.tables[wanted.released].records
    groups = max(2, min(pool.records // 2, pool.records // released))
    now, after = Sql("shadow_sums_now"), Sql("shadow_sums_after")
    started = time.monotonic()
    for shadow in range(wanted.shadows):
        if line is not None:
            seconds = (time.monotonic() - started) * (wanted.shadows - shadow) / shadow if shadow else None
            rest = "" if seconds is None else f", about {seconds:,.0f} s left"
            line(f"shadow {shadow + 1:,} of {wanted.shadows:,}{rest}", shadow / wanted.shadows)
        session.run(
            "shadow_sample",
            name=_SAMPLE,
            source=identifier(wanted.pool),
            columns=encoding.columns,
            groups=groups,
            group=shadow % groups,
            round=shadow // groups,
            seed=wanted.seed,
        )
        size = pool.records // groups + (shadow % groups < pool.records % groups)
        sample = replace(encoding, tables={_SAMPLE: replace(pool, table=_SAMPLE, records=size)})
        model = generator.learn(session, sample, _SAMPLE)
        generator.draw(session, model, _RELEASED, released, (wanted.seed * _SEEDS + shadow) % 2**63)
        nearest_records(session, wanted.population, _RELEASED, shape, _NEAREST, wanted.weight)
        session.run(
            "shadow_statistics",
            name=_STATISTICS,
            nearest=Sql(_NEAREST),
            members=Sql(_SAMPLE) if wanted.inside else None,
        )
        session.run("shadow_sums", name=after, statistics=Sql(_STATISTICS), before=now if shadow else None)
        now, after = after, now
    session.run("shadow_fits", name=table, sums=now)
