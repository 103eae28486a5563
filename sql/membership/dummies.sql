-- dummies
-- Makes the list of dummies: one for each attribute of numbers, one for each value of a category.
--
-- definition: full one-hot, no value left out; numbered from 0 by attribute, then by value as text
-- source: PWS Cup 2020
-- missing: a dummy of numbers has no value
-- portable: no
--
-- parameter name: column, the table
-- parameter tables: texts, the encoded tables whose values are listed
-- parameter columns: columns, of the encoded tables, in the order of the attributes
-- parameter numeric: columns, those of numbers
-- parameter listed: columns, categories whose values are given
-- parameter values: texts, a list of values for each of these
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
{% set place = loop.index0 %}
{% if column in numeric %}
    SELECT {{ place }} AS attribute, CAST(NULL AS VARCHAR) AS value
{% elif column in listed %}
    SELECT {{ place }} AS attribute, UNNEST({{ values[listed.index(column)] | literal }}) AS value
{% else %}
    SELECT {{ place }} AS attribute, value
    FROM (
{% for table in tables %}
{% if not loop.first %}
        UNION
{% endif %}
        SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records GROUP BY {{ column | identifier }}
{% endfor %}
    ) AS values_of_{{ place }}
{% endif %}
{% endfor %}
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY attribute, value) - 1 AS INTEGER) AS dummy
    , CAST(attribute AS INTEGER) AS attribute
    , value
FROM found
ORDER BY dummy
