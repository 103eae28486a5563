"""Membership inference: synthetic releases, and who was in the table that they were made from."""

from duckrisk.membership.attacks.inference import ATTACKS, AttackOptions, Outputs
from duckrisk.membership.attacks.inference import run as attack
from duckrisk.membership.attacks.scoring import Guess, Members, score
from duckrisk.membership.release_risks.measuring import RiskOptions, risks
from duckrisk.membership.synthesis.annealing import Annealed, Annealing, anneal
from duckrisk.membership.synthesis.indices import UtilityOptions, utility
from duckrisk.membership.synthesis.methods import Synthesis, Synthesized, synthesize
from duckrisk.membership.synthesis.trees import Target

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
