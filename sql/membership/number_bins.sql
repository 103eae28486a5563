-- number_bins
-- Makes the list of the values of attributes of numbers, each with the number of the cell that counts it.
--
-- missing: there are no missing values
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the original, encoded
-- parameter columns: columns, those of numbers
-- parameter attributes: integers, the number of the attribute of each
-- parameter first: integer, the first cell
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
    SELECT {{ attributes[loop.index0] }} AS attribute, {{ column | identifier }} AS value
    FROM {{ source | relation }} AS records
    GROUP BY {{ column | identifier }}
    UNION ALL
{% endfor %}
    SELECT -1 AS attribute, CAST(0 AS DOUBLE) AS value
)
SELECT
    attribute,
    value,
    CAST({{ first }} + ROW_NUMBER() OVER (ORDER BY attribute, value) - 1 AS INTEGER) AS cell
FROM found
WHERE attribute >= 0
