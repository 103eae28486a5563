-- told_class_values
-- How many records of which class hold which value of the sensitive attribute.
--
-- missing: a record whose value is missing holds none
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
CREATE OR REPLACE TEMP TABLE told_values AS
WITH cells AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS v{{ loop.index0 }}, {% endfor %}{{ column | identifier }} AS value
    FROM {{ source | relation }}
),
different AS (
    SELECT {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value, COUNT(*) AS n
    FROM cells
    WHERE value IS NOT NULL
    GROUP BY {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value
)
SELECT CAST(known_classes.rowid AS BIGINT) AS member, different.value, different.n
FROM different
JOIN known_classes
    ON {% for _ in columns %}(known_classes.v{{ loop.index0 }} IS NOT DISTINCT FROM different.v{{ loop.index0 }}){% if not loop.last %} AND {% endif %}{% endfor %}

