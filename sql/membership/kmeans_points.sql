-- kmeans_points
-- Makes the table of records as vectors: numbers, standardised where shifts are given, and one-hot categories.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records with codes
-- parameter shifts: relation or none, the row of shifts and factors
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter codes: integers, how many codes each of these has
-- parameter dimensions: integer, of a vector
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH shifted AS (
    SELECT
        records.record
{% for column in numeric %}
        , {% if shifts is not none %}(records.{{ column | identifier }} - shifts.shift_{{ loop.index }}) * shifts.factor_{{ loop.index }}{% else %}records.{{ column | identifier }}{% endif %} AS {{ column | identifier }}
{% endfor %}
{% for column in categories %}
        , records.{{ column | identifier }}
{% endfor %}
    FROM {{ source | relation }} AS records
{% if shifts is not none %}
    CROSS JOIN {{ shifts | relation }} AS shifts
{% endif %}
)
SELECT
    shifted.*
    , CAST([
        {% for column in numeric %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}
{% for column in categories %}
{% set first = loop.first and not numeric %}
{% for code in range(codes[loop.index0]) %}
        {% if not (first and loop.first) %}, {% endif %}CAST({{ column | identifier }} = {{ code }} AS DOUBLE)
{% endfor %}
{% endfor %}
    ] AS DOUBLE[{{ dimensions | literal }}]) AS vector
FROM shifted
