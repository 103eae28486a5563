-- swapped_records
-- Makes the table that it is after the proposals that were kept.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter current: relation, the records before
-- parameter fresh: relation, the fresh records
-- parameter moves: relation, the proposals
-- parameter kept: integers, the proposals that were kept
-- parameter columns: columns, of the records, but the number of the record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    current.record
{% for column in columns %}
    , CASE WHEN fresh.record IS NULL THEN current.{{ column | identifier }} ELSE fresh.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ current | relation }} AS current
LEFT JOIN (
    SELECT position, origin
    FROM {{ moves | relation }} AS moves
    WHERE LIST_CONTAINS(CAST({{ kept | literal }} AS INTEGER[]), proposal)
) AS moved ON moved.position = current.record
LEFT JOIN {{ fresh | relation }} AS fresh ON fresh.record = moved.origin
