-- encoded_records
-- Makes the standard table of records: numbers as doubles, categories as texts, in the order of the source.
--
-- definition: record is the place in the source, from 0
-- missing: there are no missing values; they were refused before
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter bindings: columns, of the source
-- parameter columns: columns, what they are called here
-- parameter numeric: columns, those of the latter that are numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
    , CAST({{ bindings[loop.index0] | identifier }} AS {% if column in numeric %}DOUBLE{% else %}VARCHAR{% endif %}) AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
ORDER BY record
