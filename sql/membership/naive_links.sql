-- naive_links
-- How many targets the naive attacker links, who draws records of the release for both halves.
--
-- definition: so many different records for each half have one in common with probability 1 - C(n - k, k) / C(n, k), which is
--   drawn for each attack
-- source: Anonymeter, the baseline of linkability
-- portable: no
--
-- parameter records: integer, n, how many the release has
-- parameter neighbours: integer, k, so many are drawn for each half
-- parameter attacks: integer, how many are made
-- parameter seed: integer, another seed draws anew
WITH known AS (
    SELECT
        CASE
            WHEN 2 * {{ neighbours }} > {{ records }} THEN 1
            ELSE 1 - EXP(LIST_SUM(LIST_TRANSFORM(RANGE({{ neighbours }}), lambda i: LN(CAST({{ records }} - {{ neighbours }} - i AS DOUBLE) / ({{ records }} - i)))))
        END AS chance
)
SELECT
    known.chance,
    COUNT(CASE WHEN MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive link:', range)) / 18446744073709551616.0 < known.chance THEN 1 END) AS successes
FROM known
CROSS JOIN RANGE({{ attacks }})
GROUP BY known.chance
