-- class_users
-- A fingerprint of each user's records: users whose fingerprints differ have different profiles.
--
-- definition: the number of records and the sum of a hash of each; equal fingerprints prove nothing
-- missing: a record without a user is left out
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
CREATE OR REPLACE TEMP TABLE class_users AS
SELECT
    {{ user | identifier }} AS person,
    COUNT(*) AS records,
    SUM(CAST(HASH({% for attribute in attributes %}{{ attribute | value }}{% if not loop.last %}, {% endif %}{% endfor %}) AS HUGEINT)) AS fingerprint
FROM {{ source | relation }}
WHERE {{ user | identifier }} IS NOT NULL
GROUP BY {{ user | identifier }}
