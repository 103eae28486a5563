-- class_codes
-- The classes by the numbers of their values, 0 for a missing one, and the way in which cells are missing, as bits.
--
-- portable: no
--
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE class_codes AS
SELECT
    CAST(known_classes.rowid AS BIGINT) AS class,
    known_classes.missing_cells,
    {% for table in tables %}(CASE WHEN known_classes.v{{ loop.index0 }} IS NULL THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END){% if not loop.last %} + {% endif %}{% endfor %} AS pattern,
{% for table in tables %}
    CAST(COALESCE(n{{ loop.index0 }}.code, 0) AS INTEGER) AS k{{ loop.index0 }},
{% endfor %}
    known_classes.records,
    known_classes.weight,
    known_classes.people
FROM known_classes
{% for table in tables %}
LEFT JOIN {{ table | identifier }} AS n{{ loop.index0 }} ON n{{ loop.index0 }}.value = known_classes.v{{ loop.index0 }}
{% endfor %}
