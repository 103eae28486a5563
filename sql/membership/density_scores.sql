-- density_scores
-- Makes the table of scores by density: how much more frequent the values of a candidate are in the release than elsewhere.
--
-- definition: score = sum over blocks of attributes of ln(p_release / p_reference) with p = (count + 1) / (records + K),
--   K combinations of values of the block that occur in the release, the reference or the population
-- source: van Breugel et al., DOMIAS, AISTATS 2023; frequencies in blocks for its density models are our own
-- portable: no
--
-- parameter name: column, the table
-- parameter population: relation, the candidates
-- parameter released: relation, the release
-- parameter reference: relation, records that were not in the release, or the population itself
-- parameter blocks: texts, the attributes of each block
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH totals AS (
    SELECT
        (SELECT COUNT(*) FROM {{ released | relation }} AS released) AS released
        , (SELECT COUNT(*) FROM {{ reference | relation }} AS reference) AS reference
)
{% for block in blocks %}
, values{{ loop.index0 }} AS (
    SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}SUM(released) AS released, SUM(reference) AS reference, COUNT(*) OVER () AS combinations
    FROM (
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}1 AS released, 0 AS reference FROM {{ released | relation }} AS records
        UNION ALL
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}0 AS released, 1 AS reference FROM {{ reference | relation }} AS records
        UNION ALL
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}0 AS released, 0 AS reference FROM {{ population | relation }} AS records
    ) AS all_records
    GROUP BY {% for column in block %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

)
{% endfor %}
SELECT
    population.record
    , {% for block in blocks %}{% if not loop.first %} + {% endif %}
    LN(((values{{ loop.index0 }}.released + 1) / CAST(totals.released + values{{ loop.index0 }}.combinations AS DOUBLE))
        / ((values{{ loop.index0 }}.reference + 1) / CAST(totals.reference + values{{ loop.index0 }}.combinations AS DOUBLE))){% endfor %} AS score
FROM {{ population | relation }} AS population
CROSS JOIN totals
{% for block in blocks %}
{% set place = loop.index0 %}
JOIN values{{ place }}
    ON {% for column in block %}{% if not loop.first %} AND {% endif %}values{{ place }}.{{ column | identifier }} = population.{{ column | identifier }}{% endfor %}

{% endfor %}
