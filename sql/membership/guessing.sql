-- guessing
-- Linkability and inference attacks, by the records of the release nearest to a target.
--
-- idea: the nearest record without each secret is within the bound that the nearest of all gives, so one search serves
--   all secrets of a target.
-- source: Anonymeter, linkability and inference
-- runs: finish
--
-- parameter name: column, the table
-- parameter unit: integer, number of parts of a range
-- parameter seed: integer, another seed draws anew
-- parameter targets: relation, the targets
-- parameter released: relation, the records of the release
-- parameter distance: expression, of target and release
-- parameter span: integer, more than any number of a record

-- name: risk_points
-- Creates the table of records for distances: scaled numbers, and words of packed codes.
--
-- definition: a word as of neighbour_records
-- missing: a missing number is 3 ranges from the smallest number, further than a range from every number; a missing
--   category is a category
--
-- takes: name, unit
-- parameter source: relation, the records with codes
-- parameter keys: columns, that are kept as they are
-- parameter numeric: integers, the attributes of numbers
-- parameter tables: texts, the values of each of these
-- parameter categories: integers, the others
-- parameter words: integers, for each of the latter the number of its word
-- parameter code_factors: integers, for each of these the factor of its code
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for key in keys %}
    {% if not loop.first %}, {% endif %}records.{{ key | identifier }}
{% endfor %}
{% for place in numeric %}
    , COALESCE(values{{ place }}.scaled, 3 * CAST({{ unit | literal }} AS BIGINT)) AS n{{ place }}
{% endfor %}
{% for word in range(words | max + 1 if words else 0) %}
    , CAST(0 AS BIGINT){% for place in categories %}{% if words[loop.index0] == word %} + records.c{{ place }}
        * CAST({{ code_factors[loop.index0] | literal }} AS BIGINT){% endif %}{% endfor %} AS p{{ word + 1 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for place in numeric %}
LEFT JOIN {{ tables[loop.index0] | relation }} AS values{{ place }} ON values{{ place }}.code = records.c{{ place }}
{% endfor %}

-- name: risk_targets
-- Creates the table of attacked records, drawn from the original and from the control set.
--
-- definition: of each table the first in the order of MD5(seed:target:record); target counts them from 0
--
-- takes: name, seed
-- parameter tables: texts, the records with codes: the original, and the control set if there is one
-- parameter columns: columns, their codes
-- parameter attacks: integer, largest number of attacked records of each table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranked AS (
{% for table in tables %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT
        {{ loop.index0 }} AS origin
        , records.record
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':target:', record)), record) AS turn
{% for column in columns %}
        , {{ column | identifier }}
{% endfor %}
    FROM {{ table | relation }} AS records
{% endfor %}
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY origin, turn) - 1 AS INTEGER) AS target
    , origin
    , record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM ranked
WHERE turn <= {{ attacks }}

-- name: nearest_of_release
-- Creates the table of the nearest records of the release for each target.
--
-- definition: of those that are equally near the first; a distance and a record are one number, so that the least
--   number has both
--
-- takes: name, released, distance, span
-- parameter targets: relation, whose nearest are asked for
-- parameter neighbours: integer, number of neighbours
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT target.target,
    LIST_TRANSFORM(MIN(({{ distance | expression }}) * {{ span }} + released.record, {{ neighbours }}),
    lambda found: found % {{ span }}) AS nearest
FROM {{ targets | relation }} AS target
CROSS JOIN {{ released | relation }} AS released
GROUP BY target.target

-- name: closest_records
-- How near drawn records are to those of the original: diagnostics, which do not measure privacy.
--
-- definition: DCR is the distance to the closest record, as a share of the largest distance; NNDR is that distance by
--   the distance to the second closest. Of both the fifth percentile and the median (the value in that place)
-- source: Park et al., Data synthesis based on generative adversarial networks, VLDB 2018; Zhao et al., CTAB-GAN, 2021
-- missing: NNDR is 1 where both distances are 0, and missing where the original has a single record
-- read: releases that both call private fall to attacks (arXiv 2505.01524): they do not measure privacy
--
-- takes: targets, distance
-- parameter drawn: relation, the drawn records and their origin
-- parameter released: relation, the records of the original
-- parameter largest: integer, the largest distance
WITH distances AS (
    SELECT target.target, MIN({{ distance | expression }}, 2) AS least
    FROM {{ targets | relation }} AS target
    CROSS JOIN {{ released | relation }} AS released
    GROUP BY target.target
),
ratios AS (
    SELECT
        drawn.origin,
        distances.least[1] / CAST({{ largest }} AS DOUBLE) AS dcr,
        CASE WHEN distances.least[2] = 0 THEN 1 ELSE distances.least[1] / CAST(distances.least[2] AS DOUBLE) END AS nndr
    FROM distances
    JOIN {{ drawn | relation }} AS drawn ON drawn.target = distances.target
)
SELECT
    origin,
    COUNT(*) AS records,
    COUNT(CASE WHEN dcr = 0 THEN 1 END) AS copies,
    QUANTILE_DISC(dcr, 0.05) AS dcr_low,
    QUANTILE_DISC(dcr, 0.5) AS dcr_median,
    QUANTILE_DISC(nndr, 0.05) AS nndr_low,
    QUANTILE_DISC(nndr, 0.5) AS nndr_median
FROM ratios
GROUP BY origin
ORDER BY origin

-- name: linked_targets
-- The number of targets with a record of the release that is near in both halves of the attributes.
--
-- source: Anonymeter, linkability
--
-- takes: targets
-- parameter left: relation, the nearest by the one half
-- parameter right: relation, those by the other
SELECT
    targets.origin,
    COUNT(*) AS attacks,
    COUNT(CASE WHEN LIST_HAS_ANY(left_nearest.nearest, right_nearest.nearest) THEN 1 END) AS successes
FROM {{ targets | relation }} AS targets
JOIN {{ left | relation }} AS left_nearest ON left_nearest.target = targets.target
JOIN {{ right | relation }} AS right_nearest ON right_nearest.target = targets.target
GROUP BY targets.origin
ORDER BY targets.origin

-- name: naive_links
-- The number of targets linked by a naive attacker who draws records of the release for both halves.
--
-- definition: the drawn records of both halves have one in common with probability 1 - C(n - k, k) / C(n, k), which
--   is drawn for each attack
-- source: Anonymeter, the baseline of linkability
--
-- takes: seed
-- parameter records: integer, n, number of records of the release
-- parameter neighbours: integer, k, number of records drawn for each half
-- parameter attacks: integer, number of attacks
WITH known AS (
    SELECT
        CASE
            WHEN 2 * {{ neighbours }} > {{ records }} THEN 1
            ELSE 1 - EXP(
                LIST_SUM(LIST_TRANSFORM(
                RANGE({{ neighbours }}),
                lambda i: LN(CAST({{ records }} - {{ neighbours }} - i AS DOUBLE) / ({{ records }} - i)))))
        END AS chance
)
SELECT
    known.chance,
    COUNT(CASE WHEN MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive link:', range)) / 18446744073709551616.0
        < known.chance THEN 1 END) AS successes
FROM known
CROSS JOIN RANGE({{ attacks }})
GROUP BY known.chance

-- name: guess_bounds
-- Creates the table of targets with a bound on the distance of the nearest record without one attribute.
--
-- definition: the least distance by all attributes, and a range, as an attribute adds a range at most
--
-- takes: name, targets, released, distance, unit
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH bounds AS (
    SELECT target.target, MIN({{ distance | expression }}) + {{ unit }} AS bound
    FROM {{ targets | relation }} AS target
    CROSS JOIN {{ released | relation }} AS released
    GROUP BY target.target
)
SELECT targets.*, bounds.bound
FROM {{ targets | relation }} AS targets
JOIN bounds ON bounds.target = targets.target

-- name: guess_records
-- Creates the table of the nearest record of the release to each target, without each secret.
--
-- definition: of those that are equally near the first; a distance and a record are one number
-- source: Anonymeter, inference
--
-- takes: name, released, span
-- parameter targets: relation, the targets, with bounds where there are several secrets
-- parameter distance: expression, of target and release by all that is known
-- parameter parts: expressions, the contribution of each secret
-- parameter bounded: flag, the guesses have bounds
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    target.target
{% for part in parts %}
    , MIN(({{ distance | expression }} - {{ part | expression }}) * {{ span }} + released.record) % {{ span }}
        AS guess{{ loop.index0 }}
{% endfor %}
FROM {{ targets | relation }} AS target
JOIN {{ released | relation }} AS released
    ON {% if bounded %}{{ distance | expression }} <= target.bound{% else %}TRUE{% endif %}

GROUP BY target.target

-- name: guessed_secrets
-- The number of targets whose secret the nearest record of the release, or a drawn one, has.
--
-- definition: right is an equal value, and of numbers a guess g of the secret s with |g - s| <= tolerance x (|g| +
--   10^-12). The naive attacker guesses the secret of a record of the release drawn at random with equal probability
--   for each target: of a category naive / attacks is in the mean the sum over its values of share in the original x
--   share in the release
-- source: Giomi et al., PETS 2023, whose naive attacker draws from the release; Anonymeter, inference. There the
--   guess is not |g|, so that every guess below 0 is right; and Anonymeter 1.1.0 aligns the naive guesses with the
--   targets by row label, which leaves most of them without a value: on Adult 7 of 500 guesses of income are right
--   there, 307 by the definition
-- missing: a missing value is guessed rightly by a missing one
--
-- takes: seed
-- parameter targets: relation, the targets with codes
-- parameter guesses: relation, the records they are guessed by
-- parameter released: relation, the records of the release with codes
-- parameter guess: column, which guess
-- parameter secret: column, the code of the secret
-- parameter numbers: relation or none, the values of the secret, where it is a number
-- parameter tolerance: number, the share of the guess that a number may be away
-- parameter records: integer, number of records of the release
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
        ON drawn.record
            = CAST(MD5_NUMBER_LOWER(
            CONCAT({{ seed | literal }}, ':naive guess:', targets.target, ':', {{ secret | literal }})) % {{ records }}
            AS BIGINT)
),
told AS (
    SELECT
        guessed.origin,
{% if numbers is none %}
        guessed.guess = guessed.secret AS guess_right,
        guessed.naive = guessed.secret AS naive_right
    FROM guessed
{% else %}
        guessed.guess = guessed.secret
            OR COALESCE(
            ABS(guesses.number - secrets.number) <= {{ tolerance | literal }} * (ABS(guesses.number) + 1e-12), FALSE)
            AS guess_right,
        guessed.naive = guessed.secret
            OR COALESCE(ABS(naives.number - secrets.number) <= {{ tolerance | literal }} * (ABS(naives.number) + 1e-12),
            FALSE) AS naive_right
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
