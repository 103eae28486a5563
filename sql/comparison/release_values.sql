-- release_values
-- Numbers the different cells of a column of a release, and reads the ends of those that are intervals.
--
-- definition: an end is inside where its bracket is turned to the interval, as both of "[20, 35]" and the first of
--   "[30, 40[" and "[30, 40)"; of numbers also "20-35" and "20..35" with both, ">=65", "65+", ">64", "<=19", "<20";
--   a set is "{a, b}" or "{a; b}"; a truth value or a moment that is written as in the original is that one
-- portable: no
--
-- parameter source: relation, the release
-- parameter column: column, whose cells are numbered
-- parameter place: text, number, moment or text: what the ends of an interval are
-- parameter kind: text, the type of the column in the original
-- parameter written: text or none, how the file of the original writes its moments
-- parameter table: column, the table that is made
{% set number = "(-?[0-9]+(?:[.][0-9]+)?)" %}
{% set forms = [
    ["^" ~ number ~ " ?(?:-|–|[.][.]) ?" ~ number ~ "$", "[\\1, \\2]"],
    ["^(?:>=|≥) ?" ~ number ~ "$", "[\\1, Infinity]"],
    ["^" ~ number ~ " ?[+]$", "[\\1, Infinity]"],
    ["^> ?" ~ number ~ "$", "(\\1, Infinity]"],
    ["^(?:<=|≤) ?" ~ number ~ "$", "[-Infinity, \\1]"],
    ["^< ?" ~ number ~ "$", "[-Infinity, \\1)"],
] if place == "number" else [] %}
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
counted AS (
    SELECT
        value,
{% if kind == "BOOLEAN" %}
        COALESCE(CAST(TRY_CAST(CAST(value AS VARCHAR) AS BOOLEAN) AS VARCHAR), CAST(value AS VARCHAR)) AS name,
{% elif written is not none and kind == "DATE" %}
        COALESCE(CAST(CAST(TRY_STRPTIME(CAST(value AS VARCHAR), {{ written | literal }}) AS DATE) AS VARCHAR), CAST(value AS VARCHAR)) AS name,
{% elif written is not none %}
        COALESCE(CAST(TRY_STRPTIME(CAST(value AS VARCHAR), {{ written | literal }}) AS VARCHAR), CAST(value AS VARCHAR)) AS name,
{% else %}
        CAST(value AS VARCHAR) AS name,
{% endif %}
        COUNT(*) AS records
    FROM records
    GROUP BY value
),
bracketed AS (
    SELECT value, name, records, {% for form in forms %}REGEXP_REPLACE({% endfor %}name{% for pattern, form in forms %}, {{ pattern | literal }}, {{ form | literal }}){% endfor %} AS written
    FROM counted
),
taken AS (
    SELECT
        value,
        name,
        records,
        CASE WHEN REGEXP_MATCHES(written, '^[][(]') THEN REGEXP_EXTRACT(written, '^([][(])(.+)[,;] ?(.+)([])[])$', ['start', 'low', 'high', 'end']) END AS ends
    FROM bracketed
)
SELECT
    value,
    name,
    records,
    ROW_NUMBER() OVER (ORDER BY name NULLS LAST, CAST(value AS VARCHAR)) AS cell,
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
    COALESCE(ends.start <> '[', FALSE) AS open,
    COALESCE(ends.end = ']', FALSE) AS closed,
    CASE WHEN STARTS_WITH(name, '{') AND ENDS_WITH(name, '}') THEN STRING_SPLIT(REPLACE(REPLACE(SUBSTR(name, 2, LENGTH(name) - 2), '; ', ';'), ', ', ';'), ';') END AS members
FROM taken
