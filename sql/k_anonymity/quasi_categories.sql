-- quasi_categories
-- Numbers the different values of a quasi-identifier of categories in the order of its hierarchy's leaves.
--
-- definition: the leaves under every label stand in one row, so that a label is the numbers from lo to hi; labels of
--   one level stand in the order of their first leaf, leaves in that of their number or text
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- missing: a missing value is a leaf under the root, number 0
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, the quasi-identifier
-- parameter hierarchy: column or none, the table of the hierarchy with columns level0, level1, ...
-- parameter height: integer, the level of the root
-- parameter numeric: integer, 1 where the leaves are numbers
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
{% if hierarchy is none %}
    SELECT value, MIN(CAST(value AS VARCHAR)) AS level0
    FROM (SELECT {{ column | identifier }} AS value FROM {{ source | relation }})
    WHERE value IS NOT NULL
    GROUP BY value
{% else %}
    SELECT level0 AS value{% for level in range(height) %}, level{{ level }}{% endfor %}

    FROM {{ hierarchy | identifier }}
{% endif %}
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY {% if numeric %}TRY_CAST(level0 AS DOUBLE) NULLS LAST, {% endif %}level0, value) AS place
    FROM leaves
),
paths AS (
    SELECT
        *
{% for level in range(1, height) %}
        , MIN(place) OVER (PARTITION BY {% for above in range(height - 1, level - 1, -1) %}level{{ above }}{% if not loop.last %}, {% endif %}{% endfor %}) AS first{{ level }}
{% endfor %}
    FROM ranked
),
numbered AS (
    SELECT
        *,
        CAST(ROW_NUMBER() OVER (ORDER BY {% for level in range(height - 1, 0, -1) %}first{{ level }}, {% endfor %}place) AS INTEGER) AS code
    FROM paths
)
SELECT
    value,
    level0 AS label0,
    code,
    CAST(0 AS DOUBLE) AS place
{% for level in range(1, height) %}
    , level{{ level }} AS label{{ level }}
    , MIN(code) OVER (PARTITION BY {% for above in range(height - 1, level - 1, -1) %}first{{ above }}{% if not loop.last %}, {% endif %}{% endfor %}) AS lo{{ level }}
    , MAX(code) OVER (PARTITION BY {% for above in range(height - 1, level - 1, -1) %}first{{ above }}{% if not loop.last %}, {% endif %}{% endfor %}) AS hi{{ level }}
{% endfor %}
FROM numbered
UNION ALL
SELECT NULL, NULL, 0, 0{% for level in range(1, height) %}, NULL, 0, 0{% endfor %}
