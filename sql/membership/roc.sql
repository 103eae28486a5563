-- roc
-- The discrimination of members by scores: the ROC curve and figures derived from it.
--
-- source: Fawcett, An introduction to ROC analysis, 2006; Carlini et al., 2022
-- runs: finish
--
-- parameter name: column, the table
-- parameter score: column, the higher, the surer a member
-- parameter curve: relation, the ROC curve

-- name: scored_records
-- The score of each record under an attack, by record number.
--
-- missing: a value that is no integer is kept without a record, one that is no number without a score
--
-- takes: name, score
-- parameter source: relation, the output of the attack
-- parameter record: column, the number of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH cells AS (
    SELECT TRY_CAST({{ record | identifier }} AS DOUBLE) AS number,
        TRY_CAST({{ score | identifier }} AS DOUBLE) AS score
    FROM {{ source | relation }} AS given
)
SELECT CASE WHEN number = FLOOR(number) AND ABS(number) < 1e15 THEN CAST(number AS BIGINT) END AS record, score
FROM cells

-- name: member_scores
-- The score of each record of a population, and whether it is a member.
--
-- missing: a record that has no score is kept without
--
-- takes: name
-- parameter groups: relation, the population and its members
-- parameter scores: relation, by the numbers of records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT groups.record, scores.score, groups.members > 0 AS member
FROM {{ groups | relation }} AS groups
LEFT JOIN {{ scores | relation }} AS scores ON scores.record = groups.record
WHERE groups.copies > 0

-- name: ranked_scores
-- Creates the table of scores and ranks of an attack: largest score first, ties by the first candidate.
--
-- definition: scores are equal where they agree in ten digits, or differ by no more than the rounding of the largest
--   score: the same sum in another order differs in its last bit. They get one score, the largest of them
-- read: the only order of an attack: guesses are its first ranks, and the ROC curve is that of these scores
--
-- takes: name
-- parameter scores: relation, record and score of every candidate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH known AS (
    SELECT record, CAST(score AS DOUBLE) AS score
    FROM {{ scores | relation }} AS scores
),
largest AS (
    SELECT MAX(CASE WHEN ISFINITE(score) THEN ABS(score) END) AS score
    FROM known
),
rounded AS (
    SELECT
        known.record
        , known.score
        , CASE
            WHEN ISFINITE(known.score) AND largest.score > 0
                THEN ROUND(known.score,
                    10 - CAST(CEIL(LOG10(GREATEST(ABS(known.score), largest.score / 100))) AS INTEGER))
            ELSE known.score
        END AS alike
    FROM known
    CROSS JOIN largest
)
SELECT
    record
    , MAX(score) OVER (PARTITION BY alike) AS score
    , ROW_NUMBER() OVER (ORDER BY alike DESC, record) AS place
FROM rounded

-- name: roc_curve
-- The results of an attack at each threshold of its score.
--
-- definition: TPR = members taken / members, FPR = others taken / others; the first row, without a threshold, takes
--   nobody
-- missing: a record without a score, or whose score is no number, is scored below all others and taken last; its
--   threshold is missing too
-- read: in the order of thresholds, the highest first
--
-- takes: name, score
-- parameter scores: relation, one row a record
-- parameter member: column, whether the record is a member
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH scored AS (
    SELECT
        CASE WHEN NOT isnan(CAST({{ score | identifier }} AS DOUBLE))
            THEN CAST({{ score | identifier }} AS DOUBLE) END AS threshold,
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
        SUM(members) OVER (ORDER BY threshold DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            AS true_positives,
        SUM(others) OVER (ORDER BY threshold DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            AS false_positives
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

-- name: roc_summary
-- AUC and balanced accuracy of scores.
--
-- definition: AUC = the share of pairs of a member and another whose member has the higher score, equal scores count
--   half; balanced accuracy = (TPR + 1 - FPR) / 2 at the threshold where it is best, and 0.5 at least: found on the
--   same records
-- source: Fawcett, An introduction to ROC analysis, 2006
-- missing: no value (NULL) where all records are members, or none is
--
-- takes: curve
WITH steps AS (
    SELECT
        true_positives,
        false_positives,
        tpr,
        fpr,
        CAST(true_positives AS HUGEINT) + COALESCE(LAG(true_positives) OVER (ORDER BY place), 0) AS both_heights,
        false_positives - COALESCE(LAG(false_positives) OVER (ORDER BY place), 0) AS width
    FROM {{ curve | relation }} AS curve
),
totals AS (
    SELECT
        MAX(true_positives) AS members,
        MAX(false_positives) AS others,
        SUM(both_heights * width) AS twice_area,
        MAX((tpr + 1 - fpr) / 2) AS balanced_accuracy
    FROM steps
)
SELECT
    members,
    others,
    CAST(twice_area AS DOUBLE) / NULLIF(2 * CAST(members AS DOUBLE) * CAST(others AS DOUBLE), 0) AS auc,
    balanced_accuracy
FROM totals

-- name: tpr_at_fpr
-- The number of members found at a limit on the share of false alarms.
--
-- definition: the largest TPR over the thresholds with FPR <= fpr. interpolated is the TPR at fpr on the straight line
--   between the last point of the curve with FPR <= fpr and the next, as drawing among equal scores would find
-- source: Carlini et al., Membership inference attacks from first principles, 2022; interpolated as in PWS Cup 2026
-- missing: no threshold where even the highest score takes too many; no TPR without members or others
-- read: usable says whether there are enough others for a positive FPR of this size
--
-- takes: curve
-- parameter fpr: number, such as 0.01
WITH allowed AS (
    SELECT
        place,
        threshold,
        true_positives,
        false_positives,
        tpr,
        ROW_NUMBER() OVER (ORDER BY true_positives DESC, false_positives, place) AS best
    FROM {{ curve | relation }} AS curve
    WHERE fpr <= CAST({{ fpr | literal }} AS DOUBLE)
),
totals AS (
    SELECT MAX(true_positives) AS members, MAX(false_positives) AS others
    FROM {{ curve | relation }} AS curve
),
steps AS (
    SELECT
        tpr,
        fpr,
        LEAD(tpr) OVER (ORDER BY place) AS next_tpr,
        LEAD(fpr) OVER (ORDER BY place) AS next_fpr
    FROM {{ curve | relation }} AS curve
),
crossing AS (
    SELECT
        MAX(tpr + COALESCE(
            (CAST({{ fpr | literal }} AS DOUBLE) - fpr) * (next_tpr - tpr) / (next_fpr - fpr), 0
        )) AS interpolated
    FROM steps
    WHERE fpr <= CAST({{ fpr | literal }} AS DOUBLE)
        AND (next_fpr IS NULL OR next_fpr > CAST({{ fpr | literal }} AS DOUBLE))
)
SELECT
    CAST({{ fpr | literal }} AS DOUBLE) AS fpr,
    allowed.threshold,
    COALESCE(allowed.true_positives, 0) AS true_positives,
    COALESCE(allowed.false_positives, 0) AS false_positives,
    totals.members,
    totals.others,
    totals.others * CAST({{ fpr | literal }} AS DOUBLE) >= 1 AS usable,
    allowed.tpr,
    crossing.interpolated
FROM totals
CROSS JOIN crossing
LEFT JOIN allowed ON allowed.best = 1

-- name: epsilon_rates
-- The rates of a decision that one half of the records chose, measured on the other half.
--
-- definition: the halves are those of the last bit of MD5(record). Of the first half the threshold is taken, and of the
--   two forms of epsilon_bound the one, where the bound is largest with Wilson's intervals. Chosen and measured on the
--   same records a bound would be too large
-- source: Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020; the halves are
--   our own
-- missing: no row where a half has no member or no other; a record without a score is taken by no threshold
--
-- parameter scores: relation, record, score and member
-- parameter z: number, the quantile of the normal distribution, 1.96 for 95 percent
WITH scored AS (
    SELECT
        CAST(MD5_NUMBER_LOWER(CAST(record AS VARCHAR)) % 2 AS INTEGER) AS half,
        CASE WHEN NOT isnan(CAST(score AS DOUBLE)) THEN CAST(score AS DOUBLE) END AS score,
        CASE WHEN member THEN 1 ELSE 0 END AS member
    FROM {{ scores | relation }} AS scores
),
totals AS (
    SELECT half, CAST(SUM(member) AS DOUBLE) AS members, CAST(SUM(1 - member) AS DOUBLE) AS others
    FROM scored
    GROUP BY half
    HAVING SUM(member) > 0 AND SUM(1 - member) > 0
),
counted AS (
    SELECT score, SUM(member) AS members, SUM(1 - member) AS others
    FROM scored
    WHERE half = 0 AND score IS NOT NULL
    GROUP BY score
),
rates AS (
    SELECT
        counted.score,
        totals.members,
        totals.others,
        SUM(counted.members) OVER (ORDER BY counted.score DESC) / totals.members AS tpr,
        SUM(counted.others) OVER (ORDER BY counted.score DESC) / totals.others AS fpr
    FROM counted
    JOIN totals ON totals.half = 0
),
squares AS (
    SELECT rates.*, CAST({{ z | literal }} AS DOUBLE) * CAST({{ z | literal }} AS DOUBLE) AS square
    FROM rates
),
ends AS (
    SELECT
        score,
        GREATEST(0, (tpr + square / (2 * members)
            - SQRT(square * (tpr * (1 - tpr) / members + square / (4 * members * members)))) / (1 + square / members))
            AS tpr_lower,
        LEAST(1, (fpr + square / (2 * others)
            + SQRT(square * (fpr * (1 - fpr) / others + square / (4 * others * others)))) / (1 + square / others))
            AS fpr_upper
    FROM squares
),
bounds AS (
    SELECT score, TRUE AS by_members, tpr_lower / fpr_upper AS ratio FROM ends
    UNION ALL
    SELECT score, FALSE AS by_members, (1 - fpr_upper) / NULLIF(1 - tpr_lower, 0) AS ratio FROM ends
),
chosen AS (
    SELECT score, by_members
    FROM bounds
    ORDER BY ROUND(ratio, 9) DESC NULLS LAST, by_members DESC, score DESC
    LIMIT 1
)
SELECT
    chosen.by_members,
    CAST(totals.members AS BIGINT) AS members,
    CAST(totals.others AS BIGINT) AS others,
    CAST(SUM(CASE WHEN scored.score >= chosen.score THEN scored.member ELSE 0 END) AS BIGINT) AS true_positives,
    CAST(SUM(CASE WHEN scored.score >= chosen.score THEN 1 - scored.member ELSE 0 END) AS BIGINT) AS false_positives
FROM chosen
JOIN totals ON totals.half = 1
JOIN scored ON scored.half = 1
GROUP BY chosen.by_members, totals.members, totals.others

-- name: epsilon_bound
-- A lower bound of the epsilon of differential privacy, from the ends of the intervals of both rates.
--
-- definition: every (epsilon, delta)-private release has TPR <= e^epsilon FPR + delta, and 1 - FPR <= e^epsilon
--   (1 - TPR) + delta. So epsilon >= ln((TPR_lower - delta) / FPR_upper), and >= ln((1 - FPR_upper - delta) / (1 -
--   TPR_lower)), with exact intervals
-- source: Kairouz, Oh and Viswanath, The composition theorem for differential privacy, 2015; Nasr et al., Adversary
--   instantiation, 2021
-- missing: 0 where the rates bound nothing
-- read: it holds at the confidence if whether a record is a member, and what is done to it, depend on no other record,
--   as with random responses; else it says of this attack what it would say of those
--
-- parameter tpr_lower: number, the lower end of the interval of the TPR
-- parameter fpr_upper: number, the upper end of the interval of the FPR
-- parameter delta: number, 0 for pure differential privacy
-- parameter by_members: flag, the first of both forms; else the second
SELECT
    COALESCE(LN(GREATEST(1,
{% if by_members %}
        ({{ tpr_lower | literal }} - {{ delta | literal }}) / NULLIF(CAST({{ fpr_upper | literal }} AS DOUBLE), 0)
{% else %}
        (1 - {{ fpr_upper | literal }} - {{ delta | literal }})
            / NULLIF(1 - CAST({{ tpr_lower | literal }} AS DOUBLE), 0)
{% endif %}
    )), 0) AS epsilon

-- name: roc_points
-- Points of a ROC curve for a chart: the largest gain in each small step of false alarms.
--
-- definition: steps of a twentieth of a power of ten, and of a fiftieth of the others, whichever ends first; and
--   nobody taken
-- source: Carlini et al., Membership inference attacks from first principles, 2022, draw both rates on logarithmic
--   scales
-- missing: no points where all records are members, or none is; a threshold that no number can show is missing
-- read: in the order of thresholds, the highest first
--
-- takes: curve
WITH steps AS (
    SELECT
        place,
        CASE WHEN isfinite(threshold) THEN threshold END AS threshold,
        true_positives,
        false_positives,
        tpr,
        fpr,
        CASE WHEN false_positives > 0 THEN CEIL(20 * LOG10(fpr)) END AS small,
        CASE WHEN false_positives > 0 THEN CEIL(50 * fpr) END AS wide
    FROM {{ curve | relation }} AS curve
    WHERE tpr IS NOT NULL AND fpr IS NOT NULL
),
ranked AS (
    SELECT
        steps.*,
        ROW_NUMBER() OVER (PARTITION BY small, wide ORDER BY place DESC) AS nth
    FROM steps
)
SELECT threshold, true_positives, false_positives, tpr, fpr
FROM ranked
WHERE nth = 1 OR place = 0
ORDER BY place
