-- risk_rows
-- Makes the table of the records of one source: numbers as they are, everything else as text, in the order of the source.
--
-- definition: record is the place in the source, from 0
-- missing: what is no finite number is missing among numbers; missing values stay
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, the attributes
-- parameter numeric: integers, the places of those of numbers
-- parameter largest: number, no number is further from 0
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
{% if loop.index0 in numeric %}
    , CASE WHEN ABS(CAST({{ column | identifier }} AS DOUBLE)) <= {{ largest | literal }} THEN {{ column | identifier }} END AS v{{ loop.index0 }}
{% else %}
    , CAST({{ column | identifier }} AS VARCHAR) AS v{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
