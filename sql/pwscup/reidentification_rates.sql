-- reidentification_rates
-- The share of true pseudonyms that a guess gets right, and the share expected by chance.
--
-- definition: a cell is a user in a period; its truth is the user's pseudonym there, or that the user has none.
--   strict: the share of users whose cells are all right. cell: cells with the right pseudonym / (users * periods).
--   active_cell: the same / cells that have a pseudonym. row: the share of the released records whose guessed user is
--   the true one; the guessed user of a record is the user whose guess for its period names its pseudonym, the
--   smallest of several. blind: the mean of each rate if the pseudonyms of each period were permuted among the users
--   with a pseudonym there.
-- source: strict, the judge program of PWS Cup 2017; cell and row, sections 3.5.1 and 3.5.2 of its paper; active_cell,
--   DARC; blind, our own
-- missing: an absent cell means that the user has no pseudonym in that period; a guess there is wrong for strict. If
--   a cell is guessed twice the smaller pseudonym counts. Guesses for unknown users do not count.
-- read: strict 0.4 against a blind 0.001 means that the histories of 4 in 10 users were followed through all periods,
--   by chance 1 in 1,000. If users have few active periods active_cell is easier to read than cell.
-- runs: finish
--
-- parameter truth: relation, the released records with their true users: user, period and pseudonym
-- parameter guess: relation, user, period and pseudonym
-- parameter everybody: relation, all users
-- parameter person: column, the user of a row in each of them
-- parameter period: column, its period
-- parameter pseudonym: column, its pseudonym
-- parameter weight: column or none, number of records that a row of truth represents; none takes each as one
-- parameter periods: integer, number of periods
-- parameter attempt: column or none, which of several guesses a row of guess is of, from 0; none takes all rows as one
-- parameter attempts: integer or none, number of guesses: each has a row of the result, in their order
--
-- column users: BIGINT, users, all of them
-- column active_cells: BIGINT, cells, with a true pseudonym
-- column guessed_cells: BIGINT, cells, with a guessed pseudonym
-- column right_cells: BIGINT, cells, with the right pseudonym
-- column right_users: BIGINT, users, with right cells only
-- column released_records: BIGINT, records, released
-- column right_records: BIGINT, records, whose user was guessed
-- column strict: DOUBLE, rate, right_users / users, those without a record among them
-- column cell: DOUBLE, rate, right_cells / (users * periods)
-- column active_cell: DOUBLE, rate, right_cells / active_cells; NULL without any
-- column row: DOUBLE, rate, right_records / released_records; NULL without any
-- column blind_strict: DOUBLE, rate, of strict by chance
-- column blind_cell: DOUBLE, rate, of cell by chance
-- column blind_active_cell: DOUBLE, rate, of active_cell by chance
-- column blind_row: DOUBLE, rate, of row by chance
WITH facts AS (
    SELECT
        'truth' AS kind,
        UNNEST(RANGE({% if attempts is none %}1{% else %}{{ attempts | literal }}{% endif %})) AS attempt,
        {{ person | identifier }} AS user_id,
        {{ period | identifier }} AS period,
        {{ pseudonym | identifier }} AS pseudonym,
        {% if weight is not none %}TRY_CAST({{ weight | identifier }} AS BIGINT){% else %}1{% endif %} AS records
    FROM {{ truth | relation }}
    UNION ALL
    SELECT
        'guess' AS kind,
        {% if attempt is none %}0{% else %}{{ attempt | identifier }}{% endif %} AS attempt,
        {{ person | identifier }} AS user_id,
        {{ period | identifier }} AS period,
        {{ pseudonym | identifier }} AS pseudonym,
        0 AS records
    FROM {{ guess | relation }}
    UNION ALL
    SELECT 'users' AS kind,
        UNNEST(RANGE({% if attempts is none %}1{% else %}{{ attempts | literal }}{% endif %})) AS attempt,
        {{ person | identifier }} AS user_id, NULL AS period, NULL AS pseudonym, 0 AS records
    FROM {{ everybody | relation }}
),
attempts AS (
    SELECT UNNEST(RANGE({% if attempts is none %}1{% else %}{{ attempts | literal }}{% endif %})) AS attempt
),
people AS (
    SELECT attempt, user_id
    FROM facts
    WHERE kind = 'users' AND user_id IS NOT NULL
    GROUP BY attempt, user_id
),
cells AS (
    SELECT
        facts.attempt,
        facts.user_id,
        facts.period,
        MIN(CASE WHEN facts.kind = 'truth' THEN facts.pseudonym END) AS owned,
        MIN(CASE WHEN facts.kind = 'guess' THEN facts.pseudonym END) AS guessed,
        SUM(facts.records) AS records
    FROM facts
    JOIN people ON people.attempt = facts.attempt AND people.user_id = facts.user_id
    WHERE facts.pseudonym IS NOT NULL
    GROUP BY facts.attempt, facts.user_id, facts.period
),
pseudonyms AS (
    SELECT attempt, period, pseudonym, MAX(is_owned) AS is_owned, MIN(guessed_user) AS guessed_user
    FROM (
        SELECT attempt, period, owned AS pseudonym, 1 AS is_owned, NULL AS guessed_user FROM cells
        WHERE owned IS NOT NULL
        UNION ALL
        SELECT attempt, period, guessed AS pseudonym, 0 AS is_owned, user_id AS guessed_user FROM cells
        WHERE guessed IS NOT NULL
    ) AS named
    GROUP BY attempt, period, pseudonym
),
dealt AS (
    SELECT attempt, period, SUM(is_owned) AS pseudonyms
    FROM pseudonyms
    GROUP BY attempt, period
),
outcomes AS (
    SELECT
        cells.attempt,
        cells.user_id,
        cells.records,
        CASE WHEN cells.owned IS NULL THEN 0 ELSE 1 END AS active,
        CASE WHEN cells.guessed IS NULL THEN 0 ELSE 1 END AS guessed,
        CASE WHEN cells.owned = cells.guessed THEN 1 ELSE 0 END AS hit,
        CASE WHEN named.guessed_user = cells.user_id THEN 1 ELSE 0 END AS first_to_guess,
        CASE WHEN cells.owned IS NOT NULL AND named.is_owned = 1 THEN 1 ELSE 0 END AS possible,
        CAST(NULLIF(dealt.pseudonyms, 0) AS DOUBLE) AS dealt
    FROM cells
    LEFT JOIN pseudonyms AS named
        ON named.attempt = cells.attempt AND named.period = cells.period AND named.pseudonym = cells.guessed
    LEFT JOIN dealt ON dealt.attempt = cells.attempt AND dealt.period = cells.period
),
persons AS (
    SELECT
        people.attempt,
        COALESCE(SUM(1 - outcomes.hit), 0) AS wrong,
        COALESCE(SUM(1 - outcomes.possible), 0) AS hopeless,
        SUM(CAST(COALESCE(LN(outcomes.dealt), 0) AS DECIMAL(38, 18))) AS log_odds
    FROM people
    LEFT JOIN outcomes ON outcomes.attempt = people.attempt AND outcomes.user_id = people.user_id
    GROUP BY people.attempt, people.user_id
),
person_totals AS (
    SELECT
        attempts.attempt,
        COUNT(persons.attempt) AS users,
        CAST(COALESCE(SUM(CASE WHEN wrong = 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS right_users,
        CAST(SUM(CAST(CASE WHEN hopeless = 0 THEN EXP(-CAST(log_odds AS DOUBLE)) ELSE 0 END AS DECIMAL(38, 18)))
            AS DOUBLE) AS blind
    FROM attempts
    LEFT JOIN persons ON persons.attempt = attempts.attempt
    GROUP BY attempts.attempt
),
cell_totals AS (
    SELECT
        attempts.attempt,
        CAST(COALESCE(SUM(active), 0) AS BIGINT) AS active_cells,
        CAST(COALESCE(SUM(guessed), 0) AS BIGINT) AS guessed_cells,
        CAST(COALESCE(SUM(hit), 0) AS BIGINT) AS right_cells,
        CAST(COALESCE(SUM(records), 0) AS BIGINT) AS released_records,
        CAST(COALESCE(SUM(records * hit * first_to_guess), 0) AS BIGINT) AS right_records,
        CAST(SUM(CAST(possible / dealt AS DECIMAL(38, 18))) AS DOUBLE) AS blind_cells,
        CAST(SUM(CAST(possible / dealt * records * first_to_guess AS DECIMAL(38, 18))) AS DOUBLE) AS blind_records
    FROM attempts
    LEFT JOIN outcomes ON outcomes.attempt = attempts.attempt
    GROUP BY attempts.attempt
)
SELECT
    users,
    active_cells,
    guessed_cells,
    right_cells,
    right_users,
    released_records,
    right_records,
    CAST(right_users AS DOUBLE) / NULLIF(users, 0) AS strict,
    CAST(right_cells AS DOUBLE) / NULLIF(users * {{ periods | literal }}, 0) AS cell,
    CAST(right_cells AS DOUBLE) / NULLIF(active_cells, 0) AS active_cell,
    CAST(right_records AS DOUBLE) / NULLIF(released_records, 0) AS row,
    blind / NULLIF(users, 0) AS blind_strict,
    COALESCE(blind_cells, 0) / NULLIF(users * {{ periods | literal }}, 0) AS blind_cell,
    COALESCE(blind_cells, 0) / NULLIF(active_cells, 0) AS blind_active_cell,
    COALESCE(blind_records, 0) / NULLIF(released_records, 0) AS blind_row
FROM person_totals
JOIN cell_totals ON cell_totals.attempt = person_totals.attempt
ORDER BY person_totals.attempt
