-- one_hot_records
-- Makes one-hot vectors of encoded records: a truth value for each dummy of a category, numbers as whole ones.
--
-- definition: a number x is round((x - least) / unit); sums of whole numbers are exact in any order
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the encoded table
-- parameter columns: columns, of the encoded table, one for each component
-- parameter values: texts, the value of each component, none for numbers
-- parameter least: texts, what is subtracted from the numbers of each component
-- parameter units: texts, what they are divided by
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
{% if values[loop.index0] is none %}
    , CAST(ROUND(({{ column | identifier }} - CAST({{ least[loop.index0] | literal }} AS DOUBLE)) / CAST({{ units[loop.index0] | literal }} AS DOUBLE)) AS BIGINT) AS y{{ loop.index0 }}
{% else %}
    , {{ column | identifier }} = {{ values[loop.index0] | literal }} AS y{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
