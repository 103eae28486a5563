"""Make the documents of results: one module for each kind of report or part of one."""
