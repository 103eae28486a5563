-- kept_result
-- Keeps what a statement gives as a table, in the script of a run.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter statement: expression, the statement as it ran
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{{ statement | expression }}
