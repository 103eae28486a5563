-- roc_curve
-- What an attack finds that takes all records of at least a score for members, at every score.
--
-- definition: TPR = members taken / members, FPR = others taken / others; the first row, without a threshold, takes nobody
-- missing: a record without a score, or whose score is no number, is scored below all others and taken last; its
--   threshold is missing too
-- read: in the order of thresholds, the highest first
-- portable: no
--
-- parameter name: column, the table
-- parameter scores: relation, one row a record
-- parameter score: column, the higher, the surer a member
-- parameter member: column, whether the record is a member
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH scored AS (
    SELECT
        CASE WHEN NOT isnan(CAST({{ score | identifier }} AS DOUBLE)) THEN CAST({{ score | identifier }} AS DOUBLE) END AS threshold,
        CASE WHEN {{ member | identifier }} THEN 1 ELSE 0 END AS member
    FROM {{ scores | relation }} AS scores
),
counted AS (
    SELECT threshold, SUM(member) AS members, COUNT(*) - SUM(member) AS others
    FROM scored
    GROUP BY threshold
),
added AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY threshold DESC NULLS LAST) AS place,
        threshold,
        SUM(members) OVER (ORDER BY threshold DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS true_positives,
        SUM(others) OVER (ORDER BY threshold DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS false_positives
    FROM counted
    UNION ALL
    SELECT 0 AS place, CAST(NULL AS DOUBLE) AS threshold, 0 AS true_positives, 0 AS false_positives
),
totals AS (
    SELECT SUM(members) AS members, SUM(others) AS others
    FROM counted
)
SELECT
    added.place,
    added.threshold,
    CAST(added.true_positives AS BIGINT) AS true_positives,
    CAST(added.false_positives AS BIGINT) AS false_positives,
    CAST(added.true_positives AS DOUBLE) / NULLIF(totals.members, 0) AS tpr,
    CAST(added.false_positives AS DOUBLE) / NULLIF(totals.others, 0) AS fpr
FROM added
CROSS JOIN totals
ORDER BY place
