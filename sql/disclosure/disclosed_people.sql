-- disclosed_people
-- People with a disclosed value of a sensitive column, by record number.
--
-- idea: values become hashes next to the records; the classes and their disclosed values are counted from these
-- source: as disclosed_people
-- runs: finish
-- makes: sensitive_records

-- name: disclosed_people
-- People with a value of a sensitive column that their quasi-identifiers disclose.
--
-- definition: a class is the people with a record of the same values of the quasi-identifiers; a person has a value
--   if any of their records has it. A value is disclosed to a class if at least 0.9 of its people have it, and at
--   least 1.5 times the share of all people: a majority that is easily guessed is no disclosure. disclosed_people are
--   the people of such classes who have the value, in any of the examined forms of the column.
-- source: Machanavajjhala et al., l-diversity, TKDD 2007 (homogeneity attack); Li et al., t-closeness, ICDE 2007
--   (gain over the whole table); the two numbers are our own
-- missing: a record without a person is left out. A missing quasi-identifier is a value of its own; a missing sensitive
--   value is no value.
-- read: 180 of 360 people means that sex and age group reveal the illness of half of them.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the quasi-identifiers
-- parameter forms: attributes, the sensitive column as it is, and in coarser forms
-- parameter counted: column or none, number of people that a record represents; none takes one
-- parameter pairs: integer or none, pairs of a class and a value of a person that are compared at most; none sets no
--   limit
--
-- column people: BIGINT, people, those with a record
-- column disclosed_people: BIGINT, people, null where the pairs are too many
-- column share: DOUBLE, share of people, disclosed_people of people
-- column classes: BIGINT, classes, of the people by their quasi-identifiers
-- column disclosed_classes: BIGINT, classes, to which a value is disclosed
WITH known AS (
    SELECT
        {{ user | person }} AS person{% if counted %},
        {{ counted | identifier }} AS weight{% endif %}{% for column in columns %},
        {{ column | identifier }} AS v{{ loop.index0 }}{% endfor %}{% for form in forms %},
        {{ form | value }} AS s{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
),
records AS MATERIALIZED (
    SELECT
        {{ "person" | number }} AS person,
{% if counted %}
        weight,
{% endif %}
        HASH(0{% for column in columns %}, {{ ("v" ~ loop.index0) | number }}{% endfor %})
            AS class{% for form in forms %},
        CASE WHEN s{{ loop.index0 }} IS NOT NULL
            THEN HASH({{ loop.index0 }}, {{ ("s" ~ loop.index0) | number }}) END AS s{{ loop.index0 }}{% endfor %}

    FROM known
    WHERE person IS NOT NULL
),
members AS MATERIALIZED (
    SELECT DISTINCT person, class{% if counted %}, weight{% endif %} FROM records
),
classes AS MATERIALIZED (
    SELECT class, {% if counted %}SUM(weight){% else %}COUNT(*){% endif %} AS people FROM members GROUP BY class
),
owned AS MATERIALIZED (
{% for form in forms %}
    {% if not loop.first %}UNION {% else %}SELECT DISTINCT person, value{% if counted %}, weight{% endif %} FROM (
    {% endif %}SELECT DISTINCT person, s{{ loop.index0 }} AS value{% if counted %}, weight{% endif %} FROM records
        WHERE s{{ loop.index0 }} IS NOT NULL
{% endfor %}
    ) AS every
),
totals AS (
    SELECT {% if counted %}SUM(weight){% else %}COUNT(DISTINCT person){% endif %} AS people FROM members
),
-- A value that more than two of three people have is no disclosure, whatever class they are in.
rare AS MATERIALIZED (
    SELECT owned.value, {% if counted %}SUM(weight){% else %}COUNT(*){% endif %} AS people
    FROM owned
    GROUP BY owned.value
    HAVING 3 * {% if counted %}SUM(weight){% else %}COUNT(*){% endif %} <= 2 * (SELECT people FROM totals)
),
telling AS MATERIALIZED (
    SELECT owned.person, owned.value, rare.people{% if counted %}, owned.weight{% endif %}
    FROM owned
    JOIN rare ON rare.value = owned.value
),
-- A class of one person discloses every such value of this person.
alone AS MATERIALIZED (
    SELECT members.person, members.class{% if counted %}, members.weight{% endif %}
    FROM members
    JOIN classes ON classes.class = members.class
    WHERE classes.people = 1
),
shared AS MATERIALIZED (
    SELECT members.person, members.class, classes.people
    FROM members
    JOIN classes ON classes.class = members.class
    WHERE classes.people > 1
),
work AS (
    SELECT COALESCE(SUM(CAST(own.classes AS HUGEINT) * own_values.held), 0) AS pairs
    FROM (SELECT person, COUNT(*) AS classes FROM shared GROUP BY person) AS own
    JOIN (SELECT person, COUNT(*) AS held FROM telling WHERE people > 1 GROUP BY person) AS own_values
        ON own_values.person = own.person
),
disclosed AS MATERIALIZED (
    SELECT shared.class, telling.value
    FROM shared
    JOIN telling ON telling.person = shared.person AND telling.people > 1
    {% if pairs is not none %}WHERE (SELECT pairs FROM work) <= {{ pairs | literal }}{% endif %}

    GROUP BY shared.class, telling.value
    HAVING 10 * {% if counted %}SUM(telling.weight){% else %}COUNT(*){% endif %} >= 9 * MAX(shared.people)
        AND 2 * {% if counted %}SUM(telling.weight){% else %}COUNT(*){% endif %}
            * CAST((SELECT people FROM totals) AS HUGEINT) >= 3 * MAX(telling.people)
            * CAST(MAX(shared.people) AS HUGEINT)
),
people_disclosed AS (
    SELECT alone.person{% if counted %}, alone.weight{% endif %}
    FROM alone
    SEMI JOIN telling ON telling.person = alone.person
    UNION
    SELECT shared.person{% if counted %}, telling.weight{% endif %}
    FROM shared
    JOIN disclosed ON disclosed.class = shared.class
    JOIN telling ON telling.person = shared.person AND telling.value = disclosed.value
),
counted AS (
    SELECT {% if counted %}COALESCE(SUM(weight), 0){% else %}COUNT(*){% endif %} AS disclosed FROM people_disclosed
)
SELECT
    totals.people,
    CASE WHEN {% if pairs is none %}TRUE{% else %}work.pairs <= {{ pairs | literal }}{% endif %}
        THEN counted.disclosed END AS disclosed_people,
    CASE WHEN {% if pairs is none %}TRUE{% else %}work.pairs <= {{ pairs | literal }}{% endif %}
        THEN CAST(counted.disclosed AS DOUBLE) / NULLIF(totals.people, 0) END AS share,
    (SELECT COUNT(*) FROM classes) AS classes,
    (SELECT COUNT(DISTINCT class) FROM disclosed)
        + (SELECT COUNT(DISTINCT alone.class) FROM alone SEMI JOIN telling ON telling.person = alone.person)
        AS disclosed_classes
FROM totals
CROSS JOIN counted
CROSS JOIN work

-- name: sensitive_records
-- Creates a row for each record: the person, a hash of the quasi-identifiers, and one for each form of the value.
--
-- definition: different values have the same number with a probability of 2^-64
-- missing: a record without a person is left out; a missing sensitive value stays missing
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the quasi-identifiers
-- parameter forms: attributes, the sensitive column as it is, and in coarser forms
-- parameter counted: column or none, number of people that a record represents; none takes one
CREATE OR REPLACE TEMP TABLE sensitive_records AS
SELECT
    {{ "person" | number }} AS person,
{% if counted %}
    people,
{% endif %}
    hash({% for column in columns %}{{ ("v" ~ loop.index0) | number }}{{ loop | between(", ") }}{% endfor %}
        {% if not columns %}0{% endif %}) AS class{% for form in forms %},
    CASE WHEN s{{ loop.index0 }} IS NOT NULL
        THEN {{ ("s" ~ loop.index0) | number }} END AS s{{ loop.index0 }}{% endfor %}

FROM (
    SELECT
        {{ user | person }} AS person{% if counted %},
        {{ counted | identifier }} AS people{% endif %}{% for column in columns %},
        {{ column | identifier }} AS v{{ loop.index0 }}{% endfor %}{% for form in forms %},
        {{ form | value }} AS s{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
) AS known
WHERE person IS NOT NULL
