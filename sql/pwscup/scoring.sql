-- scoring
-- The score of a submission, the ranking of attackers, and the settings of a release that are worth their loss.
--
-- source: the score page of PWS Cup 2017; the ranking and the front are our own
-- runs: finish

-- name: contest_score
-- The score of a submission: its worst loss, the best attack on it, and their mean.
--
-- definition: UTL = the largest loss; SEC of an attack = the mean of its strict rates over the shares that attackers
--   hold; SEC of guesses = the mean over their shares of the best guess; SEC = the largest of these; AVG = (UTL +
--   SEC) / 2
-- source: the score page of PWS Cup 2017
-- missing: a loss that could not be measured does not count
-- read: "attacks" has the SEC of each attack in the order of their numbers, "guesses" that of guesses
--
-- parameter losses: texts, of utility, each number as it is written (a text is read without rounding)
-- parameter attacks: integers, the number of the attack of each rate
-- parameter rates: texts, the strict rates
-- parameter committee: integer, attacks below this number are those that count
-- parameter shares: texts, the share of each guess
-- parameter guesses: texts, the strict rates of guesses
WITH losses AS (
    SELECT UNNEST(CAST({{ losses | literal }} AS DOUBLE[])) AS loss
),
rates AS (
    SELECT
        UNNEST(CAST({{ attacks | literal }} AS BIGINT[])) AS attack,
        UNNEST(CAST(CAST({{ rates | literal }} AS DOUBLE[]) AS DECIMAL(38, 18)[])) AS rate
),
guesses AS (
    SELECT
        UNNEST(CAST({{ shares | literal }} AS DOUBLE[])) AS share,
        UNNEST(CAST(CAST({{ guesses | literal }} AS DOUBLE[]) AS DECIMAL(38, 18)[])) AS rate
),
best AS (
    SELECT MAX(rate) AS rate FROM guesses GROUP BY share
),
attacked AS (
    SELECT attack, CAST(SUM(rate) AS DOUBLE) / COUNT(*) AS rate FROM rates GROUP BY attack
),
guessed AS (
    SELECT CAST(SUM(rate) AS DOUBLE) / NULLIF(COUNT(*), 0) AS rate FROM best
),
totals AS (
    SELECT
        COALESCE((SELECT MAX(loss) FROM losses), 0) AS utl,
        COALESCE(GREATEST(MAX(CASE WHEN attack < {{ committee }} THEN rate END), (SELECT rate FROM guessed)), 0) AS sec,
        COALESCE(GREATEST(MAX(rate), (SELECT rate FROM guessed)), 0) AS sec_all,
        COALESCE(LIST(rate ORDER BY attack), []) AS attacks
    FROM attacked
)
SELECT utl, sec, sec_all, (utl + sec) / 2 AS avg, attacks, (SELECT rate FROM guessed) AS guesses
FROM totals

-- name: guess_league
-- The success of each participant's guesses on each release, and the mean over all releases.
--
-- definition: on a release, the mean of the strict rates of a participant's guesses, one for each share of the records
--   that it was made from; on all, the mean over the releases that were guessed at
-- source: our own; the rules of the contest of 2017 on who attacked best were not published
-- missing: a release that a participant did not guess at does not count
-- read: the best participant first, a row for each release that it guessed at
--
-- parameter guessers: integers, the number of the participant of each guess
-- parameter releases: integers, the number of the release of each guess
-- parameter rates: texts, the strict rate of each guess, as it is written
WITH guesses AS (
    SELECT
        UNNEST(CAST({{ guessers | literal }} AS BIGINT[])) AS guesser,
        UNNEST(CAST({{ releases | literal }} AS BIGINT[])) AS release,
        UNNEST(CAST(CAST({{ rates | literal }} AS DOUBLE[]) AS DECIMAL(38, 18)[])) AS rate
),
of_releases AS (
    SELECT guesser, release, CAST(SUM(rate) AS DOUBLE) / COUNT(*) AS strict
    FROM guesses
    GROUP BY guesser, release
),
of_guessers AS (
    SELECT guesser, CAST(SUM(CAST(strict AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS mean
    FROM of_releases
    GROUP BY guesser
)
SELECT of_guessers.guesser, of_guessers.mean, of_releases.release, of_releases.strict
FROM of_guessers
JOIN of_releases ON of_releases.guesser = of_guessers.guesser
ORDER BY of_guessers.mean DESC, of_guessers.guesser, of_releases.release

-- name: lifetime_front
-- Which settings of a release lose least for what attackers find: the Pareto front, and the cheapest within a limit.
--
-- definition: of the settings for one known share, one is on the front if no other loses as little or less and has as
--   few users found or fewer, with one of both less. The cheapest loses least of those with at most the limit found; of
--   equal losses it has the fewest found, then it is the first
-- source: our own
-- read: a row for each setting and known share, both from 0, the settings that lose least first
--
-- parameter losses: texts, the loss of each setting, as it is written (a text is read without rounding)
-- parameter rates: texts, the share of users found of each setting with each known share, setting by setting
-- parameter shares: integer, number of known shares
-- parameter limit: number or none, the largest share found that is accepted; none judges nothing
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
