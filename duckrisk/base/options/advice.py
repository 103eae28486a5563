"""Options of advice: its objective, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duckrisk.base.options import OptionSet, option

Objective = Literal["people", "value"]


@dataclass(frozen=True)
class Options(OptionSet, group="Limits of the search"):
    """What the advice minimizes, and when the search ends."""

    objective: Objective | None = option(
        None,
        help="Protect people up to the policy, or lower the value of a leak.",
        group="What is measured",
        choices=("people", "value"),
        default_text="people; value with --target",
    )
    target: str | None = option(
        None,
        help="Stop once this holds, such as 'identifiability.singled_out_share < 0.01'.",
        metavar="CONDITION",
    )
    steps: int = option(20, help="Of the value of a leak: maximum number of steps.", minimum=1)
    time_limit: float | None = option(
        None,
        help="Of the value of a leak: maximum number of seconds for trying steps.",
        above=0,
        default_text="no limit",
    )
