-- row_counts
-- Counts the rows of tables that the search made.
--
-- portable: yes
--
-- parameter tables: texts, their names
{% for table in tables %}
SELECT {{ loop.index0 }} AS position, COUNT(*) AS records FROM {{ table | identifier }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position
