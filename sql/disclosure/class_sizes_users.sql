-- class_sizes_users
-- The sizes of the classes of users with the same history on the quasi-identifiers.
--
-- definition: a class is the users with the same records on all the columns, equally often; k is the size of the
--   smallest one
-- source: as class_sizes, with users in place of records: an attacker who knows a whole history
-- missing: a missing value is a value like another; duckrisk assess has the other rules. Records without a user are
--   left out.
-- read: as class_sizes, of users; feed it to reidentification_risk
-- instead: class_frequencies_of
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter columns: columns, the quasi-identifiers
--
-- column class_size: BIGINT, users, in each of these classes
-- column classes: BIGINT, classes, of this size
-- column records: BIGINT, users, in classes of this size
-- column records_below: BIGINT, users, in smaller classes
-- column share_below: DOUBLE, share of users, records_below of all users
WITH known AS (
    SELECT
        {{ user | identifier }} AS person,
        ROW({{ columns | identifiers }}) AS record
    FROM {{ source | relation }}
),
profiles AS (
    SELECT LIST(record ORDER BY record) AS profile
    FROM known
    WHERE person IS NOT NULL
    GROUP BY person
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM profiles
    GROUP BY profile
),
-- include: class_size_table
