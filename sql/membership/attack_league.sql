-- attack_league
-- The ranking of the contest: how safe each submission is, how well each attacker attacks, and both together.
--
-- definition: safety = 1 - the largest accuracy of an attack on it; attack = the mean accuracy against the three safest
--   submissions that are not the attacker's own (fewer where there are fewer), 0 against one that was not attacked;
--   each = the sum over phases of weight x score; overall = 1 / (rank as anonymiser + rank as attacker); equal scores
--   share a rank; points = floor(1000 x score)
-- source: PWS Cup 2020, scoring
-- missing: who only submits has no attack, who only attacks no safety, and neither has an overall score; nobody attacked: safety 1
-- read: the best overall first, then the safest, then the best attackers, then by name
-- portable: no
--
-- parameter phases: integers, the phase of each accuracy, from 0
-- parameter submissions: texts, whose release was attacked
-- parameter attackers: texts, who attacked it; nobody (NULL) for a submission without attack
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
        ROW_NUMBER() OVER (PARTITION BY attackers.phase, attackers.attacker ORDER BY safeties.safety DESC, safeties.submission) AS place
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
        ON attacks.phase = targets.phase AND attacks.attacker = targets.attacker AND attacks.submission = targets.submission
    WHERE targets.place <= 3
    GROUP BY targets.phase, targets.attacker
),
safety_scores AS (
    SELECT safeties.submission AS name, CAST(SUM(CAST(safeties.safety * weights.weight AS DECIMAL(38, 18))) AS DOUBLE) AS safety
    FROM safeties
    JOIN weights ON weights.phase = safeties.phase
    GROUP BY safeties.submission
),
attack_scores AS (
    SELECT successes.attacker AS name, CAST(SUM(CAST(successes.attack * weights.weight AS DECIMAL(38, 18))) AS DOUBLE) AS attack
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
