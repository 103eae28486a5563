-- total_variation
-- The total variation distance between the original and a release over the combinations of some columns.
--
-- definition: half the sum of |p - q| over the combinations, p being the share of one in the original and q in the
--   release; values are compared as text, so this is about releases whose cells are values
-- source: Levin, Peres and Wilmer, Markov Chains and Mixing Times, 2009, section 4.1
-- missing: a missing value is a value like another
-- read: 0 where the cross table of the columns is the same, 1 where no combination is in both; records need not
--   correspond
-- instead: release_distance
-- runs: finish
--
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter columns: columns, the columns of the combinations; both tables have them
-- column combinations: BIGINT, combinations, that one of the tables has
-- column total_variation: DOUBLE, share (0 to 1), half the sum of the differences
-- column largest_difference: DOUBLE, share (0 to 1), of the combination that changed most
WITH records AS (
    SELECT 0 AS side,
        1 AS one{% for column in columns %},
        CAST(originals.{{ column | identifier }} AS TEXT) AS a{{ loop.index }}{% endfor %}
    FROM {{ original | relation }} AS originals
    UNION ALL
    SELECT 1 AS side,
        1 AS one{% for column in columns %},
        CAST(releases.{{ column | identifier }} AS TEXT) AS a{{ loop.index }}{% endfor %}
    FROM {{ release | relation }} AS releases
),
combinations AS (
    SELECT SUM(1 - side) AS before, SUM(side) AS after
    FROM records
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

),
totals AS (
    SELECT CAST(SUM(before) AS DOUBLE) AS before, CAST(SUM(after) AS DOUBLE) AS after
    FROM combinations
),
differences AS (
    SELECT ABS(combinations.before / NULLIF(totals.before, 0) - combinations.after / NULLIF(totals.after, 0))
        AS difference
    FROM combinations, totals
)
SELECT
    COUNT(*) AS combinations,
    CAST(SUM(CAST(difference AS DECIMAL(38, 18))) AS DOUBLE) / 2 AS total_variation,
    MAX(difference) AS largest_difference
FROM differences
