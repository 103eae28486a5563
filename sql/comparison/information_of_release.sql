-- information_of_release
-- The information about some columns that is left in a release whose values are unchanged or *.
--
-- definition: U = 1 - KL / KL0. p is the share of a combination of values in the original; a record of the release
--   spreads its mass evenly over the combinations that it covers, "*" being every value of its column, which gives q;
--   KL = sum of p log2(p / q), with records that the release lacks counted as suppressed in every column, and KL0 is
--   KL where all are suppressed
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- missing: a missing value is a value like another
-- read: 1 where nothing is lost and 0 where all is; null where records of the original are covered by none of the
--   release: KL is infinite then, the release holds false values. Records need not correspond. duckrisk compare also
--   reads intervals, prefixes, dates, sets and labels
-- instead: release_distance
-- runs: finish
--
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter columns: columns, the columns of the combinations; both tables have them
-- column combinations: BIGINT, combinations, of the original
-- column kl: DOUBLE, bits, the distance of the release
-- column kl_of_nothing: DOUBLE, bits, the distance where everything is suppressed
-- column information: DOUBLE, share (at most 1), the information left
-- column uncovered: BIGINT, records, of the original that no record of the release covers
WITH records AS (
    SELECT 0 AS side,
        1 AS one{% for column in columns %},
        CAST(originals.{{ column | identifier }} AS VARCHAR) AS a{{ loop.index }}{% endfor %}
    FROM {{ original | relation }} AS originals
    UNION ALL
    SELECT 1 AS side,
        1 AS one{% for column in columns %},
        CAST(releases.{{ column | identifier }} AS VARCHAR) AS a{{ loop.index }}{% endfor %}
    FROM {{ release | relation }} AS releases
),
originals AS (
    SELECT one{% for column in columns %}, a{{ loop.index }}{% endfor %}, COUNT(*) AS records,
        ROW_NUMBER() OVER () AS combination
    FROM records
    WHERE side = 0
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

),
totals AS (
    SELECT
        CAST(SUM(1 - side) AS DOUBLE) AS records,
        CAST(SUM(side) AS DOUBLE) AS released
    FROM records
),
leaves AS (
    SELECT
{% for column in columns %}
        CAST(COUNT(DISTINCT a{{ loop.index }}) + MAX(CASE WHEN a{{ loop.index }} IS NULL THEN 1 ELSE 0 END) AS DOUBLE)
            AS n{{ loop.index }},
{% endfor %}
        1 AS one
    FROM originals
),
releases AS (
    SELECT
{% for column in columns %}
        a{{ loop.index }},
        COALESCE(a{{ loop.index }} = '*', FALSE) AS s{{ loop.index }},
{% endfor %}
        1 AS one,
        COUNT(*){% for column in columns %}
            / CASE WHEN a{{ loop.index }} = '*' THEN MIN(n{{ loop.index }}) ELSE 1 END{% endfor %} AS mass
    FROM records, leaves
    WHERE side = 1
    GROUP BY side{% for column in columns %}, a{{ loop.index }}{% endfor %}

),
patterns AS (
    SELECT DISTINCT one{% for column in columns %}, s{{ loop.index }}{% endfor %} FROM releases
),
probes AS (
    SELECT
        originals.combination{% for column in columns %},
        patterns.s{{ loop.index }},
        CASE WHEN patterns.s{{ loop.index }} THEN '*'
            ELSE originals.a{{ loop.index }} END AS a{{ loop.index }}{% endfor %}

    FROM originals, patterns
),
masses AS (
    SELECT probes.combination, SUM(releases.mass ORDER BY releases.mass) AS mass
    FROM probes
    JOIN releases
        ON releases.one
            = 1{% for column in columns %}
            AND (releases.a{{ loop.index }} IS NOT DISTINCT FROM probes.a{{ loop.index }})
            AND releases.s{{ loop.index }} = probes.s{{ loop.index }}{% endfor %}

    GROUP BY probes.combination
),
shares AS (
    SELECT
        originals.records,
        originals.records / totals.records AS p,
        (COALESCE(masses.mass, 0)
            + GREATEST(totals.records - totals.released,
            0){% for column in columns %} / leaves.n{{ loop.index }}{% endfor %})
            / GREATEST(totals.records, totals.released) AS whole,
        1.0{% for column in columns %} / leaves.n{{ loop.index }}{% endfor %} AS nothing
    FROM originals
    CROSS JOIN totals
    CROSS JOIN leaves
    LEFT JOIN masses ON masses.combination = originals.combination
),
summed AS (
    SELECT
        COUNT(*) AS combinations,
        CAST(COALESCE(SUM(CASE WHEN whole > 0 THEN 0 ELSE records END), 0) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS kl,
        CAST(SUM(CAST(p * LOG2(p / nothing) AS DECIMAL(38, 18))) AS DOUBLE) AS kl_of_nothing
    FROM shares
)
SELECT
    combinations,
    CASE WHEN uncovered = 0 THEN kl END AS kl,
    kl_of_nothing,
    CASE
        WHEN uncovered = 0 AND kl_of_nothing > 1e-12 THEN 1 - kl / kl_of_nothing
        WHEN uncovered = 0 AND kl < 1e-12 THEN 1.0
    END AS information,
    uncovered
FROM summed
