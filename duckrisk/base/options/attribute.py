"""Options of the attribute risk."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option

METHODS = ("exact", "approximate", "sample")
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Options(OptionSet, table="measures"):
    """How attribute risk is measured."""

    method: str = option(
        "exact",
        help="Count all users of all values, estimate them, or look at drawn values alone.",
        value_flags={
            "--approximate": ("approximate", "Estimate users instead of counting them: a third of the time."),
            "--sample-only": ("sample", "Only sample values, with intervals; no exact risk."),
        },
        choices=METHODS,
        rare=True,
    )
    k: int = option(
        5, help="A value that fewer people share is rare.", flag="--rare-below", minimum=2, rare=True
    )
    samples: int = option(
        50, help="Values drawn for the sampling model; 0 leaves it out.", minimum=0, rare=True
    )
    confidence: float = option(0.9, help="Confidence of the intervals.", choices=CONFIDENCES, rare=True)
    interval: str = option(
        "confidence",
        help="A confidence interval, or the paper's mean ± deviation.",
        value_flags={
            "--paper-interval": ("paper", "The paper's mean ± deviation instead of a confidence interval.")
        },
        choices=("confidence", "paper"),
        rare=True,
    )
    known_records: int = option(
        4,
        help="Measure attackers who know up to N records of a person; 0 skips them.",
        minimum=0,
        maximum=16,
        rare=True,
    )
    draws: int = option(
        1000,
        help="Attackers drawn to measure attackers with several records.",
        minimum=10,
        maximum=1_000_000,
        rare=True,
    )
    detailed: int = option(
        10,
        help="Most dangerous attributes measured with several records and coarser knowledge.",
        flags=(),
        minimum=0,
    )
    models_of: str | None = option(
        None,
        help="The attribute in the figure on the models: cost and error of each value.",
        default_text="the most dangerous one",
        example="age",
        rare=True,
    )
    seed: int = option(0, help="Random seed: the same seed, the same draws.", minimum=0, rare=True)

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if self.method == "sample" and self.samples < 2:
            raise UsageError("options.too_few_samples")
        if self.method != "exact" and self.models_of is not None:
            raise UsageError("options.models_without_exact_risk")
