"""Makes shadow releases, from which an attacker learns what membership changes.

A pool of records is dealt into groups as large as the release, and the generator makes a shadow of each
group. If the candidates are the pool, each is among the records of as many shadows as another. If reference
records are the pool, no candidate is in any.
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

#: Distance of the first seeds of two runs (derived: a prime above the most shadows, so seeds differ).
_SEED_STRIDE = 1_000_003
_SAMPLE, _RELEASED, _NEAREST = "shadow_members", "shadow_released", "shadow_nearest"
_STATISTICS = "shadow_statistics"


@dataclass(frozen=True)
class Shadows:
    """How shadows are made.

    Attributes:
        population: The table of candidates.
        pool: The table that shadows are made of.
        released: The table of the release, whose size shadows have.
        shadows: The number of shadows.
        weight: The squared distance of two categories that differ.
        seed: The seed of the draws.
    """

    population: str
    pool: str
    released: str
    shadows: int
    weight: float
    seed: int

    @property
    def is_inside(self) -> bool:
        """Whether the pool is the population itself."""
        return self.population == self.pool


def fit(
    session: Session,
    encoding: Encoding,
    shape: Shape,
    settings: Shadows,
    table: str,
    line: ProgressCallback | None = None,
) -> None:
    """Make the table of the distributions of each candidate's nearness in shadows.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        shape: Their columns.
        settings: How shadows are made.
        table: The table that is made.
        line: Shows the progress and the time that is left.

    Raises:
        UsageError: The pool has fewer than four records.
    """
    pool = encoding.tables[settings.pool]
    if pool.records < 4:
        raise UsageError("membership.too_few_records_for_shadows", pool=pool.name, pool_records=pool.records)
    released = encoding.tables[settings.released].records
    groups = max(2, min(pool.records // 2, pool.records // released))
    now, after = Sql("shadow_sums_now"), Sql("shadow_sums_after")
    started = time.monotonic()
    for shadow in range(settings.shadows):
        if line is not None:
            seconds = (time.monotonic() - started) * (settings.shadows - shadow) / shadow if shadow else None
            rest = "" if seconds is None else f", about {seconds:,.0f} s left"
            line(f"shadow {shadow + 1:,} of {settings.shadows:,}{rest}", shadow / settings.shadows)
        session.run(
            "shadow_sample",
            name=_SAMPLE,
            source=identifier(settings.pool),
            columns=encoding.columns,
            groups=groups,
            group=shadow % groups,
            round=shadow // groups,
            seed=settings.seed,
        )
        size = pool.records // groups + (shadow % groups < pool.records % groups)
        sample = replace(encoding, tables={_SAMPLE: replace(pool, table=_SAMPLE, records=size)})
        model = generator.learn(session, sample, _SAMPLE)
        generator.draw(session, model, _RELEASED, released, (settings.seed * _SEED_STRIDE + shadow) % 2**63)
        nearest_records(session, settings.population, _RELEASED, shape, _NEAREST, settings.weight)
        session.run(
            "shadow_statistics",
            name=_STATISTICS,
            nearest=Sql(_NEAREST),
            members=Sql(_SAMPLE) if settings.is_inside else None,
        )
        session.run("shadow_sums", name=after, statistics=Sql(_STATISTICS), before=now if shadow else None)
        now, after = after, now
    session.run("shadow_fits", name=table, sums=now)
