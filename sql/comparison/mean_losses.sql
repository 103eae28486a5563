-- mean_losses
-- One figure for each kind of loss of a release: the means over attributes, cross tables, correlations and groups.
--
-- definition: a correlation that there is no more counts as a loss of 1
-- read: null where there is nothing of a kind
-- portable: no
--
-- parameter attributes: texts, the total variation of each attribute; numbers are written as text, to the last digit
-- parameter cross_tables: texts, that of each cross table
-- parameter changes: texts, how much each correlation of the original changed
-- parameter subsets: texts, the loss of the means of each attribute in the categories of another
WITH losses AS (
    SELECT 'attributes' AS kind, UNNEST(CAST({{ attributes | literal }} AS DOUBLE[])) AS loss
    UNION ALL
    SELECT 'cross tables', UNNEST(CAST({{ cross_tables | literal }} AS DOUBLE[]))
    UNION ALL
    SELECT 'correlations', UNNEST(CAST({{ changes | literal }} AS DOUBLE[]))
    UNION ALL
    SELECT 'groups', UNNEST(CAST({{ subsets | literal }} AS DOUBLE[]))
),
means AS (
    SELECT kind, CAST(SUM(CAST(COALESCE(ABS(loss), 1) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS mean
    FROM losses
    GROUP BY kind
)
SELECT
    MAX(CASE WHEN kind = 'attributes' THEN mean END) AS total_variation,
    MAX(CASE WHEN kind = 'cross tables' THEN mean END) AS cross_table_loss,
    MAX(CASE WHEN kind = 'correlations' THEN mean END) AS correlation_loss,
    MAX(CASE WHEN kind = 'groups' THEN mean END) AS subset_loss
FROM means
