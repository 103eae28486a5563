-- count_where
-- How many records meet a condition of ours.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter met: expression, the condition
SELECT
    COUNT(*) AS records
    , CAST(COALESCE(SUM(CASE WHEN {{ met | expression }} THEN 1 ELSE 0 END), 0) AS BIGINT) AS met
FROM {{ source | relation }} AS records
