"""Compares releases of a table with the original: the risk that is left, and what was lost for it."""
