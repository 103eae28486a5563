-- class_codes
-- The classes by the numbers of their values, 0 for a missing one, and of the way in which cells are missing.
--
-- portable: no
--
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE class_codes AS
SELECT
    CAST(known_classes.rowid AS BIGINT) AS class,
    class_patterns.pattern,
    class_patterns.missing_cells,
{% for table in tables %}
    CAST(COALESCE(n{{ loop.index0 }}.code, 0) AS INTEGER) AS k{{ loop.index0 }},
{% endfor %}
    known_classes.records,
    known_classes.weight,
    known_classes.people
FROM known_classes
JOIN class_patterns
    ON {% for table in tables %}class_patterns.m{{ loop.index0 }} = (CASE WHEN known_classes.v{{ loop.index0 }} IS NULL THEN 0 ELSE -1 END){% if not loop.last %} AND {% endif %}{% endfor %}

{% for table in tables %}
LEFT JOIN {{ table | identifier }} AS n{{ loop.index0 }} ON n{{ loop.index0 }}.value = known_classes.v{{ loop.index0 }}
{% endfor %}
