-- order
-- What records are ordered by.
--
-- source: every result has a total order
-- runs: finish

-- name: in_order
-- Records whose number is asked for on their way: an engine that numbers them does so one after another.
--
-- definition: every number is 0 or more
-- source: a release has its records in the order of the source
--
-- parameter source: relation, the records, with their numbers
(SELECT * FROM {{ source | relation }} AS coming WHERE record >= 0)

-- name: key_order
-- The order of the lines of a key table.
--
-- definition: by user, then by period
-- source: every result has a total order
-- missing: first
--
-- parameter columns: columns, of the key table
ROW_NUMBER() OVER (ORDER BY {% for column in columns %}{{ column | identifier }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %})

-- name: user_order
-- What users are ordered by.
--
-- definition: by number where all are whole numbers, else by text
-- source: the check of the contest of 2017
-- missing: no user is missing
--
-- parameter numeric: integer, 1 where all are whole numbers
{% if numeric %}CAST(user_id AS HUGEINT), {% endif %}user_id

-- name: shuffled
-- What records are ordered by so that their order tells nothing, and is the same for the same seed.
--
-- definition: the MD5 sum of the seed and the number of the record, from 1
-- source: the shuffling of the contest of 2017
-- missing: every record has a number
--
-- parameter seed: integer, of the order
MD5('release {{ seed }} ' || CAST(record + 1 AS VARCHAR))
