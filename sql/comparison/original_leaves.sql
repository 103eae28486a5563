-- original_leaves
-- Numbers the different values of a column of the original: the leaves that a cell of a release can cover.
--
-- definition: numbers and moments in their order, then texts in theirs, so that an interval covers a range of
--   leaves; a missing value is a leaf of its own, and so, last of all, is a text that only the hierarchy names
-- portable: no
--
-- parameter source: relation, the original
-- parameter column: column, whose values are numbered
-- parameter place: text, number, moment or text: what the order is by
-- parameter hierarchy: relation or none, the table with a name a level for each value
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM records
    GROUP BY value
{% if hierarchy is not none and place == "text" %}
    UNION ALL
    SELECT path.level0, 0
    FROM {{ hierarchy | relation }} AS path
    WHERE NOT EXISTS (SELECT 1 FROM records WHERE CAST(records.value AS VARCHAR) = path.level0)
{% endif %}
),
named AS (
    SELECT
        value,
        CAST(value AS VARCHAR) AS name,
{% if place == "number" %}
        CAST(value AS DOUBLE) AS place,
{% elif place == "moment" %}
        CAST(EPOCH_US(TRY_CAST(value AS TIMESTAMP)) AS DOUBLE) AS place,
{% else %}
        CAST(NULL AS DOUBLE) AS place,
{% endif %}
        records
    FROM counted
)
SELECT
    named.value,
    named.name,
    named.place,
    named.records,
    ROW_NUMBER() OVER (
        ORDER BY
            (named.records = 0),
            (named.value IS NULL),
            named.place NULLS LAST,
{% if place == "number" %}
            named.value,
{% endif %}
            named.name
    ) AS code
FROM named
