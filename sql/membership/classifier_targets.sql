-- classifier_targets
-- Makes the table of what the classifiers learn from: each target, and records that were not in the release beside it.
--
-- definition: targets are the first members, and the first of the others, in the order of MD5(seed:record). The records beside a
--   target are others that follow the targets in that order, from one target to the next, again from the first when all were
--   taken.
-- source: the small experiment of the report on PWS Cup 2020
-- portable: no
--
-- parameter name: column, the table
-- parameter population: relation, the candidates
-- parameter members: relation, the members' places in the population
-- parameter targets: integer, so many members and so many others
-- parameter beside: integer, so many records beside each
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH placed AS (
    SELECT
        population.record
        , members.record IS NOT NULL AS member
        , ROW_NUMBER() OVER (
            PARTITION BY members.record IS NOT NULL
            ORDER BY MD5(CONCAT({{ seed | literal }}, ':', population.record)), population.record
        ) - 1 AS place
        , COUNT(*) OVER (PARTITION BY members.record IS NOT NULL) AS records
    FROM {{ population | relation }} AS population
    LEFT JOIN {{ members | relation }} AS members ON members.record = population.record
),
targets AS (
    SELECT record, member, ROW_NUMBER() OVER (ORDER BY member DESC, place) - 1 AS target
    FROM placed
    WHERE place < {{ targets | literal }}
),
slots AS (
    SELECT target, UNNEST(RANGE({{ beside | literal }})) AS slot
    FROM targets
)
SELECT target, record, member, CAST(-1 AS BIGINT) AS slot
FROM targets
UNION ALL
SELECT slots.target, placed.record, FALSE AS member, slots.slot
FROM slots
JOIN placed
    ON NOT placed.member
    AND placed.place = {{ targets | literal }} + MOD(slots.target * {{ beside | literal }} + slots.slot, placed.records - {{ targets | literal }})
