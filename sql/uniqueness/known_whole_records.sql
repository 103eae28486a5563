-- known_whole_records
-- People recognised with certainty by an attacker who knows a few whole records of each.
--
-- definition: of each person min(known, own) records are drawn without replacement, in an order that a hash of the
--   person, the record and the seed gives. The person is unique if no other person has these records, each as often.
--   At most "people" people are drawn by a hash and the seed; of these, as many are examined as "candidates" other
--   people allow, thirty at the least. Where all people are examined, the share is exact and the interval is the
--   share itself. With "among" each person is compared with all others, but only these people are counted as unique.
-- source: de Montjoye, Hidalgo, Verleysen and Blondel, Unique in the crowd, 2013; interval: Wilson 1927
-- missing: a record without a person is left out. A missing value is a value of its own.
-- read: 0.2 with three records means that three observed purchases identify one person in two of ten cases.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the quasi-identifiers
-- parameter known: integer, records that the attacker knows of a person, at least 1
-- parameter people: integer, people drawn at most
-- parameter candidates: integer, other people looked at, all in all
-- parameter seed: integer, chooses people and records
-- parameter among: relation or none, the people to count, by the number of their "person"; none counts all
--
-- column people: BIGINT, people, those with a record
-- column examined: BIGINT, people, those drawn and examined
-- column unique_people: BIGINT, people, those of the examined whose drawn records nobody else has
-- column share: DOUBLE, share of people, unique_people of examined; null without people
-- column share_lower: DOUBLE, share of people, lower end of the 95 % interval; null without people
-- column share_upper: DOUBLE, share of people, upper end of the 95 % interval; null without people
-- include: record_numbers
owned AS MATERIALIZED (
    SELECT person, record, COUNT(*) AS copies
    FROM records
    GROUP BY person, record
),
population AS (
    SELECT COUNT(DISTINCT person) AS people FROM owned
),
-- The last argument of a hash only flips bits, so that few orders are possible; the hash of the hash gives all.
drawn_people AS MATERIALIZED (
    SELECT person, ROW_NUMBER() OVER (ORDER BY HASH(HASH(person, {{ seed | literal }})), person) AS turn
    FROM (SELECT DISTINCT person FROM owned) AS everybody
    QUALIFY turn <= {{ people | literal }}
),
-- A record that occurs several times can be drawn several times.
drawn_records AS (
    SELECT person, record,
        ROW_NUMBER() OVER (PARTITION BY person ORDER BY HASH(HASH(person, record, copy, {{ seed | literal }})), record,
        copy) AS place
    FROM (
        SELECT owned.person, owned.record, UNNEST(RANGE(owned.copies)) AS copy
        FROM owned
        SEMI JOIN drawn_people ON drawn_people.person = owned.person
    ) AS own
    QUALIFY place <= {{ known | literal }}
),
needed AS MATERIALIZED (
    SELECT person, record, COUNT(*) AS copies
    FROM drawn_records
    GROUP BY person, record
),
holders AS (
    SELECT owned.record, COUNT(*) AS holders
    FROM owned
    SEMI JOIN needed ON needed.record = owned.record
    GROUP BY owned.record
),
-- The records of a drawn person, the rarest first: a person without it is no candidate.
ranked AS MATERIALIZED (
    SELECT
        needed.person,
        needed.record,
        needed.copies,
        holders.holders,
        ROW_NUMBER() OVER (PARTITION BY needed.person ORDER BY holders.holders, needed.record) AS place
    FROM needed
    JOIN holders ON holders.record = needed.record
),
examined AS MATERIALIZED (
    SELECT person
    FROM (
        SELECT
            ranked.person,
            drawn_people.turn,
            SUM(ranked.holders) OVER (ORDER BY drawn_people.turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
                AS work
        FROM ranked
        JOIN drawn_people ON drawn_people.person = ranked.person
        WHERE ranked.place = 1
    ) AS in_turn
    WHERE work <= {{ candidates | literal }} OR turn <= 30
),
fitting_1 AS (
    SELECT ranked.person, owned.person AS candidate
    FROM ranked
    SEMI JOIN examined ON examined.person = ranked.person
    JOIN owned ON owned.record = ranked.record AND owned.copies >= ranked.copies AND owned.person <> ranked.person
    WHERE ranked.place = 1
),
{% for place in range(2, known + 1) %}
fitting_{{ place }} AS (
    SELECT fitting.person, fitting.candidate
    FROM fitting_{{ place - 1 }} AS fitting
    LEFT JOIN ranked ON ranked.person = fitting.person AND ranked.place = {{ place }}
    LEFT JOIN owned ON owned.person = fitting.candidate AND owned.record = ranked.record
        AND owned.copies >= ranked.copies
    WHERE ranked.person IS NULL OR owned.person IS NOT NULL
),
{% endfor %}
counted AS (
    SELECT
        population.people,
        COUNT(examined.person) AS examined,
        COUNT(CASE WHEN others.person IS NULL THEN {% if among %}among{% else %}examined{% endif %}.person END)
            AS unique_people
    FROM population
    LEFT JOIN examined ON TRUE
    LEFT JOIN (SELECT DISTINCT person FROM fitting_{{ known }}) AS others ON others.person = examined.person
{% if among %}
    LEFT JOIN (SELECT {{ "person" | number }} AS person FROM {{ among | relation }}) AS among
        ON among.person = examined.person
{% endif %}
    GROUP BY population.people
),
interval_of AS (
    SELECT
        *,
        CAST(unique_people AS DOUBLE) / NULLIF(examined, 0) AS share,
        (unique_people + 1.96 * 1.96 / 2) / (examined + 1.96 * 1.96) AS centre,
        1.96 * SQRT(CAST(unique_people AS DOUBLE) * (examined - unique_people) / examined + 1.96 * 1.96 / 4)
            / (examined + 1.96 * 1.96) AS half_width
    FROM counted
)
SELECT
    people,
    examined,
    unique_people,
    share,
    CASE WHEN examined = people THEN share ELSE GREATEST(0, centre - half_width) END AS share_lower,
    CASE WHEN examined = people THEN share ELSE LEAST(1, centre + half_width) END AS share_upper
FROM interval_of
