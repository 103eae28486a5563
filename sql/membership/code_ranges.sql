-- code_ranges
-- How many values each attribute has in all tables, and whether any is missing.
--
-- missing: the code 0
-- portable: yes
--
-- parameter tables: texts, the records with codes
-- parameter columns: columns, the codes
WITH ranges AS (
{% for table in tables %}
{% set first = loop.first %}
{% for column in columns %}
{% if not (first and loop.first) %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, MIN({{ column | identifier }}) AS least, MAX({{ column | identifier }}) AS most
    FROM {{ table | relation }} AS records
{% endfor %}
{% endfor %}
)
SELECT place, COALESCE(MIN(least) = 0, TRUE) AS gaps, CAST(COALESCE(MAX(most), 0) AS BIGINT) AS codes
FROM ranges
GROUP BY place
ORDER BY place
