-- guesses
-- Reads submitted guesses of the members of a population, and scores them.
--
-- source: PWS Cup 2020, scoring
-- runs: finish
--
-- parameter name: column, the table
-- parameter population: integer, records
-- parameter members: integer, of them
-- parameter groups: relation, the population and its members

-- name: members_columns
-- The members with their columns in the order and under the names of the population's columns.
-- parameter name: column, the view
-- parameter source: relation, the members
-- parameter columns: columns, of the members
-- parameter names: columns, the population's name of each
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
{% for column in columns %}
    {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{{ loop | between }}
{% endfor %}
FROM {{ source | relation }} AS members

-- name: population_groups
-- The records of a population, one row for equal ones, with the number of equal members.
--
-- missing: two missing values are equal
--
-- takes: name
-- parameter population: relation, all records, numbered from 0
-- parameter members: relation, those that the original was made of
-- parameter columns: columns, of both, in the same order
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH records AS (
    SELECT record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ population | relation }} AS population
    UNION ALL
    SELECT CAST(NULL AS BIGINT) AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ members | relation }} AS members
)
SELECT MIN(record) AS record, COUNT(record) AS copies, COUNT(*) - COUNT(record) AS members
FROM records
GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

-- name: population_faults
-- The reasons why members are not found in a population.
--
-- read: repeated: records of the population that others are equal to; strangers: members that are not in it;
--   repeated_members: members that another is equal to
--
-- takes: groups
SELECT
    CAST(COALESCE(SUM(copies), 0) AS BIGINT) AS population,
    CAST(COALESCE(SUM(CASE WHEN copies > 0 THEN members ELSE 0 END), 0) AS BIGINT) AS members,
    CAST(COALESCE(SUM(CASE WHEN copies > 1 THEN copies ELSE 0 END), 0) AS BIGINT) AS repeated,
    CAST(COALESCE(SUM(CASE WHEN copies = 0 THEN members ELSE 0 END), 0) AS BIGINT) AS strangers,
    CAST(COALESCE(SUM(CASE WHEN members > 1 THEN members ELSE 0 END), 0) AS BIGINT) AS repeated_members
FROM {{ groups | relation }} AS groups

-- name: rows_of_guess
-- The record numbers guessed as members.
--
-- missing: an empty value, or one that is no integer, is kept without a number
--
-- takes: name
-- parameter source: relation, the guess: a number a line, or all of them in one
-- parameter columns: columns, of the guess
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH cells AS (
    SELECT
        UNNEST([{% for column in columns %}{% if not loop.first %},
            {% endif %}TRY_CAST({{ column | identifier }} AS DOUBLE){% endfor %}]) AS number
    FROM {{ source | relation }} AS guess
)
SELECT CASE WHEN number = FLOOR(number) AND ABS(number) < 1e15 THEN CAST(number AS BIGINT) END AS record
FROM cells

-- name: score_of_guess
-- Counts the guesses that are members, and the faults of guesses.
--
-- definition: a hit is a guessed record that is a member; accuracy = hits / guesses; lift = accuracy / (members /
--   population)
-- source: PWS Cup 2020, scoring
-- missing: no_number counts values that are no integer; no lift without members
--
-- takes: groups, population, members
-- parameter guess: relation, the guessed records
WITH matched AS (
    SELECT guess.record, COALESCE(groups.members, 0) AS members
    FROM {{ guess | relation }} AS guess
    LEFT JOIN {{ groups | relation }} AS groups ON groups.record = guess.record AND groups.copies > 0
),
counted AS (
    SELECT
        COUNT(*) AS guesses,
        COUNT(*) - COUNT(record) AS no_number,
        COUNT(CASE WHEN record < 0 OR record >= {{ population }} THEN 1 END) AS outside,
        COUNT(record) - COUNT(DISTINCT record) AS repeated,
        COUNT(CASE WHEN members > 0 THEN 1 END) AS hits
    FROM matched
)
SELECT
    guesses,
    no_number,
    outside,
    repeated,
    hits,
    CAST(hits AS DOUBLE) / NULLIF(guesses, 0) AS accuracy,
    CAST(hits AS DOUBLE) * {{ population }} / NULLIF(CAST(guesses AS DOUBLE) * {{ members }}, 0) AS lift
FROM counted

-- name: hypergeometric_tail
-- The p-value of a guess: the probability of at least this number of hits by chance.
--
-- definition: P(X >= hits), X ~ Hypergeometric(population, members, guesses): the sum over x of
--   C(members, x) C(population - members, guesses - x) / C(population, guesses), each term from the one before
-- source: PWS Cup 2020, scoring; the p-value is our own
-- missing: 1 for no hit or fewer than chance can leave out, 0 for more than there can be
-- read: expected hits, and the p-value
--
-- takes: population, members
-- parameter guesses: integer, different records that are guessed
-- parameter hits: integer, guesses that are members
WITH numbers AS (
    SELECT
        CAST({{ population }} AS DOUBLE) AS population,
        CAST({{ members }} AS DOUBLE) AS members,
        CAST({{ guesses }} AS DOUBLE) AS guesses
),
places AS (
    SELECT
        CAST(UNNEST(
            RANGE(GREATEST(0, {{ guesses }} + {{ members }} - {{ population }}), LEAST({{ guesses }}, {{ members }})
            + 1)) AS DOUBLE) AS x
),
steps AS (
    SELECT
        places.x,
        CASE
            WHEN places.x <= GREATEST(0, {{ guesses }} + {{ members }} - {{ population }}) THEN 0
            ELSE LN(
                (numbers.members - places.x + 1) * (numbers.guesses - places.x + 1)
                / (places.x * (numbers.population - numbers.members - numbers.guesses + places.x))
            )
        END AS step
    FROM places
    CROSS JOIN numbers
),
logs AS (
    SELECT x, SUM(step) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS log_weight
    FROM steps
),
weights AS (
    SELECT x, EXP(log_weight - (SELECT MAX(log_weight) FROM logs)) AS weight
    FROM logs
),
sums AS (
    SELECT
        SUM(CASE WHEN x >= {{ hits }} THEN weight ELSE 0 END ORDER BY weight, x) AS tail,
        SUM(weight ORDER BY weight, x) AS total
    FROM weights
)
SELECT
    numbers.guesses * numbers.members / NULLIF(numbers.population, 0) AS expected,
    CASE WHEN {{ hits }} <= 0 THEN 1 ELSE LEAST(1, COALESCE(sums.tail / sums.total, 0)) END AS p_value
FROM sums
CROSS JOIN numbers

-- name: clopper_pearson
-- The exact (Clopper-Pearson) interval of a share.
--
-- definition: lower: the p with P(X >= successes) = (1 - confidence) / 2, X ~ Binomial(trials, p); upper: the p with
--   P(X <= successes) equal to this; each by 60 bisections on the sum of the terms of the shorter tail, without terms
--   below e^-300; 0 without a success, 1 without a failure
-- source: Clopper and Pearson, The use of confidence or fiducial limits, 1934
-- missing: from 0 to 1 without any trial
--
-- parameter successes: integer, of the trials
-- parameter trials: integer, all of them
-- parameter confidence: number, such as 0.95
WITH RECURSIVE shares AS (
    SELECT
        0 AS place,
        {{ successes }} AS successes,
        {{ trials }} AS trials,
        (1 - CAST({{ confidence | literal }} AS DOUBLE)) / 2 AS alpha
),
-- include: exact_ends
ends AS (
    SELECT place, side, (low + high) / 2 AS value
    FROM halves
    WHERE step = 60
)
SELECT
    COALESCE((SELECT value FROM ends WHERE side = 0), 0) AS lower,
    1 - COALESCE((SELECT value FROM ends WHERE side = 1), 0) AS upper

-- name: best_attack
-- The safety of a submission by the best attack on it.
--
-- definition: safety = 1 - the largest accuracy; its p-value times the number of attacks, at most 1 (Bonferroni),
--   since the best of several is a matter of luck too
-- source: PWS Cup 2020, scoring; the correction is our own
-- missing: no attack leaves all but the number of attacks open
--
-- parameter hits: integers, of each attack
-- parameter guesses: integers, of each attack
-- parameter p_values: texts, of each attack
WITH attacks AS (
    SELECT
        UNNEST(CAST({{ hits | literal }} AS BIGINT[])) AS hits,
        UNNEST(CAST({{ guesses | literal }} AS BIGINT[])) AS guesses,
        UNNEST(CAST({{ p_values | literal }} AS DOUBLE[])) AS p_value
)
SELECT
    COUNT(*) AS attacks,
    MAX(CAST(hits AS DOUBLE) / guesses) AS accuracy,
    CAST(MIN(CAST(guesses - hits AS DOUBLE) / guesses) AS DOUBLE) AS safety,
    LEAST(1, MIN(p_value) * COUNT(*)) AS p_value
FROM attacks

-- name: attack_league
-- The ranking of the contest: the safety of submissions, the success of attackers, and both together.
--
-- definition: safety = 1 - the largest accuracy of an attack on it; attack = the mean accuracy against the three safest
--   submissions that are not the attacker's own (fewer where there are fewer), 0 against one that was not attacked;
--   each = the sum over phases of weight x score; overall = 1 / (rank as anonymiser + rank as attacker); equal scores
--   share a rank; points = floor(1000 x score)
-- source: PWS Cup 2020, scoring
-- missing: a participant who only submits has no attack, one who only attacks no safety, and neither has an overall
--   score; without attackers safety is 1
-- read: the best overall first, then the safest, then the best attackers, then by name
--
-- parameter phases: integers, the phase of each accuracy, from 0
-- parameter submissions: texts, whose release was attacked
-- parameter attackers: texts, the attacker of each; NULL for a submission without attack
-- parameter hits: integers, of the attack
-- parameter guesses: integers, of the attack
-- parameter weights: texts, of the phases, as written
WITH given AS (
    SELECT
        UNNEST(CAST({{ phases | literal }} AS INTEGER[])) AS phase,
        UNNEST(CAST({{ submissions | literal }} AS VARCHAR[])) AS submission,
        UNNEST(CAST({{ attackers | literal }} AS VARCHAR[])) AS attacker,
        UNNEST(CAST({{ hits | literal }} AS BIGINT[])) AS hits,
        UNNEST(CAST({{ guesses | literal }} AS BIGINT[])) AS guesses
),
weights AS (
    SELECT
        UNNEST(RANGE({{ weights | length }})) AS phase,
        UNNEST(CAST({{ weights | literal }} AS DECIMAL(18, 9)[])) AS weight
),
attacks AS (
    SELECT phase, submission, attacker, CAST(hits AS DOUBLE) / NULLIF(guesses, 0) AS accuracy
    FROM given
    WHERE attacker IS NOT NULL AND attacker <> submission
),
safeties AS (
    SELECT given.phase, given.submission, 1 - COALESCE(MAX(attacks.accuracy), 0) AS safety
    FROM given
    LEFT JOIN attacks ON attacks.phase = given.phase AND attacks.submission = given.submission
    GROUP BY given.phase, given.submission
),
attackers AS (
    SELECT DISTINCT phase, attacker FROM attacks
),
targets AS (
    SELECT
        attackers.phase,
        attackers.attacker,
        safeties.submission,
        ROW_NUMBER() OVER (PARTITION BY attackers.phase, attackers.attacker ORDER BY safeties.safety DESC,
            safeties.submission) AS place
    FROM attackers
    JOIN safeties ON safeties.phase = attackers.phase AND safeties.submission <> attackers.attacker
),
successes AS (
    SELECT
        targets.phase,
        targets.attacker,
        CAST(SUM(CAST(COALESCE(attacks.accuracy, 0) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS attack
    FROM targets
    LEFT JOIN attacks
        ON attacks.phase = targets.phase AND attacks.attacker = targets.attacker
            AND attacks.submission = targets.submission
    WHERE targets.place <= 3
    GROUP BY targets.phase, targets.attacker
),
safety_scores AS (
    SELECT safeties.submission AS name,
        CAST(SUM(CAST(safeties.safety * weights.weight AS DECIMAL(38, 18))) AS DOUBLE) AS safety
    FROM safeties
    JOIN weights ON weights.phase = safeties.phase
    GROUP BY safeties.submission
),
attack_scores AS (
    SELECT successes.attacker AS name,
        CAST(SUM(CAST(successes.attack * weights.weight AS DECIMAL(38, 18))) AS DOUBLE) AS attack
    FROM successes
    JOIN weights ON weights.phase = successes.phase
    GROUP BY successes.attacker
),
safety_ranks AS (
    SELECT name, safety, RANK() OVER (ORDER BY ROUND(safety, 12) DESC) AS safety_rank FROM safety_scores
),
attack_ranks AS (
    SELECT name, attack, RANK() OVER (ORDER BY ROUND(attack, 12) DESC) AS attack_rank FROM attack_scores
),
joined AS (
    SELECT
        COALESCE(safety_ranks.name, attack_ranks.name) AS name,
        safety,
        safety_rank,
        attack,
        attack_rank,
        CAST(1 AS DOUBLE) / (safety_rank + attack_rank) AS overall
    FROM safety_ranks
    FULL JOIN attack_ranks ON attack_ranks.name = safety_ranks.name
)
SELECT
    name,
    safety,
    CAST(FLOOR(ROUND(1000 * safety, 9)) AS BIGINT) AS safety_points,
    safety_rank,
    attack,
    CAST(FLOOR(ROUND(1000 * attack, 9)) AS BIGINT) AS attack_points,
    attack_rank,
    overall
FROM joined
ORDER BY overall DESC NULLS LAST, safety_rank NULLS LAST, attack_rank NULLS LAST, name
