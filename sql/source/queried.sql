-- queried
-- A query as a relation; it can read sources under their names.
--
-- portable: no
--
-- parameter query: expression, one SELECT
-- parameter names: columns, what the query calls the sources
-- parameter sources: expressions, the records of each
(
{% for name in names %}
    {% if loop.first %}WITH {% else %}, {% endif %}{{ name | identifier }} AS (SELECT * FROM {{ sources[loop.index0] | expression }})
{% endfor %}
    SELECT * FROM ({{ query | expression }}
    )
)
