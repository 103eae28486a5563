"""What is advised, and when that ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duckrisk.base.options import OptionSet, option

Objective = Literal["people", "value"]


@dataclass(frozen=True)
class Options(OptionSet, group="Limits of the search"):
    """What advice lowers, and when it ends."""

    objective: Objective | None = option(
        None,
        help="Protect people up to the policy, or lower the value of a leak.",
        group="What is measured",
        choices=("people", "value"),
        shown="people; value with --target",
    )
    target: str | None = option(
        None,
        help="Stop once this holds: 'identifiability.singled_out_share < 0.01', or of the users of a history "
        "'identifiability.users.singled_out_share < 0.01'.",
        metavar="CONDITION",
    )
    steps: int = option(20, help="Take so many steps at most.", least=1)
    time_limit: float | None = option(
        None, help="Try steps for so many seconds at most.", above=0, shown="no limit"
    )
