"""Membership inference: synthetic releases, and who was in the table that they were made from."""

from duckrisk.membership.indices import UtilityOptions, utility
from duckrisk.membership.scoring import Guess, Members, score
from duckrisk.membership.synthesis import Synthesis, Synthesized, synthesize
from duckrisk.membership.trees import Target

__all__ = [
    "Guess",
    "Members",
    "Synthesis",
    "Synthesized",
    "Target",
    "UtilityOptions",
    "score",
    "synthesize",
    "utility",
]
