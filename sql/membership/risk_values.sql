-- risk_values
-- Makes the table of the values of one attribute in all tables, numbered from 1 in their order.
--
-- definition: numbers also as doubles, and scaled: their distance from the least in whole parts of the range, rounded
-- missing: no missing value is listed
-- portable: no
--
-- parameter name: column, the table
-- parameter tables: texts, the tables of records
-- parameter column: column, the attribute
-- parameter unit: integer or none, so many parts a range has; none for what is no number
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for table in tables %}
{% if not loop.first %}
    UNION
{% endif %}
    SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records WHERE {{ column | identifier }} IS NOT NULL
{% endfor %}
)
{% if unit is none %}
SELECT value, CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code
FROM found
{% else %}
, numbers AS (
    SELECT
        value,
        CAST(value AS DOUBLE) AS number,
        MIN(CAST(value AS DOUBLE)) OVER () AS least,
        MAX(CAST(value AS DOUBLE)) OVER () AS most
    FROM found
)
SELECT
    value,
    CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code,
    number,
    CASE WHEN most > least THEN CAST(ROUND((number / 2 - least / 2) / (most / 2 - least / 2) * {{ unit | literal }}) AS BIGINT) ELSE 0 END AS scaled
FROM numbers
{% endif %}
