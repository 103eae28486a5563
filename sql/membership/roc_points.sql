-- roc_points
-- Points of a ROC curve, few enough to be drawn: those that take most of each small step of false alarms.
--
-- definition: steps of a twentieth of a power of ten, and of a fiftieth of the others, whichever ends first; and nobody taken
-- source: Carlini et al., Membership inference attacks from first principles, 2022, draw both rates on logarithmic scales
-- missing: no points where all records are members, or none is; a threshold that no number can show is missing
-- read: in the order of thresholds, the highest first
-- portable: no
--
-- parameter curve: relation, the ROC curve
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
