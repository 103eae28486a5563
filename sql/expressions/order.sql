-- order
-- Orders of records.
--
-- source: every result has a total order
-- runs: finish

-- name: in_order
-- Records with a condition on their numbers, so that an engine that numbers records reads them in order.
--
-- definition: every number is at least 0
-- source: a release has its records in the order of the source
--
-- parameter source: relation, the records, with their numbers
(SELECT * FROM {{ source | relation }} AS coming WHERE record >= 0)

-- name: key_order
-- The place of a row by its columns, one after the other.
--
-- definition: of a key table by user, then by period
-- source: every result has a total order
-- missing: first
--
-- parameter columns: columns, of the table
ROW_NUMBER() OVER (ORDER BY {{ columns | each("{x.identifier} NULLS FIRST") }})

-- name: place_in_order
-- The place of a record in a sorted release.
--
-- definition: by the values that the release has, as sorted_places numbers them
-- source: an order of what is released reveals nothing else
-- missing: every record has a place
--
-- parameter table: relation, the places
(SELECT place FROM {{ table | relation }} AS places WHERE places.record = records.record)

-- name: user_order
-- The order of users.
--
-- definition: by number if all are whole numbers, else by text
-- source: the check of the contest of 2017
-- missing: no user is missing
--
-- parameter numeric: flag, all users are whole numbers
{% if numeric %}CAST(user_id AS HUGEINT), {% endif %}user_id

-- name: shuffled
-- An order of records that reveals nothing, the same for the same seed.
--
-- definition: the MD5 sum of the seed and the number of the record, from 1
-- source: the shuffling of the contest of 2017
-- missing: every record has a number
--
-- parameter seed: integer, of the order
MD5('release {{ seed }} ' || CAST(record + 1 AS VARCHAR))
