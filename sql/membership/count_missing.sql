-- count_missing
-- How many cells of each column are missing, or are no numbers that can be calculated with.
--
-- missing: is what is counted
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, to look at
-- parameter numeric: columns, those of numbers
-- parameter largest: number, no number is further from 0
SELECT
    COUNT(*) AS records
{% for column in columns %}
    , CAST(COUNT(CASE WHEN {{ column | identifier }} IS NULL{% if column in numeric %} OR NOT (ABS(CAST({{ column | identifier }} AS DOUBLE)) <= {{ largest | literal }}){% endif %} THEN 1 END) AS BIGINT) AS missing{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records
