-- release_values
-- Numbers the different cells of a column of a release, and reads the ends of those that are intervals.
--
-- definition: "[20, 35]" has both ends inside, of "[30, 40[" only the first
-- portable: no
--
-- parameter source: relation, the release
-- parameter column: column, whose cells are numbered
-- parameter place: text, number, moment or text: what the ends of an interval are
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
counted AS (
    SELECT value, CAST(value AS VARCHAR) AS name, COUNT(*) AS records
    FROM records
    GROUP BY value
),
taken AS (
    SELECT
        value,
        name,
        records,
        CASE WHEN name LIKE '[%' THEN REGEXP_EXTRACT(name, '^\[(.+), (.+)([][])$', ['low', 'high', 'end']) END AS ends
    FROM counted
)
SELECT
    value,
    name,
    records,
    ROW_NUMBER() OVER (ORDER BY name NULLS LAST) AS cell,
{% if place == "number" %}
    TRY_CAST(ends.low AS DOUBLE) AS low,
    TRY_CAST(ends.high AS DOUBLE) AS high,
    TRY_CAST(name AS DOUBLE) AS place,
{% elif place == "moment" %}
    CAST(EPOCH_US(TRY_CAST(ends.low AS TIMESTAMP)) AS DOUBLE) AS low,
    CAST(EPOCH_US(TRY_CAST(ends.high AS TIMESTAMP)) AS DOUBLE) AS high,
    CASE WHEN LENGTH(name) > 10 THEN CAST(EPOCH_US(TRY_CAST(name AS TIMESTAMP)) AS DOUBLE) END AS place,
{% else %}
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS DOUBLE) AS place,
{% endif %}
    COALESCE(ends.end = ']', FALSE) AS closed
FROM taken
