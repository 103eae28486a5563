-- deleted_violations
-- Notes the deleted records of a table that must not have any.
--
-- portable: yes
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the records as they are written
INSERT INTO {{ name | identifier }}
SELECT 'kept_deleted' AS violated, record, NULL AS value
FROM {{ source | relation }} AS records
WHERE deleted
