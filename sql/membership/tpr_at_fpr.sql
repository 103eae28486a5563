-- tpr_at_fpr
-- How many members an attack finds that takes at most a share of the others for members.
--
-- definition: the largest TPR over the thresholds with FPR <= fpr
-- source: Carlini et al., Membership inference attacks from first principles, 2022
-- missing: no threshold where even the highest score takes too many; no TPR without members or others
-- read: usable says whether others are so many that a FPR above 0 can be as small
-- portable: yes
--
-- parameter curve: relation, the ROC curve
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
)
SELECT
    CAST({{ fpr | literal }} AS DOUBLE) AS fpr,
    allowed.threshold,
    COALESCE(allowed.true_positives, 0) AS true_positives,
    COALESCE(allowed.false_positives, 0) AS false_positives,
    totals.members,
    totals.others,
    totals.others * CAST({{ fpr | literal }} AS DOUBLE) >= 1 AS usable,
    allowed.tpr
FROM totals
LEFT JOIN allowed ON allowed.best = 1
