-- linking
-- Attacks that link users to the pseudonyms of a release, by known records of the original.
--
-- source: the sample programs S1 to S6 of PWS Cup 2017; DARC, attack S7; votes are our own
-- runs: finish
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter released: relation, the released records
-- parameter keys: columns, of the key
-- parameter prefix: integer or none, number of compared first characters of an item
-- parameter known_records: relation, the records that the attacker knows

-- name: record_owners
-- The users behind the released records of each pseudonym, and the number of these records.
--
-- definition: by the original, if record numbers correspond; else by the true pseudonyms, where the smallest of
--   several users of a pseudonym in a period counts for its records
--
-- takes: released
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym", "records"
-- parameter truth: relation, the true pseudonym of each user in each period
-- parameter original: relation or none, the original
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH truth AS (
    SELECT user_id, period, MIN(pseudonym) AS pseudonym
    FROM {{ truth | relation }} AS cells
    WHERE pseudonym IS NOT NULL
    GROUP BY user_id, period
),
owned AS (
{% if original is none %}
    SELECT owners.user_id, released.period, released.pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    JOIN (
        SELECT period, pseudonym, MIN(user_id) AS user_id
        FROM truth
        GROUP BY period, pseudonym
    ) AS owners ON owners.period = released.period AND owners.pseudonym = released.pseudonym
    GROUP BY owners.user_id, released.period, released.pseudonym
{% else %}
    SELECT original.user_id, original.period, released.pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    JOIN {{ original | relation }} AS original ON original.record = released.record
    WHERE released.pseudonym IS NOT NULL
    GROUP BY original.user_id, original.period, released.pseudonym
{% endif %}
)
SELECT truth.user_id, truth.period, truth.pseudonym, COALESCE(owned.records, 0) AS records
FROM truth
LEFT JOIN owned
    ON owned.user_id = truth.user_id AND owned.period = truth.period AND owned.pseudonym = truth.pseudonym

-- name: key_pseudonyms
-- The pseudonym of the last released record with each key.
--
-- definition: the map from keys to pseudonyms after a scan of the release from top to bottom; a later record
--   overwrites an earlier one
-- missing: a record that misses a part of the key has none
--
-- takes: released, keys, prefix
-- parameter table: column, the table that is made: the key and "pseudonym"
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT
        record
        , pseudonym
        , period
        , day
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}) AS item{% endif %}

        , price
        , quantity
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL
)
SELECT {% for key in keys %}{{ key | identifier }}, {% endfor %}ARG_MAX(pseudonym, record) AS pseudonym
FROM released
WHERE {{ keys | each("{x.identifier} IS NOT NULL", between=" AND ") }}

GROUP BY {{ keys | identifiers }}

-- name: last_matches
-- Guesses each user's pseudonym in each period by the last known record whose key was released.
--
-- definition: each known record whose key is in the map fills the guess of its user and period with the key's
--   pseudonym; a later record overwrites an earlier one
-- source: the sample programs S1 to S6 of PWS Cup 2017
-- missing: a known record that misses a part of the key matches nothing
--
-- takes: table, known_records, keys, prefix
-- parameter map: column, the keys and their pseudonyms
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH known AS (
    SELECT
        record
        , user_id
        , period
        , day
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}) AS item{% endif %}

        , price
        , quantity
    FROM {{ known_records | relation }} AS records
    WHERE user_id IS NOT NULL
)
SELECT known.user_id, known.period, ARG_MAX(map.pseudonym, known.record) AS pseudonym
FROM known
JOIN {{ map | identifier }} AS map
    ON {{ keys | each("map.{x.identifier} = known.{x.identifier}", between=" AND ") }}

GROUP BY known.user_id, known.period

-- name: all_guesses
-- Creates the view of several guesses, each with its number from 0.
-- parameter name: column, the view
-- parameter guesses: columns, their tables
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
{% for guess in guesses %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT {{ loop.index0 }} AS attempt, user_id, period, pseudonym
FROM {{ guess | identifier }}
{% endfor %}

-- name: vote_matches
-- Guesses each user's pseudonym in each period by the largest number of matching known records.
--
-- definition: each known record gives a vote to each pseudonym of its own period that has a record with its key; the
--   pseudonym with most votes is guessed, the smaller one of equals
-- source: our own
-- missing: a record that misses a part of the key matches nothing
--
-- takes: table, released, known_records, prefix
-- parameter keys: columns, of the key, without the period
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT DISTINCT
        period
        , pseudonym
{% for key in keys %}
        , {% if key == 'item' and prefix is not none %}LEFT(item,
            {{ prefix }}){% else %}{{ key | identifier }}{% endif %} AS key{{ loop.index0 }}
{% endfor %}
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL
),
known AS (
    SELECT
        user_id
        , period
{% for key in keys %}
        , {% if key == 'item' and prefix is not none %}LEFT(item,
            {{ prefix }}){% else %}{{ key | identifier }}{% endif %} AS key{{ loop.index0 }}
{% endfor %}
        , COUNT(*) AS records
    FROM {{ known_records | relation }} AS records
    WHERE user_id IS NOT NULL
    GROUP BY user_id, period{% for key in keys %}, key{{ loop.index0 }}{% endfor %}

),
votes AS (
    SELECT known.user_id, known.period, released.pseudonym, SUM(known.records) AS votes
    FROM known
    JOIN released
        ON released.period = known.period
        AND {{ keys | each("released.key{i} = known.key{i}", between=" AND ") }}

    GROUP BY known.user_id, known.period, released.pseudonym
),
ranked AS (
    SELECT
        user_id
        , period
        , pseudonym
        , ROW_NUMBER() OVER (PARTITION BY user_id, period ORDER BY votes DESC, pseudonym) AS place
    FROM votes
)
SELECT user_id, period, pseudonym
FROM ranked
WHERE place = 1

-- name: overlap_matches
-- Guesses each user's pseudonym in each period by the likelihood of its items.
--
-- definition: the table of fewer records is taken for a part of the other, drawn by chance, a share s of it; with a
--   and b records of an item in the part and in the whole and m the smaller of a and b, an item that both have says
--   ln(C(b, m) s^m (1 - s)^(b - m) / f^m), where f is how often released records of the period have it, so that a
--   rare one counts for more; an item of the whole alone b ln(1 - s), and each record of the part that the whole
--   lacks ln(1 / 100). The highest sum to six digits is guessed, the smaller pseudonym of equals; without a common
--   item there is no guess. s is 0.98 at most
-- source: attack S7 of DARC, the successor of PWS Cup 2017, which counts common items; likelihoods of our own
-- missing: a record without an item carries no evidence
--
-- takes: table, released, known_records, prefix
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT
        period
        , pseudonym
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS kind
        , COUNT(*) AS records
    FROM {{ released | relation }} AS history
    WHERE pseudonym IS NOT NULL AND item IS NOT NULL
    GROUP BY period, pseudonym, kind
),
known AS (
    SELECT
        user_id
        , period
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS kind
        , COUNT(*) AS records
    FROM {{ known_records | relation }} AS history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, period, kind
),
pseudonyms AS (
    SELECT period, pseudonym, SUM(records) AS records
    FROM released
    GROUP BY period, pseudonym
),
users AS (
    SELECT user_id, period, SUM(records) AS records
    FROM known
    GROUP BY user_id, period
),
sizes AS (
    SELECT
        (SELECT SUM(records) FROM known) <= (SELECT SUM(records) FROM released) AS known_is_part
        , LEAST(
            0.98
            , CAST(LEAST((SELECT SUM(records) FROM known), (SELECT SUM(records) FROM released)) AS DOUBLE)
            / GREATEST((SELECT SUM(records) FROM known), (SELECT SUM(records) FROM released))) AS share
),
periods AS (
    SELECT period, SUM(records) AS records
    FROM pseudonyms
    GROUP BY period
),
frequencies AS (
    SELECT released.period, released.kind, CAST(SUM(released.records) AS DOUBLE) / MIN(periods.records) AS frequency
    FROM released
    JOIN periods ON periods.period = released.period
    GROUP BY released.period, released.kind
),
common AS (
    SELECT
        known.user_id
        , known.period
        , released.pseudonym
        , known.kind
        , LEAST(known.records, released.records) AS agreed
        , CASE WHEN sizes.known_is_part THEN released.records ELSE known.records END AS whole
    FROM known
    JOIN released ON released.period = known.period AND released.kind = known.kind
    CROSS JOIN sizes
),
said AS (
    SELECT
        common.user_id
        , common.period
        , common.pseudonym
        , SUM(common.agreed) AS agreed
        , SUM(CAST(
            LGAMMA(common.whole + 1) - LGAMMA(common.agreed + 1)
            - LGAMMA(common.whole - common.agreed + 1)
            - common.agreed * LN(frequencies.frequency) AS DECIMAL(18, 9))) AS score
    FROM common
    JOIN frequencies ON frequencies.period = common.period AND frequencies.kind = common.kind
    GROUP BY common.user_id, common.period, common.pseudonym
),
scores AS (
    SELECT
        said.user_id
        , said.period
        , said.pseudonym
        , CAST(
            CAST(said.score AS DOUBLE)
            + said.agreed * LN(sizes.share)
            + (CASE WHEN sizes.known_is_part THEN pseudonyms.records ELSE users.records END - said.agreed)
                * LN(1 - sizes.share)
            - (CASE WHEN sizes.known_is_part THEN users.records ELSE pseudonyms.records END - said.agreed) * LN(100)
            AS DECIMAL(18, 6)) AS score
    FROM said
    JOIN users ON users.user_id = said.user_id AND users.period = said.period
    JOIN pseudonyms ON pseudonyms.period = said.period AND pseudonyms.pseudonym = said.pseudonym
    CROSS JOIN sizes
),
ranked AS (
    SELECT
        user_id
        , period
        , pseudonym
        , ROW_NUMBER() OVER (PARTITION BY user_id, period ORDER BY score DESC, pseudonym) AS place
    FROM scores
)
SELECT user_id, period, pseudonym
FROM ranked
WHERE place = 1
