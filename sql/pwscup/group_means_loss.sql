-- group_means_loss
-- The distance between group means of people in a release and in the original.
--
-- source: our own; the contests of PWS Cup use the case without a formula
-- runs: finish

-- name: group_means_loss
-- The distance between group means of people in a release and in the original: the subset loss.
--
-- definition: the mean over the groups g of the original of |mean of g before - after| / max(|before|, |after|); a
--   group that the release has no number of counts 1
-- source: our own; the contests of PWS Cup use the case without a formula
-- missing: a record without a group, or without a finite number, is left out
-- read: 0 says that each group has the mean that it had, 1 that nothing of it is left
--
-- parameter original: relation, the records as they were
-- parameter release: relation, the released records
-- parameter category: column, the group of the person behind a record, such as the country
-- parameter column: column, the numeric column
--
-- column categories: BIGINT, groups, of the original
-- column missing_categories: BIGINT, groups, of these that the release has no number of
-- column loss: DOUBLE, share, the mean relative difference of the means; 1 for a group that is gone
WITH records AS (
    SELECT
        0 AS side,
        CAST({{ category | identifier }} AS VARCHAR) AS category,
        TRY_CAST({{ column | identifier }} AS DOUBLE) AS number
    FROM {{ original | relation }}
    UNION ALL
    SELECT
        1 AS side,
        CAST({{ category | identifier }} AS VARCHAR) AS category,
        TRY_CAST({{ column | identifier }} AS DOUBLE) AS number
    FROM {{ release | relation }}
),
counted AS (
    SELECT side, category, number, COUNT(*) AS records
    FROM records
    WHERE category IS NOT NULL AND isfinite(number)
    GROUP BY side, category, number
),
means AS (
    SELECT side, category, SUM(records * number ORDER BY number) / SUM(records) AS mean
    FROM counted
    GROUP BY side, category
),
compared AS (
    SELECT before.mean AS before, after.mean AS after
    FROM means AS before
    LEFT JOIN means AS after ON after.category = before.category AND after.side = 1
    WHERE before.side = 0
),
losses AS (
    SELECT
        after,
        CASE
            WHEN before = after THEN 0
            WHEN after IS NULL OR NOT isfinite(before) OR NOT isfinite(after) THEN 1
            ELSE ABS(before / GREATEST(ABS(before), ABS(after)) - after / GREATEST(ABS(before), ABS(after)))
        END AS loss
    FROM compared
)
SELECT
    COUNT(*) AS categories,
    COUNT(*) - COUNT(after) AS missing_categories,
    COALESCE(CAST(SUM(CAST(loss AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0) AS loss
FROM losses

-- name: purchases_of_groups
-- The purchases of a history or a release with the attributes of their person.
--
-- definition: a record of a release corresponds to the record of the original with the same index, and so to its user
-- missing: deleted records, and those of users that the master table does not know, are left out
--
-- parameter source: relation, the history or the release, record by record
-- parameter person: column, its column of users or pseudonyms
-- parameter original: relation, the history
-- parameter master: relation, the users and their attributes
-- parameter attributes: columns, of the master table
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
{% for attribute in attributes %}
    master.{{ attribute | identifier }} AS a{{ loop.index }},
{% endfor %}
    source.item AS item,
    source.price AS price,
    source.quantity AS quantity
FROM {{ source | relation }} AS source
JOIN {{ original | relation }} AS original ON original.record = source.record
JOIN {{ master | relation }} AS master ON master.user_id = original.user_id
WHERE source.{{ person | identifier }} IS NOT NULL
