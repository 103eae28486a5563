-- guess_league
-- How well each participant's guesses name the users of each release, and of all releases on the mean.
--
-- definition: on a release, the mean of the strict rates of a participant's guesses, one for each share of the records
--   that it was made from; on all, the mean over the releases that were guessed at
-- source: our own; the rules of the contest of 2017 on who attacked best were not published
-- missing: a release that a participant did not guess at does not count
-- read: the best participant first, a row for each release that it guessed at
-- portable: no
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
