-- written_numbers
-- Least and greatest whole number that a column of texts holds; NULL if any text is no whole number.
--
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, of texts
SELECT
    CASE WHEN COUNT(cell) = COUNT(number) THEN MIN(number) END AS lowest,
    CASE WHEN COUNT(cell) = COUNT(number) THEN MAX(number) END AS highest
FROM (
    SELECT
        {{ column | identifier }} AS cell,
        CASE WHEN REGEXP_FULL_MATCH({{ column | identifier }}, '[0-9]{1,10}')
            THEN TRY_CAST({{ column | identifier }} AS BIGINT) END AS number
    FROM {{ source | relation }}
)
