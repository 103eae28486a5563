"""How often the interval of the sampling model holds the exact risk, by simulation over seeds.

    python tests/benchmarks/interval_coverage.py HISTORY USER ATTRIBUTE... [--draws 1000] [--no-header]

For each attribute and 10 and 50 sampled values: coverage at a nominal 90 %, and the mean width as a ratio
to the plain normal interval (mean plus and minus 1.645 standard errors of values drawn without
replacement), which is what the paper's kind of interval amounts to.
"""

from __future__ import annotations

import argparse
import random
import statistics

from duckrisk import roles
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.source import Request, open_source


def plain(alphas: list[float], total: float, samples: int, draws: int) -> tuple[float, float]:
    """Coverage and mean width of the plain interval, in units of the sum of all alphas."""
    source = random.Random(1)
    omega = len(alphas)
    samples = min(samples, omega)
    held, widths = 0, 0.0
    for _ in range(draws):
        drawn = source.sample(alphas, samples)
        half = 1.645 * statistics.stdev(drawn) / samples**0.5 * omega
        centre = statistics.fmean(drawn) * omega
        held += centre - half <= total <= centre + half
        widths += 2 * half
    return held / draws, widths / draws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("history")
    parser.add_argument("user")
    parser.add_argument("attributes", nargs="+")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--no-header", action="store_true")
    given = parser.parse_args()
    print(f"{'attribute':28} {'s':>3} {'coverage':>9} {'width':>6} {'plain coverage':>15} {'read':>6}")
    with Session() as session:
        request = Request(given.history, header=False if given.no_header else None)
        source = open_source(session, request)
        overrides = roles.RoleOverrides(user=given.user, attributes=tuple(given.attributes))
        found = roles.infer(session, source, overrides)
        user = found.user.binding if found.user else None
        for attribute in found.attributes:
            of = {"source": ASSESSED, "user": user}
            exact = session.fetch_row("attribute_risk", **of, attributes=[attribute], k=5)
            shared = of | {"attribute": attribute}
            values = session.run("attribute_values", **shared)
            alphas = [row["records_per_user"] for row in values]
            for samples in (10, 50):
                held, width, read = 0, 0.0, 0
                for seed in range(given.draws):
                    row = session.fetch_row(
                        "attribute_sample",
                        **shared,
                        samples=samples,
                        confidence=0.9,
                        seed=seed,
                        users=found.users,
                    )
                    held += row["lower"] <= exact["mean_risk"] * (1 + 1e-12) and exact["mean_risk"] <= row[
                        "upper"
                    ] * (1 + 1e-12)
                    width += row["upper"] - row["lower"]
                    read += row["records_read"]
                plain_held, plain_width = plain(alphas, sum(alphas), samples, given.draws)
                ratio = width / given.draws / (plain_width / exact["records"]) if plain_width else 0.0
                print(
                    f"{attribute.name:28} {samples:3} {held / given.draws:9.3f} {ratio:6.2f} "
                    f"{plain_held:15.3f} {read / given.draws / exact['records']:6.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
