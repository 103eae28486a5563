-- kmeans_shifts
-- Makes the one row of what is taken from each number, and what the rest is multiplied with.
--
-- definition: the mean and 1 / the standard deviation in the population; 1 where all numbers are one
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the population
-- parameter numeric: columns, those of numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranges AS (
    SELECT
        COUNT(*) AS records
{% for column in numeric %}
        , MIN({{ column | identifier }}) AS least_{{ loop.index }}
        , CASE WHEN MAX({{ column | identifier }}) > MIN({{ column | identifier }}) THEN MAX({{ column | identifier }}) - MIN({{ column | identifier }}) ELSE 1 END AS width_{{ loop.index }}
{% endfor %}
    FROM {{ source | relation }} AS records
),
sums AS (
    SELECT
        1 AS one
{% for column in numeric %}
        , CAST(SUM(CAST((records.{{ column | identifier }} - ranges.least_{{ loop.index }}) / ranges.width_{{ loop.index }} AS DECIMAL(38, 18))) AS DOUBLE) AS first_{{ loop.index }}
        , CAST(SUM(CAST(POWER((records.{{ column | identifier }} - ranges.least_{{ loop.index }}) / ranges.width_{{ loop.index }}, 2) AS DECIMAL(38, 18))) AS DOUBLE) AS second_{{ loop.index }}
{% endfor %}
    FROM {{ source | relation }} AS records
    CROSS JOIN ranges
)
SELECT
    1 AS one
{% for column in numeric %}
    , least_{{ loop.index }} + width_{{ loop.index }} * first_{{ loop.index }} / records AS shift_{{ loop.index }}
    , CASE
        WHEN second_{{ loop.index }} / records - POWER(first_{{ loop.index }} / records, 2) > 1e-15
            THEN 1 / (width_{{ loop.index }} * SQRT(second_{{ loop.index }} / records - POWER(first_{{ loop.index }} / records, 2)))
        ELSE 1 / width_{{ loop.index }}
    END AS factor_{{ loop.index }}
{% endfor %}
FROM sums
CROSS JOIN ranges
