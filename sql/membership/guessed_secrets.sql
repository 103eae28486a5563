-- guessed_secrets
-- How many targets' secrets are guessed rightly, by the nearest record of the release and by one that is drawn.
--
-- definition: right is an equal value, and of numbers a guess g of the secret s with |g - s| <= tolerance x (|g| + 10^-12)
-- source: Anonymeter, inference; there the guess is not |g|, so that every guess below 0 is right
-- missing: a missing value is guessed rightly by a missing one
-- portable: no
--
-- parameter targets: relation, the targets with codes
-- parameter guesses: relation, the records they are guessed by
-- parameter released: relation, the records of the release with codes
-- parameter guess: column, which guess
-- parameter secret: column, the code of the secret
-- parameter numbers: relation or none, the values of the secret, where it is a number
-- parameter tolerance: number, the share of the guess that a number may be away
-- parameter records: integer, how many the release has
-- parameter seed: integer, another seed draws anew
WITH guessed AS (
    SELECT
        targets.origin,
        targets.{{ secret | identifier }} AS secret,
        found.{{ secret | identifier }} AS guess,
        drawn.{{ secret | identifier }} AS naive
    FROM {{ targets | relation }} AS targets
    JOIN {{ guesses | relation }} AS guesses ON guesses.target = targets.target
    JOIN {{ released | relation }} AS found ON found.record = guesses.{{ guess | identifier }}
    JOIN {{ released | relation }} AS drawn
        ON drawn.record = CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive guess:', targets.target, ':', {{ secret | literal }})) % {{ records }} AS BIGINT)
),
told AS (
    SELECT
        guessed.origin,
{% if numbers is none %}
        guessed.guess = guessed.secret AS guess_right,
        guessed.naive = guessed.secret AS naive_right
    FROM guessed
{% else %}
        guessed.guess = guessed.secret OR COALESCE(ABS(guesses.number - secrets.number) <= {{ tolerance | literal }} * (ABS(guesses.number) + 1e-12), FALSE) AS guess_right,
        guessed.naive = guessed.secret OR COALESCE(ABS(naives.number - secrets.number) <= {{ tolerance | literal }} * (ABS(naives.number) + 1e-12), FALSE) AS naive_right
    FROM guessed
    LEFT JOIN {{ numbers | relation }} AS secrets ON secrets.code = guessed.secret
    LEFT JOIN {{ numbers | relation }} AS guesses ON guesses.code = guessed.guess
    LEFT JOIN {{ numbers | relation }} AS naives ON naives.code = guessed.naive
{% endif %}
)
SELECT
    origin,
    COUNT(*) AS attacks,
    COUNT(CASE WHEN guess_right THEN 1 END) AS successes,
    COUNT(CASE WHEN naive_right THEN 1 END) AS naive
FROM told
GROUP BY origin
ORDER BY origin
