-- class_records
-- The cells of the records that classes are made of.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, those whose cells make the classes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM {{ source | relation }} AS records
