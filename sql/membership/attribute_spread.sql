-- attribute_spread
-- How much each attribute adds to the squared distance of two records drawn at random.
--
-- portable: yes
--
-- parameter source: relation, the records with codes
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter weight: number, what a category that differs adds
{% for column in numeric %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT {{ loop.index0 }} AS place, 2 * VAR_POP({{ column | identifier }}) AS spread, COUNT(*) AS records
FROM {{ source | relation }} AS records
{% endfor %}
{% for column in categories %}
{% if numeric or not loop.first %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 + numeric | length }} AS place
    , {{ weight | literal }} * (1 - SUM(CAST(records AS DOUBLE) * records) / NULLIF(SUM(records) * CAST(SUM(records) AS DOUBLE), 0)) AS spread
    , CAST(SUM(records) AS BIGINT) AS records
FROM (SELECT COUNT(*) AS records FROM {{ source | relation }} AS records GROUP BY {{ column | identifier }}) AS counted
{% endfor %}
ORDER BY spread DESC NULLS LAST, place
