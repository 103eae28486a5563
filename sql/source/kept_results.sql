-- kept_results
-- Lists the tables that hold what the statements of a run gave.
--
-- portable: no
--
-- parameter tables: texts, what they are called
-- parameter statements: texts, the names of the statements, one a table
-- parameter attributes: texts, the attributes that they are about, one a table; empty where it is none
CREATE OR REPLACE TEMP TABLE results AS
SELECT
    UNNEST({{ tables | literal }}) AS table_name,
    UNNEST({{ statements | literal }}) AS statement,
    NULLIF(UNNEST({{ attributes | literal }}), '') AS attribute
