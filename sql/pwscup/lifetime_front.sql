-- lifetime_front
-- Which settings of a release lose least for what attackers find: the Pareto front, and the cheapest within a limit.
--
-- definition: of the settings for one known share, one is on the front if no other loses as little or less and has as
--   few users found or fewer, with one of both less. The cheapest loses least of those with at most the limit found; of
--   equal losses it has the fewest found, then it is the first
-- source: our own
-- read: one row for each setting and share, the settings that lose least first
-- runs: finish
--
-- parameter losses: texts, the loss of each setting, as it is written (a text is read without rounding)
-- parameter rates: texts, the share of users found of each setting with each known share, setting by setting
-- parameter shares: integer, number of known shares
-- parameter limit: number or none, the largest share found that is accepted; none accepts none
--
-- column setting: BIGINT, number, of the setting from 0
-- column share: BIGINT, number, of the known share from 0
-- column on_front: BOOLEAN, truth, whether no other setting is better
-- column within_limit: BOOLEAN, truth, whether at most the limit is found; NULL without a limit
-- column cheapest: BOOLEAN, truth, whether it loses least of those within the limit
WITH losses AS (
    SELECT
        UNNEST(CAST({{ losses | literal }} AS DOUBLE[])) AS loss
        , UNNEST(RANGE(LEN({{ losses | literal }}))) AS setting
),
rates AS (
    SELECT
        UNNEST(CAST({{ rates | literal }} AS DOUBLE[])) AS rate
        , UNNEST(RANGE(LEN({{ rates | literal }}))) AS number
),
measured AS (
    SELECT
        losses.setting
        , rates.number % {{ shares }} AS share
        , losses.loss
        , rates.rate
        , {% if limit is none %}CAST(NULL AS BOOLEAN){% else %}rates.rate <= {{ limit | literal }}{% endif %}
            AS within_limit
    FROM rates
    JOIN losses ON losses.setting = rates.number // {{ shares }}
)
SELECT
    own.setting
    , own.share
    , NOT EXISTS (
        SELECT 1
        FROM measured AS other
        WHERE other.share = own.share
            AND other.loss <= own.loss
            AND other.rate <= own.rate
            AND (other.loss < own.loss OR other.rate < own.rate)
    ) AS on_front
    , own.within_limit
    , COALESCE(own.within_limit, FALSE)
        AND ROW_NUMBER() OVER (
            PARTITION BY own.share, own.within_limit ORDER BY own.loss, own.rate, own.setting
        ) = 1 AS cheapest
FROM measured AS own
ORDER BY own.loss, own.setting, own.share
