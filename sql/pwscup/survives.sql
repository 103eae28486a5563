-- survives
-- Whether a record is not deleted.
--
-- definition: its pseudonym is neither missing, nor empty, nor DEL
-- source: the deleted records of the contest of 2017
-- missing: a missing pseudonym is a deleted record
-- portable: yes
--
-- parameter column: column, the pseudonyms
COALESCE(CAST({{ column | identifier }} AS VARCHAR), '') NOT IN ('', 'DEL')
