-- association_rules_loss
-- The association rules lost or invented by a release, of two items and of three.
--
-- source: our own; the contest of PWS Cup 2017 names the use case without a formula
-- runs: finish
--
-- parameter name: column, the table
-- parameter original: relation, the rules of the original
-- parameter release: relation, the rules of the release

-- name: association_rules_loss
-- The association rules lost or invented by a release, and the change of their confidence.
--
-- definition: with the rules R of the original and R' of the release of at least the minimum support and confidence,
--   loss_rules = 1 - |R and R'| / |R or R'|; loss_confidence = mean over R of |confidence - confidence'|, with
--   confidence 0 for a rule missing in the release; baskets and rules as in association_rules
-- source: our own; the contest of PWS Cup 2017 names the use case without a formula
-- missing: a record without a person or an item is left out; otherwise a missing value of a basket's columns is a value
-- read: 0 says that the same rules are found, 1 that none of them is; without rules on both sides nothing is lost
-- instead: rules_loss
--
-- parameter original: relation, the records as they were
-- parameter release: relation, the released records
-- parameter user: user, the column of the person in the original
-- parameter pseudonym: column, the same in the release
-- parameter item: column, the purchased item
-- parameter basket: columns, the columns that with the person define a basket, such as day and time
-- parameter least_support: number, a rule has at least this support
-- parameter least_confidence: number, a rule has at least this confidence
--
-- column baskets: BIGINT, baskets, of the original: what a user bought at one time
-- column released_baskets: BIGINT, baskets, of the release
-- column rules: BIGINT, rules, of the original
-- column released_rules: BIGINT, rules, of the release
-- column common_rules: BIGINT, rules, of both
-- column loss_rules: DOUBLE, share, of all rules that are not in both
-- column loss_confidence: DOUBLE, share, mean change of the confidence of the original's rules
WITH history AS (
    SELECT
        0 AS side,
        CAST({{ user | identifier }} AS VARCHAR) AS user_id,
{% for column in basket %}
        CAST({{ column | identifier }} AS VARCHAR) AS b{{ loop.index }},
{% endfor %}
        CAST({{ item | identifier }} AS VARCHAR) AS item
    FROM {{ original | relation }}
    UNION ALL
    SELECT
        1 AS side,
        CAST({{ pseudonym | identifier }} AS VARCHAR) AS user_id,
{% for column in basket %}
        CAST({{ column | identifier }} AS VARCHAR) AS b{{ loop.index }},
{% endfor %}
        CAST({{ item | identifier }} AS VARCHAR) AS item
    FROM {{ release | relation }}
),
bought AS (
    SELECT side, user_id, {% for column in basket %}b{{ loop.index }}, {% endfor %}item
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY side, user_id, {% for column in basket %}b{{ loop.index }}, {% endfor %}item
),
baskets AS (
    SELECT side, ROW_NUMBER() OVER () AS basket, LIST(item) AS items
    FROM bought
    GROUP BY side, user_id{% for column in basket %}, b{{ loop.index }}{% endfor %}

),
totals AS (
    SELECT side, COUNT(*) AS baskets FROM baskets GROUP BY side
),
contents AS (
    SELECT side, basket, UNNEST(items) AS item FROM baskets
),
frequent AS (
    SELECT contents.side, contents.item, COUNT(*) AS baskets
    FROM contents
    JOIN totals ON totals.side = contents.side
    GROUP BY contents.side, contents.item, totals.baskets
    HAVING CAST(COUNT(*) AS DOUBLE) / totals.baskets >= {{ least_support | literal }}
),
numbered AS (
    SELECT ROW_NUMBER() OVER (ORDER BY item) AS number, item FROM frequent GROUP BY item
),
kept AS (
    SELECT contents.side, contents.basket, numbered.number, frequent.baskets
    FROM contents
    JOIN frequent ON frequent.side = contents.side AND frequent.item = contents.item
    JOIN numbered ON numbered.item = contents.item
),
pairs AS (
    SELECT a.side, a.number AS first, b.number AS second, a.baskets AS with_first, b.baskets AS with_second,
        COUNT(*) AS baskets
    FROM kept AS a
    JOIN kept AS b ON b.basket = a.basket AND a.number < b.number
    JOIN totals ON totals.side = a.side
    GROUP BY a.side, a.number, b.number, a.baskets, b.baskets, totals.baskets
    HAVING CAST(COUNT(*) AS DOUBLE) / totals.baskets >= {{ least_support | literal }}
),
rules AS (
    SELECT side, first, second, baskets / CAST(with_first AS DOUBLE) AS confidence
    FROM pairs
    WHERE baskets / CAST(with_first AS DOUBLE) >= {{ least_confidence | literal }}
    UNION ALL
    SELECT side, second AS first, first AS second, baskets / CAST(with_second AS DOUBLE) AS confidence
    FROM pairs
    WHERE baskets / CAST(with_second AS DOUBLE) >= {{ least_confidence | literal }}
),
compared AS (
    SELECT
        first,
        second,
        ANY_VALUE(CASE WHEN side = 0 THEN confidence END) AS before,
        ANY_VALUE(CASE WHEN side = 1 THEN confidence END) AS after
    FROM rules
    GROUP BY first, second
),
-- include: compared_rules
SELECT
    COALESCE((SELECT baskets FROM totals WHERE side = 0), 0) AS baskets,
    COALESCE((SELECT baskets FROM totals WHERE side = 1), 0) AS released_baskets,
    rules,
    released_rules,
    common_rules,
    COALESCE(1 - CAST(common_rules AS DOUBLE) / NULLIF(all_rules, 0), 0) AS loss_rules,
    COALESCE(CAST(change AS DOUBLE) / NULLIF(rules, 0), 0) AS loss_confidence
FROM counted

-- name: numbered_baskets
-- Creates the table of the items of baskets, which are numbered from 1.
--
-- definition: baskets as in association_rules; an item is in a basket once
-- missing: a record without a person or an item is left out; otherwise a missing value of a basket's columns is a value
--
-- takes: name
-- parameter source: relation, the records
-- parameter person: column, the person behind a record
-- parameter item: column, the purchased item
-- parameter basket: columns, the columns that with the person define a basket
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH baskets AS (
    SELECT ROW_NUMBER() OVER () AS basket, LIST(DISTINCT {{ item | identifier }}) AS items
    FROM {{ source | relation }} AS records
    WHERE {{ person | identifier }} IS NOT NULL AND {{ item | identifier }} IS NOT NULL
    GROUP BY {{ person | identifier }}{% for column in basket %}, {{ column | identifier }}{% endfor %}

)
SELECT basket, UNNEST(items) AS item
FROM baskets

-- name: kept_rules
-- Creates the table of the rules of a history: of two items, with an empty "second", and of three.
-- takes: name
-- parameter pairs: expression, the metric association_rules of it
-- parameter threes: expression, the metric association_rules_of_three of it
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT first, NULL AS second, second AS then_item, support, confidence
FROM (
{{ pairs | expression }}
) AS pairs
UNION ALL
SELECT first, second, third, support, confidence
FROM (
{{ threes | expression }}
) AS threes

-- name: rules_loss
-- The rules of two items, or of three, lost or invented by a release, and the change of their confidence.
--
-- definition: as in association_rules_loss
-- source: our own; the paper of PWS Cup 2017 names the use case without a formula
--
-- takes: original, release
-- parameter baskets: relation, the items of the baskets of the original
-- parameter released_baskets: relation, the same of the release
-- parameter of_three: flag, compare the rules with two items on the left side
WITH both_sides AS (
    SELECT first, second, then_item, confidence AS before, NULL AS after
    FROM {{ original | relation }} AS original
    UNION ALL
    SELECT first, second, then_item, NULL, confidence
    FROM {{ release | relation }} AS release
),
compared AS (
    SELECT MAX(before) AS before, MAX(after) AS after
    FROM both_sides
    WHERE second IS {% if of_three %}NOT {% endif %}NULL
    GROUP BY first, second, then_item
),
-- include: compared_rules
SELECT
{% if not of_three %}
    (SELECT COALESCE(MAX(basket), 0) FROM {{ baskets | relation }} AS baskets) AS baskets,
    (SELECT COALESCE(MAX(basket), 0) FROM {{ released_baskets | relation }} AS released_baskets) AS released_baskets,
{% endif %}
    rules,
    released_rules,
    common_rules,
    COALESCE(1 - CAST(common_rules AS DOUBLE) / NULLIF(all_rules, 0), 0) AS loss_rules,
    COALESCE(CAST(change AS DOUBLE) / NULLIF(rules, 0), 0) AS loss_confidence
FROM counted

-- name: first_rules
-- The strongest rules of an original, of two items and of three, with their confidence in a release.
--
-- missing: a rule that the release has not has no confidence there
--
-- takes: original, release
-- parameter max_rules: integer, largest number of rules of each size
WITH ranked AS (
    SELECT
        first,
        second,
        then_item,
        support,
        confidence,
        ROW_NUMBER() OVER (
            PARTITION BY second IS NULL
            ORDER BY confidence DESC, support DESC, first, second, then_item
        ) AS place,
        COUNT(*) OVER (PARTITION BY second IS NULL) AS total,
        COUNT(*) OVER (
            PARTITION BY second IS NULL
            ORDER BY confidence DESC, support DESC
        ) AS reached
    FROM {{ original | relation }}
)
SELECT
    ranked.first,
    ranked.second,
    ranked.then_item,
    ranked.support,
    ranked.confidence,
    released.confidence AS released_confidence,
    ranked.total,
    ranked.reached
FROM ranked
LEFT JOIN {{ release | relation }} AS released
    ON released.first = ranked.first
    AND (released.second IS NOT DISTINCT FROM ranked.second)
    AND released.then_item = ranked.then_item
WHERE ranked.place <= {{ max_rules | literal }}
ORDER BY ranked.second IS NOT NULL, ranked.place
