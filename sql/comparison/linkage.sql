-- linkage
-- How often somebody who holds the original and the release, and lacks only which record is which, links them rightly.
--
-- definition: a record of the original is linked to the nearest one of the release, the distance of two being the largest
--   difference of their ranks in an attribute; of several nearest each is as good. The same is done with releases
--   whose columns are shuffled each for itself: what a blind link would reach.
-- source: Domingo-Ferrer, Ricci and Soria-Comas, Disclosure risk assessment via record linkage by a maximum-knowledge
--   attacker, 2015
-- portable: no
--
-- parameter original: column, the ranks of the drawn records
-- parameter release: column, the same in the release
-- parameter attributes: integer, how many attributes there are
-- parameter permutations: integer, how often columns are shuffled
-- parameter seed: integer, of the shuffling
WITH originals AS (
    SELECT * FROM {{ original | identifier }}
),
releases AS (
    SELECT * FROM {{ release | identifier }}
),
{% for i in range(attributes) %}
shuffled{{ i }} AS (
    SELECT shuffle, ROW_NUMBER() OVER (PARTITION BY shuffle ORDER BY MD5({{ seed | literal }} || ' {{ i }} ' || shuffle || ' ' || number), number) AS place, r{{ i }}
    FROM releases, RANGE(1, {{ permutations + 1 }}) AS shuffles(shuffle)
),
{% endfor %}
ordered AS (
    SELECT number, ROW_NUMBER() OVER (ORDER BY number) AS place FROM releases
),
candidates AS (
    SELECT 0 AS shuffle, number{% for i in range(attributes) %}, r{{ i }}{% endfor %} FROM releases
    UNION ALL
    SELECT shuffled0.shuffle, ordered.number{% for i in range(attributes) %}, shuffled{{ i }}.r{{ i }}{% endfor %}

    FROM shuffled0
    JOIN ordered ON ordered.place = shuffled0.place
{% for i in range(1, attributes) %}
    JOIN shuffled{{ i }} ON shuffled{{ i }}.shuffle = shuffled0.shuffle AND shuffled{{ i }}.place = shuffled0.place
{% endfor %}
),
nearest AS (
    SELECT
        candidates.shuffle,
        originals.number,
        MIN(GREATEST({% for i in range(attributes) %}ABS(originals.r{{ i }} - candidates.r{{ i }}){% if not loop.last %}, {% endif %}{% endfor %})) AS least,
        MIN(CASE WHEN candidates.number = originals.number
            THEN GREATEST({% for i in range(attributes) %}ABS(originals.r{{ i }} - candidates.r{{ i }}){% if not loop.last %}, {% endif %}{% endfor %}) END) AS own
    FROM originals, candidates
    GROUP BY candidates.shuffle, originals.number
),
ties AS (
    SELECT nearest.shuffle, nearest.number, COUNT(*) AS ties
    FROM nearest
    JOIN candidates ON candidates.shuffle = nearest.shuffle
    JOIN originals ON originals.number = nearest.number
    WHERE nearest.own = nearest.least
        AND GREATEST({% for i in range(attributes) %}ABS(originals.r{{ i }} - candidates.r{{ i }}){% if not loop.last %}, {% endif %}{% endfor %}) = nearest.least
    GROUP BY nearest.shuffle, nearest.number
),
rates AS (
    SELECT nearest.shuffle, CAST(SUM(CAST(COALESCE(1.0 / ties.ties, 0) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS rate
    FROM nearest
    LEFT JOIN ties ON ties.shuffle = nearest.shuffle AND ties.number = nearest.number
    GROUP BY nearest.shuffle
)
SELECT
    (SELECT COUNT(*) FROM originals) AS records,
    MAX(CASE WHEN shuffle = 0 THEN rate END) AS rate,
    CAST(SUM(CAST(CASE WHEN shuffle > 0 THEN rate ELSE 0 END AS DECIMAL(38, 18))) AS DOUBLE) / {{ permutations }} AS blind_rate,
    (1 + COUNT(CASE WHEN shuffle > 0 AND rate >= (SELECT rate FROM rates WHERE shuffle = 0) THEN 1 END)) / CAST({{ permutations + 1 }} AS DOUBLE) AS p_value
FROM rates
