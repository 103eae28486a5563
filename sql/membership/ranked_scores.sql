-- ranked_scores
-- Makes the table of scores and places of an attack: of scores that are equal the first in the population comes first.
--
-- definition: scores are equal where they agree in ten digits, or differ by no more than the rounding of the largest score: the
--   same sum in another order differs in its last bit. They get one score, the largest of them
-- portable: no
--
-- parameter name: column, the table
-- parameter scores: relation, record and score of every candidate
-- parameter alike: column, what is equal where scores are
-- parameter ranked: column, the largest come first
-- parameter last: column or none, whether a candidate comes after all others
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH known AS (
    SELECT
        record
        , CAST(score AS DOUBLE) AS score
        , CAST({{ alike | identifier }} AS DOUBLE) AS alike
        , CAST({{ ranked | identifier }} AS DOUBLE) AS ranked
        , {% if last %}{{ last | identifier }}{% else %}FALSE{% endif %} AS last
    FROM {{ scores | relation }} AS scores
),
largest AS (
    SELECT
        MAX(CASE WHEN ISFINITE(alike) THEN ABS(alike) END) AS alike
        , MAX(CASE WHEN ISFINITE(ranked) THEN ABS(ranked) END) AS ranked
    FROM known
),
rounded AS (
    SELECT
        known.record
        , known.score
        , known.last
{% for column in ('alike', 'ranked') %}
        , CASE
            WHEN ISFINITE(known.{{ column | identifier }}) AND largest.{{ column | identifier }} > 0
                THEN ROUND(known.{{ column | identifier }}, 10 - CAST(CEIL(LOG10(
                    GREATEST(ABS(known.{{ column | identifier }}), largest.{{ column | identifier }} / 100)
                )) AS INTEGER))
            ELSE known.{{ column | identifier }}
        END AS {{ column | identifier }}
{% endfor %}
    FROM known
    CROSS JOIN largest
)
SELECT
    record
    , MAX(score) OVER (PARTITION BY alike) AS score
    , ROW_NUMBER() OVER (ORDER BY last, ranked DESC, record) AS place
FROM rounded
