-- suda_values
-- The values of an attribute that take part in most of all scores: only for whoever asked to see values.
--
-- portable: no
--
-- parameter position: integer, the attribute
-- parameter column: column, the word that holds its field
-- parameter field: integer, the bits of its field
-- parameter shift: integer, where in its word the field begins
-- parameter codes: column, the table with its numbered values
-- parameter most: integer, list so many at most
-- parameter several: integer, 1 where a person can have several combinations, else 0
WITH whole AS (
    SELECT SUM(score) AS score FROM suda_scores
),
summed AS (
    SELECT
        ({{ column | identifier }} & {{ field }}) >> {{ shift }} AS code,
        SUM(s{{ position }}) AS score,
        CAST(SUM(n{{ position }}) AS BIGINT) AS minimal_uniques,
        COUNT({% if several %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ position }} > 0
    GROUP BY code
)
SELECT
    CAST(codes.value AS VARCHAR) AS value,
    CAST(summed.score AS DOUBLE) / NULLIF(whole.score, 0) AS contribution,
    summed.minimal_uniques,
    summed.persons,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY summed.score DESC, summed.minimal_uniques DESC) AS reached
FROM summed
CROSS JOIN whole
LEFT JOIN {{ codes | identifier }} AS codes ON codes.code = summed.code
ORDER BY summed.score DESC, summed.minimal_uniques DESC, value NULLS LAST
LIMIT {{ most | literal }}
