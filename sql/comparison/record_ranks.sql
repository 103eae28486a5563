-- record_ranks
-- Where some records stand in the order of each attribute.
--
-- definition: the average rank among all records of the table, twice, so that it is a whole number, and times the records
--   of the other table, so that ranks of two tables compare; a cell stands in the middle of what it covers
-- missing: a missing value stands where the original orders it, behind the others
-- portable: no
--
-- parameter source: relation, the table
-- parameter key: column or none, what a record is told by; none goes by the order of the records
-- parameter columns: columns, the attributes
-- parameter tables: texts, for each the table with what its cells cover, or with its numbered values
-- parameter cells: integer, 1 where these are cells, 0 where they are values
-- parameter scale: integer, what ranks are multiplied with
-- parameter sample: column, the records that are wanted
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if key %}CAST({{ key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for name in tables %}
ranks{{ loop.index0 }} AS (
    SELECT value, (2 * SUM(records) OVER (ORDER BY place) - SUM(records) OVER (PARTITION BY place) + 1) * {{ scale }} AS rank
    FROM (
        SELECT value, records, {% if cells %}first + last{% else %}2 * code{% endif %} AS place
        FROM {{ name | identifier }}
        WHERE records > 0
    ) AS placed
),
{% endfor %}
chosen AS (
    SELECT sample.number, records.*
    FROM records
    JOIN {{ sample | identifier }} AS sample ON sample.record = records.record
)
SELECT
    chosen.number
{% for name in tables %}
    , CAST(ranks{{ loop.index0 }}.rank AS BIGINT) AS r{{ loop.index0 }}
{% endfor %}
FROM chosen
{% for name in tables %}
JOIN ranks{{ loop.index0 }} ON (ranks{{ loop.index0 }}.value IS NOT DISTINCT FROM chosen.v{{ loop.index0 }})
{% endfor %}
