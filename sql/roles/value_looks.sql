-- value_looks
-- The most frequent shapes of a column's values, or its most frequent values.
--
-- definition: in a shape a digit is 9, a capital A, another letter a or x, a blank stays, and so do the signs that
--   dates, numbers and addresses have. Any other character is a question mark. Of a long value the beginning is taken.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter column: column, the column to look at
-- parameter masked: flag, shapes instead of values
-- parameter most: integer, looks at most
-- parameter examined: integer, most frequent values that are examined
SELECT look, CAST(SUM(records) AS BIGINT) AS records
FROM (
    SELECT
{% if masked %}
        REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(
            LEFT(CAST(value AS VARCHAR), 24),
            '[^\p{L}\p{M}\p{N} .,:/@()_+-]', '?', 'g'), '\p{N}', '9', 'g'), '\p{Lu}', 'A', 'g'), '\p{Ll}', 'a', 'g'),
            '[\p{Lo}\p{Lm}\p{Lt}\p{M}]', 'x', 'g') AS look,
{% else %}
        LEFT(CAST(value AS VARCHAR), 40) AS look,
{% endif %}
        records
    FROM (
        SELECT {{ column | identifier }} AS value, COUNT(*) AS records
        FROM {{ source | relation }}
        WHERE {{ column | identifier }} IS NOT NULL
        GROUP BY {{ column | identifier }}
        ORDER BY records DESC, CAST(value AS VARCHAR)
        LIMIT {{ examined | literal }}
    ) AS frequent
) AS looks
GROUP BY look
ORDER BY records DESC, look
LIMIT {{ most | literal }}
