-- sensitive
-- The sensitive values of records and people, and the cuts of groups that disclose them.
--
-- idea: a value is disclosed to a class if nearly all of its people have it and the table does not: as disclosed_people
--   counts them, but while the classes are made
-- source: as disclosed_people
-- runs: finish
-- reads: growing_members, local_best, local_parts, local_sided, quasi_people
-- makes: local_disclosing, quasi_owned, quasi_rare, quasi_sensitive
--
-- parameter people: flag, classes count people
-- parameter count: integer, number of forms of the sensitive columns

-- name: sensitive_values
-- The sensitive values of each record, as numbers.
--
-- definition: each form of a column has numbers of its own
-- missing: a missing value is none
--
-- parameter source: relation, the records with their number `record`
-- parameter user: column or none, the person behind a record
-- parameter forms: attributes, the sensitive columns as they are, and in coarser forms
CREATE OR REPLACE TEMP TABLE quasi_sensitive AS
WITH records AS (
    SELECT
        record
{% if user is not none %}
        , {{ user | identifier }} AS user_key
{% endif %}
{% for form in forms %}
        , {{ form | value }} AS s{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
    record
{% if user is not none %}
    , people.person
{% endif %}
{% for form in forms %}
    , CASE WHEN s{{ loop.index0 }} IS NOT NULL
        THEN HASH({{ loop.index0 }}, {{ ("s" ~ loop.index0) | number }}) END AS s{{ loop.index0 }}
{% endfor %}
FROM records
{% if user is not none %}
LEFT JOIN quasi_people AS people ON people.user_key = records.user_key
{% endif %}

-- name: owned_values
-- The sensitive values of each person, in any record.
-- takes: people, count
CREATE OR REPLACE TEMP TABLE quasi_owned AS
SELECT DISTINCT person, value
FROM (
{% for _ in range(count) %}
    SELECT {% if people %}person{% else %}record{% endif %} AS person, s{{ loop.index0 }} AS value
    FROM quasi_sensitive
    WHERE s{{ loop.index0 }} IS NOT NULL
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
WHERE person IS NOT NULL

-- name: rare_sensitive_values
-- The sensitive values that can be disclosed, with their people.
--
-- definition: more than two of three people are too many for a disclosure, in any class
-- source: as disclosed_people
--
-- takes: people
CREATE OR REPLACE TEMP TABLE quasi_rare AS
SELECT
    value,
    COUNT(*) AS people,
    (SELECT COUNT({% if people %}DISTINCT person{% else %}*{% endif %}) FROM quasi_sensitive) AS total
FROM quasi_owned
GROUP BY value
HAVING 3 * COUNT(*) <= 2 * (SELECT COUNT({% if people %}DISTINCT person{% else %}*{% endif %}) FROM quasi_sensitive)

-- name: leave_owned
-- Leaves out the sensitive values of people that cannot be disclosed.
DELETE FROM quasi_owned
WHERE value NOT IN (SELECT value FROM quasi_rare)

-- name: leave_sensitive
-- Leaves out the sensitive values of records that are not kept.
--
-- parameter kept: column, the table of the records that are left
DELETE FROM quasi_sensitive
WHERE record NOT IN (SELECT record FROM {{ kept | identifier }})

-- name: local_disclosing
-- The best cuts of groups with a side to which a sensitive value is disclosed.
--
-- definition: as disclosed_people; in a sample a value is disclosed that is 4 standard deviations below its share
-- source: as disclosed_people
--
-- takes: people, count
-- parameter source: column, the measured tuples
-- parameter sets: integers, 1 where a quasi-identifier is a set of bits, 0 where it is a range
-- parameter sample: integer, tuples of a group that are measured
CREATE OR REPLACE TEMP TABLE local_disclosing AS
WITH placed AS (
    SELECT
        work.part,
        best.number,
-- include: side_of_cut
            AS low,
        work.{% if people %}person{% else %}n{% endif %}

{% if not people %}
{% for _ in range(count) %}
        , s{{ loop.index0 }}
{% endfor %}
{% endif %}
    FROM {{ source | identifier }} AS work
    JOIN local_best AS best ON best.part = work.part
),
-- include: disclosing_groups, KEYS: part, number, low
SELECT DISTINCT disclosing.part, disclosing.number
FROM disclosing
JOIN local_parts AS parts ON parts.part = disclosing.part
WHERE
    10 * (disclosing.people + CASE WHEN parts.tuples > {{ sample }} THEN 1.2 * SQRT(disclosing.size) ELSE 0 END)
        >= 9 * disclosing.size
    AND 2 * (disclosing.people + CASE WHEN parts.tuples > {{ sample }} THEN 1.2 * SQRT(disclosing.size) ELSE 0 END)
        * disclosing.total >= 3 * CAST(disclosing.rare AS DOUBLE) * disclosing.size

-- name: local_disclosed
-- The sides of the chosen cuts to which a sensitive value is disclosed.
-- takes: people, count
CREATE OR REPLACE TEMP TABLE local_disclosing AS
WITH placed AS (
    SELECT * FROM local_sided
),
-- include: disclosing_groups, KEYS: part
,
-- include: disclosed_groups, KEYS: part
SELECT part
FROM disclosed

-- name: growing_disclosed
-- The grown classes to which a sensitive value is disclosed.
-- takes: people, count
CREATE OR REPLACE TEMP TABLE local_disclosing AS
WITH placed AS (
    SELECT * FROM growing_members
),
-- include: disclosing_groups, KEYS: part, class
,
-- include: disclosed_groups, KEYS: part, class
SELECT part, class
FROM disclosed
