-- kmeans_cells
-- Makes the table of the records that differ, with their categories as one number for each block of these.
--
-- definition: the number of a block is the sum of code x stride; times is how many records are equal, record the first of them;
--   sum_ of a number is it times these, none of one that is too large for sums
-- portable: yes
--
-- parameter name: column, the table
-- parameter points: relation, the records
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter blocks: integers, for each of these the number of its block
-- parameter strides: integers, for each what its code is multiplied with
-- parameter sizes: integers, how many numbers each block has
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH combined AS (
    SELECT
        record
{% for column in numeric %}
        , {{ column | identifier }}
{% endfor %}
{% for size in sizes %}
{% set block = loop.index0 %}
        , CAST(0{% for column in categories %}{% if blocks[loop.index0] == block %} + {{ column | identifier }} * {{ strides[loop.index0] }}{% endif %}{% endfor %} AS INTEGER) AS b{{ block }}
{% endfor %}
    FROM {{ points | relation }} AS points
)
SELECT
    MIN(record) AS record
    , COUNT(*) AS times
{% for column in numeric %}
    , {{ column | identifier }}
    , CASE WHEN ABS({{ column | identifier }}) < 1e12 THEN CAST({{ column | identifier }} AS DECIMAL(38, 14)) * COUNT(*) END AS {{ ('sum_' ~ column) | identifier }}
{% endfor %}
{% for size in sizes %}
    , b{{ loop.index0 }}
{% endfor %}
FROM combined
GROUP BY {% for column in numeric %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}{% for size in sizes %}{% if numeric or not loop.first %}, {% endif %}b{{ loop.index0 }}{% endfor %}

