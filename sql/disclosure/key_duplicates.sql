-- key_duplicates
-- Counts the records that nothing tells apart from one of somebody else.
--
-- definition: without users these are the records that another one equals on all attributes; where users are counted, those
--   that a record of another user equals
-- portable: no
--
-- parameter several: integer, 1 where users are counted, else 0
WITH alike AS (
    SELECT records FROM combinations WHERE {% if several %}id IS NULL{% else %}records > 1{% endif %}

)
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, COUNT(*) AS combinations
FROM alike
