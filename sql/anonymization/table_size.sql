-- table_size
-- How many rows a table of ours has.
--
-- portable: yes
--
-- parameter source: relation, the table
SELECT COUNT(*) AS found
FROM {{ source | relation }} AS made
