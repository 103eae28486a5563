"""Membership inference: synthetic releases, and who was in the table that they were made from."""

from duckrisk.membership.annealing import Annealed, Annealing, anneal
from duckrisk.membership.indices import UtilityOptions, utility
from duckrisk.membership.inference import ATTACKS, AttackOptions, Outputs
from duckrisk.membership.inference import run as attack
from duckrisk.membership.release_risks import RiskOptions, risks
from duckrisk.membership.scoring import Guess, Members, score
from duckrisk.membership.synthesis import Synthesis, Synthesized, synthesize
from duckrisk.membership.trees import Target

__all__ = [
    "ATTACKS",
    "Annealed",
    "Annealing",
    "AttackOptions",
    "Guess",
    "Members",
    "Outputs",
    "RiskOptions",
    "Synthesis",
    "Synthesized",
    "Target",
    "UtilityOptions",
    "anneal",
    "attack",
    "risks",
    "score",
    "synthesize",
    "utility",
]
