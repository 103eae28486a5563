-- deleted_value
-- What the leaks of the records tell that are to be deleted; nothing else can become less by that.
--
-- definition: a set that singles a record out still does when others are deleted
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
SELECT COALESCE(CAST(SUM(value) AS DOUBLE), 0) * {{ base | literal }} AS value
FROM treated_deletions
JOIN advice_outcomes ON advice_outcomes.tuple = treated_deletions.tuple
