-- record_linkage
-- The share of records that an attacker with both tables links correctly by their numeric columns.
--
-- definition: a record of the original is linked to the nearest one of the release; the distance of two records is
--   the largest difference of their average ranks in a column; ties are shared equally. Releases with independently
--   shuffled columns give the rate of a blind link. Records are sampled by a hash
-- source: Domingo-Ferrer, Ricci and Soria-Comas, Disclosure risk assessment via record linkage by a maximum-knowledge
--   attacker, 2015
-- missing: a missing number, and a value that is no number, comes last; a record whose key is missing or not unique
--   has no counterpart
-- read: a rate far above the blind one, with a small p-value, means that the release does not hide identities
-- instead: linkage
-- runs: finish
--
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter key: column, the key of a record; both tables have it
-- parameter columns: columns, the numbers to link by; both tables have them
-- parameter most: integer, largest number of sampled records
-- parameter permutations: integer, how often columns are shuffled
-- parameter seed: integer, of the draw and of the shuffling
-- column records: BIGINT, records, drawn
-- column rate: DOUBLE, share (0 to 1), linked rightly
-- column blind_rate: DOUBLE, share (0 to 1), linked rightly in shuffled releases in the mean
-- column p_value: DOUBLE, share (0 to 1), of the releases, this one and the shuffled ones, that are linked as well as
--   this one
WITH records AS (
    SELECT 0 AS side,
        CAST(originals.{{ key | identifier }} AS VARCHAR)
        AS record{% for column in columns %},
        TRY_CAST(originals.{{ column | identifier }} AS DOUBLE) AS a{{ loop.index }}{% endfor %}
    FROM {{ original | relation }} AS originals
    UNION ALL
    SELECT 1 AS side,
        CAST(releases.{{ key | identifier }} AS VARCHAR)
        AS record{% for column in columns %},
        TRY_CAST(releases.{{ column | identifier }} AS DOUBLE) AS a{{ loop.index }}{% endfor %}
    FROM {{ release | relation }} AS releases
),
drawn AS (
    SELECT record, ROW_NUMBER() OVER (ORDER BY MD5({{ seed | literal }} || ' ' || record), record) AS number
    FROM (
        SELECT record
        FROM records
        WHERE record IS NOT NULL
        GROUP BY record
        HAVING COUNT(*) = 2 AND SUM(side) = 1
    ) AS matched
    ORDER BY MD5({{ seed | literal }} || ' ' || record), record
    LIMIT {{ most | literal }}
),
sizes AS (
    SELECT side, COUNT(*) AS size FROM records GROUP BY side
),
ranked AS (
    -- Twice the average rank, times the records of the other table: whole numbers that compare.
    SELECT
        records.side,
        records.record{% for column in columns %},
        (2 * RANK() OVER (PARTITION BY records.side ORDER BY a{{ loop.index }} NULLS LAST)
            + COUNT(*) OVER (PARTITION BY records.side, a{{ loop.index }}) - 1)
            * sizes.size AS r{{ loop.index }}{% endfor %}

    FROM records
    JOIN sizes ON sizes.side = 1 - records.side
),
originals AS (
    SELECT drawn.number{% for column in columns %}, r{{ loop.index }}{% endfor %}

    FROM ranked
    JOIN drawn ON drawn.record = ranked.record
    WHERE side = 0
),
releases AS (
    SELECT drawn.number{% for column in columns %}, r{{ loop.index }}{% endfor %}

    FROM ranked
    JOIN drawn ON drawn.record = ranked.record
    WHERE side = 1
),
shuffles AS (
    SELECT releases.*, shuffle{% for column in columns %},
        ROW_NUMBER() OVER (
            PARTITION BY shuffle
            ORDER BY MD5({{ seed | literal }} || ' {{ loop.index }} ' || shuffle || ' ' || number), number)
            AS p{{ loop.index }}{% endfor %}

    FROM releases, RANGE(1, CAST({{ permutations | literal }} AS BIGINT) + 1) AS shuffles(shuffle)
),
candidates AS (
    SELECT CAST(0 AS BIGINT) AS shuffle, number{% for column in columns %}, r{{ loop.index }}{% endfor %} FROM releases
    UNION ALL
    SELECT base.shuffle, base.number{% for column in columns %}, s{{ loop.index }}.r{{ loop.index }}{% endfor %}

    FROM shuffles AS base
{% for column in columns %}
    JOIN shuffles AS s{{ loop.index }} ON s{{ loop.index }}.shuffle = base.shuffle
        AND s{{ loop.index }}.p{{ loop.index }} = base.number
{% endfor %}
),
distances AS (
    SELECT
        candidates.shuffle,
        originals.number,
        candidates.number = originals.number AS own,
        GREATEST(0{% for column in columns %},
            ABS(originals.r{{ loop.index }} - candidates.r{{ loop.index }}){% endfor %}) AS distance
    FROM originals, candidates
),
nearest AS (
    SELECT shuffle, number, MIN(distance) AS least, MIN(CASE WHEN own THEN distance END) AS own
    FROM distances
    GROUP BY shuffle, number
),
ties AS (
    SELECT nearest.shuffle, nearest.number, COUNT(*) AS ties
    FROM nearest
    JOIN distances ON distances.shuffle = nearest.shuffle AND distances.number = nearest.number
        AND distances.distance = nearest.least
    WHERE nearest.own = nearest.least
    GROUP BY nearest.shuffle, nearest.number
),
-- include: linkage_rates
    CAST(SUM(CAST(CASE WHEN shuffle > 0 THEN rate END AS DECIMAL(38, 18))) AS DOUBLE)
        / NULLIF(COUNT(CASE WHEN shuffle > 0 THEN 1 END), 0) AS blind_rate,
    COUNT(CASE WHEN rate >= (SELECT rate FROM rates WHERE shuffle = 0) THEN 1 END)
        / CAST(NULLIF(COUNT(*), 0) AS DOUBLE) AS p_value
FROM rates
