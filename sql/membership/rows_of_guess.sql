-- rows_of_guess
-- The numbers of records that somebody takes for members.
--
-- missing: an empty cell, or one that is no whole number, is kept without a number
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the guess: a number a line, or all of them in one
-- parameter columns: columns, of the guess
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH cells AS (
    SELECT
        UNNEST([{% for column in columns %}{% if not loop.first %}, {% endif %}TRY_CAST({{ column | identifier }} AS DOUBLE){% endfor %}]) AS number
    FROM {{ source | relation }} AS guess
)
SELECT CASE WHEN number = FLOOR(number) AND ABS(number) < 1e15 THEN CAST(number AS BIGINT) END AS record
FROM cells
