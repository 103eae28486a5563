-- scenarios
-- The records whose leak tells the most, each with the easiest sets that single it out.
--
-- portable: no
--
-- parameter records: relation or none, all records with their outcome; needed where a name is among the attributes,
--   because a record with a name need not be singled out
-- parameter base: number, the value of the least sensitive record
-- parameter most: integer, list so many records at most
WITH outcome AS (
{% if records %}
    SELECT record, mask, ease, missing, value, others FROM ({{ records | relation }}) AS listed WHERE ease > 0
{% else %}
    SELECT
        settled.id AS record,
        first_mask AS mask,
        tier,
        tier_ease.ease,
        missing,
        sensitivity * tier_ease.ease * {{ base | literal }} AS value
    FROM settled
    JOIN tier_ease USING (tier)
    JOIN patterns USING (missing)
{% endif %}
),
worst AS (
    SELECT * FROM outcome ORDER BY value DESC, record LIMIT {{ most | literal }}
),
-- What is left out is counted where records of the same outcome are one row.
counted AS (
    SELECT
        CAST(SUM(records) AS BIGINT) AS total,
        CAST(SUM(CASE WHEN CAST(ease * sensitivity * {{ base | literal }} AS DOUBLE) >= lowest.value THEN records ELSE 0 END) AS BIGINT) AS reached
    FROM outcomes
    CROSS JOIN (SELECT CAST(MIN(value) AS DOUBLE) AS value FROM worst) AS lowest
    WHERE outcomes.ease > 0
)
SELECT
    record, mask, CAST(ease AS DOUBLE) AS ease, missing, CAST(value AS DOUBLE) AS value,
{% if records %}
    others AS also
{% else %}
    (
        SELECT LIST(best.mask ORDER BY best.mask)
        FROM best
        WHERE best.id = worst.record AND best.tier = worst.tier AND best.mask <> worst.mask
    ) AS also
{% endif %}
    , counted.total, counted.reached
FROM worst
CROSS JOIN counted
ORDER BY value DESC, record
