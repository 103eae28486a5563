-- synthetic_records
-- Encoded records with the types of the source's columns.
--
-- definition: numbers as the type of their column; what a wide type cannot hold after the rounding of doubles is the largest or
--   smallest of the source
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the encoded table
-- parameter columns: columns, of it
-- parameter kinds: expressions, the types
-- parameter wide: columns, those with numbers that a double cannot tell apart
-- parameter original: relation, the source
-- parameter bindings: columns, of the source
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
{% set binding = bindings[loop.index0] %}
{% if column in wide %}
    , COALESCE(TRY_CAST({{ column | identifier }} AS {{ kinds[loop.index0] | expression }}), CASE WHEN {{ column | identifier }} > 0 THEN (SELECT MAX({{ binding | identifier }}) FROM {{ original | relation }} AS records) ELSE (SELECT MIN({{ binding | identifier }}) FROM {{ original | relation }} AS records) END) AS {{ column | identifier }}
{% else %}
    , CAST({{ column | identifier }} AS {{ kinds[loop.index0] | expression }}) AS {{ column | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
