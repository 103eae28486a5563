-- write_state
-- Writes the state of an annealing: the best tables and those that it stands at, and what else is to be known.
--
-- portable: no
--
-- parameter tables: columns, the tables
-- parameter columns: columns, of their records
-- parameter facts: text, what else
-- parameter path: text, the file
COPY (
{% for table in tables %}
    SELECT {{ loop.index0 }} AS place, record, draw, origin{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ table | identifier }} AS records
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
    ORDER BY place, record
) TO {{ path | literal }} (FORMAT parquet, KV_METADATA {duckrisk: {{ facts | literal }}}, USE_TMP_FILE FALSE)
