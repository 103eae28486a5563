-- isolated_records
-- How many predicates one record alone meets.
--
-- portable: yes
--
-- parameter matches: relation, how many records meet each predicate
SELECT COUNT(CASE WHEN matches = 1 THEN 1 END) AS successes
FROM {{ matches | relation }} AS matches
