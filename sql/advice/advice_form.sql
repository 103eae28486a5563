-- advice_form
-- What becomes of each value of a column that is published in some form.
--
-- definition: "cell" numbers the published cells from 1 on, "leaves" is how many values a cell covers; "k" numbers what is
--   known of it by each of its attributes, from 1 on, and is 0 where that is missing
-- portable: no
--
-- parameter values: column, the table with the numbered values
-- parameter cell: attribute or none, the published cell of a value; none publishes it as it is
-- parameter known: attributes, what is known of a value
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH made AS (
    SELECT
        code,
        {% if cell %}{{ cell | value }}{% else %}code{% endif %} AS cell
{% for attribute in known %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ values | identifier }} AS different
),
cells AS (
    SELECT cell, CAST(ROW_NUMBER() OVER () AS INTEGER) AS number, COUNT(*) AS leaves
    FROM made
    GROUP BY cell
)
{% for attribute in known %}
, known{{ loop.index0 }} AS (
    SELECT v{{ loop.index0 }}, CAST(ROW_NUMBER() OVER () AS INTEGER) AS number
    FROM made
    WHERE v{{ loop.index0 }} IS NOT NULL
    GROUP BY v{{ loop.index0 }}
)
{% endfor %}
SELECT
    made.code,
    cells.number AS cell,
    cells.leaves
{% for attribute in known %}
    , COALESCE(known{{ loop.index0 }}.number, 0) AS k{{ loop.index0 }}
{% endfor %}
FROM made
JOIN cells ON (cells.cell IS NOT DISTINCT FROM made.cell)
{% for attribute in known %}
LEFT JOIN known{{ loop.index0 }} ON known{{ loop.index0 }}.v{{ loop.index0 }} = made.v{{ loop.index0 }}
{% endfor %}
