"""Shared by all wings: errors, options, sentences, results, files and numbers."""
