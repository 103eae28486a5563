-- aligned_records
-- All records of the original in their places, empty where they were left out.
--
-- definition: a record that is kept has the cells of the kept ones, or its own
-- missing: all cells of a record that is not kept
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, all records, numbered from 0
-- parameter kept: relation, the records that are kept
-- parameter first: integer, the number of the first record there
-- parameter treated: integer, 1 where the kept ones have cells
-- parameter columns: columns, of the records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in columns %}
    , CASE WHEN kept.record IS NOT NULL THEN {% if treated %}kept{% else %}records{% endif %}.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
LEFT JOIN {{ kept | relation }} AS kept ON kept.record = records.record + {{ first }}
ORDER BY records.record
