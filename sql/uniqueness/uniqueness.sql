-- uniqueness
-- Whom each small attribute set singles out: the people of whom somebody who knows these values of a record finds the name.
--
-- definition: a person is singled out by a set where a record of theirs has values of its attributes that no record of
--   anybody else has together. Shares are of all people, and of all records that have a person. It examines all sets of up
--   to max_size of at most 20 attributes, one by one; duckrisk assess draws sets where they are many.
-- source: singling out: Article 29 Working Party, Opinion 05/2014; shares by how many facts are known: de Montjoye, Hidalgo,
--   Verleysen and Blondel, Unique in the crowd, 2013, and de Montjoye, Radaelli, Singh and Pentland, 2015. There the facts
--   are several records of a person (known_records); here they are several attributes of one record.
-- missing: a record without a person is left out. NULL and the tokens are one missing value; it tells nothing and singles
--   nobody out, unless missing_is_value is 1.
-- read: a share of 0.2 means that whoever knows these attributes of the right record finds one person in five for certain.
--   A person with many records is singled out by any of them: share_of_records says how often one record does it.
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the attributes an attacker may know
-- parameter missing_tokens: texts, texts that count as missing
-- parameter missing_is_value: integer, 1 where a missing cell is a value like another
-- parameter max_size: integer, attributes of a set at most
--
-- column attributes: VARCHAR[], names, of the set
-- column people: BIGINT, people, those whom the set singles out
-- column share: DOUBLE, share of people, people of all people
-- column records: BIGINT, records, those that single their person out
-- column share_of_records: DOUBLE, share of records, records of all that have a person
WITH records AS (
    SELECT
        {{ user | person }} AS person
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
tokens AS (
    SELECT UNNEST([{% for token in missing_tokens %}{{ token | literal }}, {% endfor %}NULL]) AS token
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE value IS NOT NULL AND TRIM(CAST(value AS VARCHAR)) NOT IN (SELECT token FROM tokens WHERE token IS NOT NULL)
),
{% endfor %}
coded AS MATERIALIZED (
    SELECT
        person
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    WHERE person IS NOT NULL
),
totals AS (
    SELECT COUNT(DISTINCT person) AS people, COUNT(*) AS records
    FROM coded
),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name
    FROM (SELECT [{% for column in columns %}{{ column | literal }}{% if not loop.last %}, {% endif %}{% endfor %}] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= {{ max_size | literal }}
),
classes AS (
    SELECT mask, MIN(person) AS person, COUNT(*) AS records
    FROM coded
    CROSS JOIN sets
    WHERE {{ missing_is_value | literal }} = 1 OR (TRUE{% for column in columns %} AND (((mask >> {{ loop.index0 }}) & 1) = 0 OR c{{ loop.index0 }} > 0){% endfor %})
    GROUP BY mask{% for column in columns %}, CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

    HAVING MIN(person) = MAX(person)
),
counted AS (
    SELECT sets.mask, COUNT(DISTINCT classes.person) AS people, CAST(COALESCE(SUM(classes.records), 0) AS BIGINT) AS records
    FROM sets
    LEFT JOIN classes ON classes.mask = sets.mask
    GROUP BY sets.mask
)
SELECT
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE ((counted.mask >> position) & 1) = 1) AS attributes,
    counted.people,
    CAST(counted.people AS DOUBLE) / NULLIF(totals.people, 0) AS share,
    counted.records,
    CAST(counted.records AS DOUBLE) / NULLIF(totals.records, 0) AS share_of_records
FROM counted
CROSS JOIN totals
ORDER BY BIT_COUNT(counted.mask), counted.people DESC, counted.records DESC, counted.mask
