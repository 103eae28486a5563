-- user_order
-- What users are ordered by.
--
-- definition: by number where all are whole numbers, else by text
-- source: the check of the contest of 2017
-- missing: no user is missing
-- portable: no
--
-- parameter numeric: integer, 1 where all are whole numbers
{% if numeric %}CAST(user_id AS HUGEINT), {% endif %}user_id
