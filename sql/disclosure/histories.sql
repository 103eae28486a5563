-- histories
-- The classes of users: users with the same multiset of records on the quasi-identifiers.
--
-- idea: users with different fingerprints of their records have different histories; only users who share one are
--   compared. Users with missing values are matched with candidates who have as many records; a candidate is dropped
--   if a record of either has no partner.
-- source: our own
-- runs: finish
-- reads: class_agreeing, class_codes, class_frequencies, known_classes
-- makes: class_candidates, class_fitting, class_histories, class_owners, class_profiles, class_users,
--   users_in_shared_classes
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing values
-- parameter wildcard: flag, a missing value agrees with every value

-- name: class_users
-- A fingerprint of each user's records: users with different fingerprints have different profiles.
--
-- definition: the number of records and the sum of a hash of each; equal fingerprints prove nothing
-- missing: a record without a user is left out
--
-- takes: source, user, attributes
CREATE OR REPLACE TEMP TABLE class_users AS
SELECT
    {{ user | identifier }} AS person,
    COUNT(*) AS records,
    SUM(CAST(HASH({{ attributes | each("{x.value}") }}) AS HUGEINT)) AS fingerprint
FROM {{ source | relation }}
WHERE {{ user | identifier }} IS NOT NULL
GROUP BY {{ user | identifier }}

-- name: users_in_shared_classes
-- The users who share their fingerprint with another user.
CREATE OR REPLACE TEMP TABLE users_in_shared_classes AS
SELECT person, records
FROM class_users
SEMI JOIN (
    SELECT records, fingerprint
    FROM class_users
    GROUP BY records, fingerprint
    HAVING COUNT(*) > 1
) AS shared USING (records, fingerprint)

-- name: class_profiles
-- The number of users with the same profile as each user: the same records on the quasi-identifiers, equally often.
--
-- definition: "class" is one of these users, the same for all of them
-- missing: a missing value is a value of its own
-- runs: wide
--
-- takes: source, user, attributes
CREATE OR REPLACE TEMP TABLE class_profiles AS
WITH records AS (
    SELECT
        users_in_shared_classes.person,
        users_in_shared_classes.records,
{% for attribute in attributes %}
        known.v{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM (
        SELECT
            {{ user | identifier }} AS person,
{% for attribute in attributes %}
            {{ attribute | value }} AS v{{ loop.index0 }}{{ loop | between }}
{% endfor %}
        FROM {{ source | relation }}
    ) AS known
    JOIN users_in_shared_classes ON users_in_shared_classes.person = known.person
),
profiles AS (
    SELECT
        person,
        LIST(
            ROW({{ attributes | each("v{i}") }})
            ORDER BY {{ attributes | each("v{i} NULLS LAST") }}

        ) AS profile
    FROM records
    WHERE records > 1
    GROUP BY person
),
alike AS (
    SELECT LIST(person) AS people
    FROM profiles
    GROUP BY profile
    UNION ALL
    SELECT LIST(person) AS people
    FROM records
    WHERE records = 1
    GROUP BY {{ attributes | each("v{i}") }}

)
SELECT UNNEST(people) AS person, people[1] AS class, LEN(people) AS class_size
FROM alike
UNION ALL
SELECT person, person AS class, 1 AS class_size
FROM class_users
ANTI JOIN users_in_shared_classes USING (person)

-- name: class_owners
-- The records of each user by class.
-- takes: source, user, attributes
CREATE OR REPLACE TEMP TABLE class_owners AS
WITH records AS (
    SELECT
        {{ user | identifier }} AS person,
        {{ attributes | each("{x.value} AS v{i}") }}

    FROM {{ source | relation }}
)
SELECT records.person, CAST(known_classes.rowid AS BIGINT) AS class, COUNT(*) AS n
FROM records
JOIN known_classes
    ON {{ attributes | each("(known_classes.v{i} IS NOT DISTINCT FROM records.v{i})", between=" AND ") }}

WHERE records.person IS NOT NULL
GROUP BY records.person, known_classes.rowid

-- name: class_histories
-- The users with the numbers of their records and distinct records, and whether one of these has a missing value.
CREATE OR REPLACE TEMP TABLE class_histories AS
SELECT
    class_owners.person,
    CAST(SUM(class_owners.n) AS BIGINT) AS records,
    COUNT(*) AS parts,
    MAX(class_codes.missing_cells) > 0 AS incomplete
FROM class_owners
JOIN class_codes ON class_codes.class = class_owners.class
GROUP BY class_owners.person

-- name: class_candidates
-- Candidates for each user with missing values: as many records, and one that agrees with the user's rarest record.
-- parameter max_rows: integer, rows of the table at most
CREATE OR REPLACE TEMP TABLE class_candidates AS
WITH holders AS (
    SELECT class_agreeing.mine, COUNT(*) AS owners
    FROM class_agreeing
    JOIN class_owners ON class_owners.class = class_agreeing.theirs
    GROUP BY class_agreeing.mine
),
rarest AS (
    SELECT class_owners.person, ARG_MIN(class_owners.class, (holders.owners, class_owners.class)) AS class
    FROM class_owners
    JOIN class_histories ON class_histories.person = class_owners.person
    JOIN holders ON holders.mine = class_owners.class
    WHERE class_histories.incomplete
    GROUP BY class_owners.person
)
SELECT DISTINCT rarest.person AS mine, class_owners.person AS theirs
FROM rarest
JOIN class_histories AS me ON me.person = rarest.person
JOIN class_agreeing ON class_agreeing.mine = rarest.class
JOIN class_owners ON class_owners.class = class_agreeing.theirs
JOIN class_histories AS other ON other.person = class_owners.person AND other.records = me.records
LIMIT {{ max_rows }}

-- name: class_fitting
-- The candidates that no single record rules out.
--
-- definition: none: for each different record of mine they have as many records that hold its values as I have;
--   wildcard: for each different record of either the other has as many that agree with it as there are of it
--
-- takes: wildcard
CREATE OR REPLACE TEMP TABLE class_fitting AS
WITH counts AS (
    SELECT
        class_candidates.mine,
        class_candidates.theirs,
        my.class AS my_class,
        my.n AS my_n,
        their.class AS their_class,
        their.n AS their_n
    FROM class_candidates
    JOIN class_owners AS my ON my.person = class_candidates.mine
    JOIN class_agreeing ON class_agreeing.mine = my.class
    JOIN class_owners AS their ON their.person = class_candidates.theirs AND their.class = class_agreeing.theirs
),
needs AS (
{% if wildcard %}
    SELECT person, class, n FROM class_owners
{% else %}
    SELECT my.person, my.class, SUM(also.n) AS n
    FROM class_owners AS my
    JOIN class_histories ON class_histories.person = my.person AND class_histories.incomplete
    JOIN class_agreeing ON class_agreeing.mine = my.class
    JOIN class_owners AS also ON also.person = my.person AND also.class = class_agreeing.theirs
    GROUP BY my.person, my.class
{% endif %}
),
forwards AS (
    SELECT found.mine, found.theirs
    FROM (SELECT mine, theirs, my_class, SUM(their_n) AS n FROM counts GROUP BY mine, theirs, my_class) AS found
    JOIN needs ON needs.person = found.mine AND needs.class = found.my_class AND found.n >= needs.n
    JOIN class_histories ON class_histories.person = found.mine
    GROUP BY found.mine, found.theirs
    HAVING COUNT(*) = MAX(class_histories.parts)
){% if wildcard %},
backwards AS (
    SELECT found.mine, found.theirs
    FROM (SELECT mine, theirs, their_class, SUM(my_n) AS n FROM counts GROUP BY mine, theirs, their_class) AS found
    JOIN needs ON needs.person = found.theirs AND needs.class = found.their_class AND found.n >= needs.n
    JOIN class_histories ON class_histories.person = found.theirs
    GROUP BY found.mine, found.theirs
    HAVING COUNT(*) = MAX(class_histories.parts)
)
SELECT forwards.mine, forwards.theirs
FROM forwards
JOIN backwards ON backwards.mine = forwards.mine AND backwards.theirs = forwards.theirs
{% else %}

SELECT mine, theirs FROM forwards
{% endif %}

-- name: class_user_counts
-- Adds the number of users by the number of users they agree with.
--
-- definition: "classes" counts profiles, each by the size that its users have for themselves
-- runs: wide
--
-- takes: wildcard
-- parameter missing: text, the rule for missing values
-- parameter fitted: flag, users with missing values are grouped with the users who fit them
INSERT INTO class_frequencies
WITH sizes AS (
{% if fitted %}
    SELECT class_profiles.class,
        class_profiles.class_size{% if wildcard %} + COALESCE(more.n, 0){% endif %} AS class_size
    FROM class_profiles
    JOIN class_histories ON class_histories.person = class_profiles.person
{% if wildcard %}
    LEFT JOIN (SELECT theirs, COUNT(*) AS n FROM class_fitting GROUP BY theirs) AS more
        ON more.theirs = class_profiles.person
{% endif %}
    WHERE NOT class_histories.incomplete
    UNION ALL
    SELECT ANY_VALUE(class_profiles.class) AS class, COUNT(*) AS class_size
    FROM class_fitting
    JOIN class_profiles ON class_profiles.person = class_fitting.mine
    GROUP BY class_fitting.mine
{% else %}
    SELECT class, class_size FROM class_profiles
{% endif %}
)
SELECT
    {{ missing | literal }} AS missing,
    'user' AS unit,
    class_size,
    COUNT(DISTINCT class) AS classes,
    COUNT(*) AS records,
    0 AS incomplete
FROM sizes
GROUP BY class_size
