-- people_values
-- The different values of a column with their numbers, and how many records have each.
--
-- definition: numbers as in people_records
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record
-- parameter attribute: attribute, the column as it is
-- parameter cell: column, the column itself
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    {{ cell | identifier }} AS value,
    CASE WHEN {{ attribute | value }} IS NULL THEN CAST(0 AS UBIGINT) ELSE GREATEST(hash({{ attribute | value }}), 1) END AS h,
    COUNT(*) AS records
FROM {{ source | relation }}
{% if user %}
WHERE {{ user | person }} IS NOT NULL
{% endif %}
GROUP BY ALL
