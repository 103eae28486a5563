"""Synthetic and perturbed releases of a table, searches for good ones, and how like the original they are."""
