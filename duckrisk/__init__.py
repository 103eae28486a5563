"""duckrisk: how easily someone in a table can be re-identified, measured inside DuckDB."""

__version__ = "0.1.0"
