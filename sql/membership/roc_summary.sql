-- roc_summary
-- How well scores tell members from others: AUC and balanced accuracy.
--
-- definition: AUC = the share of pairs of a member and another whose member has the higher score, equal scores count half;
--   balanced accuracy = (TPR + 1 - FPR) / 2 at the threshold where it is best, and 0.5 at least: found on the same records
-- source: Fawcett, An introduction to ROC analysis, 2006
-- missing: no value (NULL) where all records are members, or none is
-- portable: yes
--
-- parameter curve: relation, the ROC curve
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
