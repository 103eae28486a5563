"""A local page to decide in: one person, one table, one session.

The page computes nothing about risk. It turns what a person chose into the settings, steps and commands of
the command line, and shows the blocks that its reports have. Only the command ``open`` imports it.
"""
