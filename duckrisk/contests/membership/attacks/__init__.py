"""Attacks that guess whose records a release was made from, and their scores."""
