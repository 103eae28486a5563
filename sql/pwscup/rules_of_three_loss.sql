-- rules_of_three_loss
-- How many rules "who buys this and this buys that" a release loses or invents, and how far their confidence is off.
--
-- definition: as in association_rules_loss, of the rules with two items before
-- source: our own; the paper of PWS Cup 2017 names the use case without a formula
-- portable: yes
--
-- parameter original: relation, the rules of the original
-- parameter release: relation, the rules of the release
WITH both_sides AS (
    SELECT first, second, then_item, confidence AS before, NULL AS after
    FROM {{ original | relation }}
    WHERE second IS NOT NULL
    UNION ALL
    SELECT first, second, then_item, NULL, confidence
    FROM {{ release | relation }}
    WHERE second IS NOT NULL
),
compared AS (
    SELECT MAX(before) AS before, MAX(after) AS after
    FROM both_sides
    GROUP BY first, second, then_item
),
counted AS (
    SELECT
        COUNT(before) AS rules,
        COUNT(after) AS released_rules,
        COUNT(before + after) AS common_rules,
        COUNT(*) AS all_rules,
        SUM(CASE WHEN before IS NOT NULL THEN CAST(ABS(before - COALESCE(after, 0)) AS DECIMAL(38, 18)) END) AS change
    FROM compared
)
SELECT
    rules,
    released_rules,
    common_rules,
    COALESCE(1 - CAST(common_rules AS DOUBLE) / NULLIF(all_rules, 0), 0) AS loss_rules,
    COALESCE(CAST(change AS DOUBLE) / NULLIF(rules, 0), 0) AS loss_confidence
FROM counted
