"""Synthetic and perturbed releases of a table, searches for good ones, and their utility."""
