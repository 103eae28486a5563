"""Membership inference: synthetic releases, and who was in the table that they were made from."""

from duckrisk.membership.synthesis import Synthesis, Synthesized, synthesize

__all__ = ["Synthesis", "Synthesized", "synthesize"]
