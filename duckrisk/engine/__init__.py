"""The engine: sessions of DuckDB, SQL templates, macros, the SQL log, and Spark."""
