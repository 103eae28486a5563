-- examining
-- Finds the open persons that sets single out, many sets in one statement or one by one.
--
-- idea: a statement for several sets reads the combinations once. In a large table one set is examined, among the
--   combinations that agree with an open person in the attributes that the sets share, in parts if there are still
--   too many.
-- source: our own
-- runs: finish
-- reads: combinations, open_persons, sets
-- makes: hits, known_sets, open_owners, projected
--
-- parameter sets: column, the table of the sets
-- parameter first: integer, the number of the first
-- parameter last: integer, the number of the last
-- parameter table: column, the combinations
-- parameter by_user: flag, a person is a user, who can have several combinations
-- parameter ignore_missing: flag, a missing value reveals nothing; else it is a value
-- parameter found: column, the table that the persons are put in
-- parameter replace: flag, create the table instead of appending
-- parameter witnesses: flag, group only records that share a combination with an open person
-- parameter fields: integers, the bits of these fields
-- parameter with_values: flag, the open persons carry their values

-- name: unions_of_sets
-- The batches of sets to examine: the first and the last number, the number of sets, and their attributes.
-- takes: sets, first, last
-- parameter most: integer, sets of a batch at most
SELECT MIN(number) AS first, MAX(number) AS last, COUNT(*) AS sets, BIT_OR(mask) AS used
FROM {{ sets | identifier }}
WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
GROUP BY (number - {{ first | literal }}) // {{ most | literal }}
ORDER BY first

-- name: runs_of_sets
-- The sets that have the same attributes but for low ones; they stand together.
-- takes: sets, first, last
-- parameter low: integer, the attributes that separate least
-- parameter least: integer, sets of a run at least
SELECT COUNT(*) AS sets, MIN(number) AS first, MAX(number) AS last, BIT_OR(mask) AS used
FROM {{ sets | identifier }}
WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
GROUP BY tier, mask & ~{{ low | literal }}
HAVING COUNT(*) >= {{ least | literal }}
ORDER BY first

-- name: projected
-- The distinct combinations on some attributes.
--
-- definition: a set of these divides the records as in all combinations; a combination that several persons share has
--   none, as in all combinations
--
-- takes: by_user, fields
-- parameter words: integers, the words that hold fields of these attributes
-- parameter union: integer, these attributes
-- parameter owners: flag, with the users of combinations
CREATE OR REPLACE TEMP TABLE projected AS
SELECT
{% if by_user %}
    CASE WHEN MIN(id) = MAX(id) AND COUNT(*) = COUNT(id) THEN MIN(id) END AS id,
{% else %}
    CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(id) END AS id,
{% endif %}
{% if owners %}
    CASE WHEN MIN(owner) = MAX(owner) AND COUNT(*) = COUNT(owner) THEN MIN(owner) END AS owner,
{% endif %}
    ANY_VALUE(missing) & {{ union | literal }} AS missing
{% for word in words %}
    , p{{ word }} & {{ fields[loop.index0] | literal }} AS p{{ word }}
{% endfor %}
FROM combinations
GROUP BY {{ words | each("p{x} & {y}", fields) }}

-- name: count_projected
-- Counts the distinct combinations on some attributes.
-- takes: fields
-- parameter words: integers, the words that hold fields of these attributes
SELECT COUNT(*) AS classes
FROM (SELECT 1 FROM combinations GROUP BY {{ words | each("p{x} & {y}", fields) }})

-- name: open_owners
-- The users that a set can still single out, while records are the persons.
-- takes: table
CREATE OR REPLACE TEMP TABLE open_owners AS
SELECT DISTINCT owner AS id FROM {{ table | identifier }} WHERE owner IS NOT NULL

-- name: examine_sets
-- Finds the open persons that sets single out.
--
-- definition: a set singles out a person with a unique combination on it. A batch of sets shares one statement: the
--   number of the set is above the bits of the combination where there is room, as fewer keys are faster. If few
--   persons are open, only records that share a combination with one of them are grouped.
--
-- takes: table, sets, by_user, ignore_missing, found, replace, witnesses
-- parameter questions: flag, open entries are questions, and so are the found ones; else persons
-- parameter words: integers, the words that hold fields of these sets
-- parameter bits: integer or none, bits of these fields in the last of these words, above which the set's number has
--   room; none where it has not
-- parameter first: integer, the first set of the batch
-- parameter last: integer, the last set of the batch
-- parameter by_pattern: flag, a set is for the open persons with its pattern of missing values; else for all
-- parameter skip_known: flag, skip supersets of "known", a set that already singles the combination out
-- parameter several_tiers: flag, the batch has sets of several tiers; the easiest tier of a person counts
-- parameter owners: flag, find the users of combinations as well as records, for keep_singled
{% if replace %}
CREATE OR REPLACE TEMP TABLE {{ found | identifier }} AS
{% else %}
INSERT INTO {{ found | identifier }} BY NAME
{% endif %}
WITH batch AS (
    SELECT * FROM {{ sets | identifier }}
    WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
),
keyed AS (
    SELECT
        combined.id
{% if owners %}
        , combined.owner
{% endif %}
{% if bits is not none %}
        , ((batch.number - {{ first | literal }}) << {{ bits | literal }})
            | (combined.p{{ words[-1] }} & batch.f{{ words[-1] }}) AS k
{% else %}
        , batch.number - {{ first | literal }} AS k
{% endif %}
{% for word in (words[:-1] if bits is not none else words) %}
        , combined.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
    FROM {{ table | identifier }} AS combined, batch
    WHERE TRUE
{% if ignore_missing %}
        AND (combined.missing & batch.mask) = 0
{% endif %}
{% if skip_known %}
        AND (combined.known & ~batch.mask) <> 0
{% endif %}
),
singled AS (
    SELECT{% if by_user %} DISTINCT{% endif %}

        k{% if bits is not none %} >> {{ bits | literal }}{% endif %} AS number,
            {% if owners %}CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(id) END AS id, MIN(owner) AS owner
            {%- elif by_user %}MIN(id) AS id{% else %}ANY_VALUE(id) AS id{% endif %}

    FROM keyed
{% if witnesses %}
    SEMI JOIN (
        SELECT
{% if bits is not none %}
            ((batch.number - {{ first | literal }}) << {{ bits | literal }})
                | (open.p{{ words[-1] }} & batch.f{{ words[-1] }}) AS k
{% else %}
            batch.number - {{ first | literal }} AS k
{% endif %}
{% for word in (words[:-1] if bits is not none else words) %}
            , open.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
        FROM open_persons AS open, batch
        WHERE ({% if not by_pattern %}(open.required & ~batch.mask)
            | {% endif %}{% if questions %}(open.barred & batch.mask)
            | {% endif %}{% if ignore_missing %}(open.missing & batch.mask) | {% endif %}0) = 0
{% if by_pattern %}
            AND open.missing = batch.pattern
{% endif %}
{% if questions %}
            AND (open.tier < batch.tier OR (open.tier = batch.tier AND (open.needed & batch.mask) <> 0))
{% endif %}
    ) AS wanted USING (k{% for word in (words[:-1] if bits is not none else words) %}, k{{ word }}{% endfor %})
{% endif %}
    GROUP BY k{% for word in (words[:-1] if bits is not none else words) %}, k{{ word }}{% endfor %}

    HAVING {% if owners %}MIN(owner) = MAX(owner) AND COUNT(*) = COUNT(owner)
        {%- elif by_user %}MIN(id) = MAX(id) AND COUNT(*) = COUNT(id){% else %}COUNT(*) = 1{% endif %}

)
{% if owners %}
SELECT singled.id, singled.owner, batch.tier, batch.mask
FROM singled
JOIN batch ON batch.number = singled.number + {{ first | literal }}
WHERE singled.id IN (SELECT id FROM open_persons) OR singled.owner IN (SELECT id FROM open_owners)
{% else %}
{% if several_tiers %}
, reached AS MATERIALIZED (
{% endif %}
SELECT {% if questions %}open.number{% else %}singled.id{% endif %}, batch.tier, batch.mask
FROM singled
JOIN batch ON batch.number = singled.number + {{ first | literal }}
{% if by_user %}SEMI {% endif %}JOIN open_persons AS open ON open.id = singled.id
{% if by_pattern %}
    AND open.missing = batch.pattern
{% endif %}
{% if questions %}
    AND (open.barred & batch.mask) = 0
{% endif %}
{% if several_tiers %}
),
first_reached AS (
    SELECT id, MIN(tier) AS tier FROM reached GROUP BY id
)
SELECT *
FROM reached
SEMI JOIN first_reached USING (id, tier)
{% endif %}
{% endif %}

-- name: keep_singled
-- Keeps the persons that were found, records or users, if they are open.
--
-- takes: found
-- parameter singled: column, the table of those found, with the sets
-- parameter person: column, the column of the persons in it
-- parameter open: column, the table of the open persons
-- parameter sets: column or none, take only those of the sets in this table, from "first" to "last"; none takes all
-- parameter first: integer or none, the first of these sets
-- parameter last: integer or none, the last of them
-- parameter several_tiers: flag, the easiest tier of a person counts
INSERT INTO {{ found | identifier }} BY NAME
WITH reached AS (
    SELECT DISTINCT {{ person | identifier }} AS id, tier, mask
    FROM {{ singled | identifier }} AS singled
    SEMI JOIN {{ open | identifier }} AS open ON open.id = singled.{{ person | identifier }}
{% if sets is not none %}
    SEMI JOIN (
        SELECT mask FROM {{ sets | identifier }}
        WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
    ) AS asked ON asked.mask = singled.mask
{% endif %}
)
SELECT *
FROM reached
{% if several_tiers %}
SEMI JOIN (SELECT id, MIN(tier) AS tier FROM reached GROUP BY id) AS first_reached USING (id, tier)
{% endif %}

-- name: close_owners
-- Removes the users that were found from the open ones.
-- takes: found
CREATE OR REPLACE TEMP TABLE open_owners AS
SELECT * FROM open_owners ANTI JOIN {{ found | identifier }} USING (id)

-- name: known_sets
-- The sets that found the users as well.
-- parameter firsts: integers, the number of the first set of each batch
-- parameter lasts: integers, the number of the last one
CREATE OR REPLACE TEMP TABLE known_sets AS
WITH batches AS (
    SELECT UNNEST({{ firsts | literal }}) AS first, UNNEST({{ lasts | literal }}) AS last
)
SELECT mask
FROM sets
JOIN batches ON sets.number BETWEEN batches.first AND batches.last

-- name: count_known
-- Counts the sets among some that found the users as well; these come first.
-- takes: sets, first, last
SELECT COUNT(*) AS sets
FROM {{ sets | identifier }}
SEMI JOIN known_sets USING (mask)
WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}

-- name: listed_sets
-- Some sets by their numbers.
--
-- takes: sets, first, last
SELECT * FROM {{ sets | identifier }} WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
ORDER BY number

-- name: near
-- The combinations that agree with an open person's in some attributes; no others matter to sets with these.
-- takes: table, fields, with_values
-- parameter into: column, the table that is made
-- parameter words: integer, words of a combination
-- parameter used: integers, the words that hold fields of these attributes
CREATE OR REPLACE TEMP TABLE {{ into | identifier }} AS
WITH keyed AS (
    SELECT
        id, missing
{% for word in range(words) %}
        , p{{ word }}
{% endfor %}
{% for word in used %}
        , p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}
{% endfor %}
    FROM {{ table | identifier }}
),
wanted AS (
    SELECT {{ used | each("p{x} & {y} AS k{x}", fields) }}

    FROM open_persons AS open
{% if not with_values %}
    JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
)
SELECT id, missing{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM keyed
SEMI JOIN wanted USING ({{ used | each("k{x}") }})

-- name: examine_set
-- Finds the persons that one set singles out, in a table too large for several sets in one statement.
--
-- definition: as examine_sets, with constant masks. If most persons are open, persons settled before are found again,
--   and dropped when the tier is booked. Persons are numbered from 1: 0 is nobody, so that two aggregates decide
--   whether a combination has one person.
--
-- takes: fields, by_user, ignore_missing, found, replace, witnesses, with_values
-- parameter table: column, the combinations, or a part of them that holds all or none of those that agree on the set
-- parameter mask: integer, the set
-- parameter set_bits: integer, bits of an attribute set
-- parameter words: integers, the words that hold fields of the set
-- parameter tier: integer, the number of the tier
-- parameter open_only: flag, drop at once the persons who are not open
-- parameter pattern: integer or none, the missing values that a person must have to be found; none finds all
{% if replace %}
CREATE OR REPLACE TEMP TABLE {{ found | identifier }} AS
{% else %}
INSERT INTO {{ found | identifier }} BY NAME
{% endif %}
WITH keyed AS (
    SELECT {% if by_user %}COALESCE(id, 0) AS {% endif %}id{% for word in words %},
        p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% endfor %}

    FROM {{ table | identifier }}
    WHERE TRUE
{% if ignore_missing %}
        AND (missing & {{ mask | literal }}) = 0
{% endif %}
),
{% if witnesses %}
wanted AS (
    SELECT {{ words | each("p{x} & {y} AS k{x}", fields) }}

    FROM open_persons AS open
{% if not with_values %}
    JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
    WHERE (required & ~{{ mask | literal }}) = 0
{% if ignore_missing %}
        AND (open.missing & {{ mask | literal }}) = 0
{% endif %}
{% if pattern is not none %}
        AND open.missing = {{ pattern | literal }}
{% endif %}
),
{% endif %}
singled AS (
    SELECT {% if by_user %}MIN(id){% else %}ANY_VALUE(id){% endif %} AS id
    FROM keyed
{% if witnesses %}
    SEMI JOIN wanted USING ({{ words | each("k{x}") }})
{% endif %}
    GROUP BY {{ words | each("k{x}") }}

    HAVING {% if by_user %}MIN(id) = MAX(id){% else %}COUNT(*) = 1{% endif %}

)
SELECT {% if by_user %}DISTINCT {% endif %}id, {{ tier | literal }} AS tier,
    CAST({{ mask | literal }} AS {{ set_bits | integer_type }}) AS mask
FROM singled
WHERE {% if by_user %}id <> 0{% else %}id IS NOT NULL{% endif %}

{% if open_only %}
    AND id IN (SELECT id
        FROM open_persons{% if pattern is not none %} WHERE missing = {{ pattern | literal }}{% endif %})
{% endif %}
