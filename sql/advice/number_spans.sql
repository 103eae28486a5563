-- number_spans
-- How wide the middle nine tenths of columns of numbers are.
--
-- missing: cells without a value are left out
-- runs: finish
--
-- parameter source: relation, the records
-- parameter columns: columns, columns of numbers
{% for column in columns %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT {{ loop.index0 }} AS number, CAST(QUANTILE_DISC({{ column | identifier }}, 0.95) AS DOUBLE) - CAST(QUANTILE_DISC({{ column | identifier }}, 0.05) AS DOUBLE) AS span
FROM {{ source | relation }}
{% endfor %}
ORDER BY number
