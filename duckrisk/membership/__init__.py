"""Membership inference: synthetic releases, and who was in the table that they were made from."""
