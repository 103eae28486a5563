-- totals_without
-- What the total value falls to where an attribute is left out of the table, and by which part of it.
--
-- definition: whom another of their easiest sets singles out keeps their ease; the others get that of the easiest
--   set without the attribute, or 0. The sensitivity is that of the attributes that are left.
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
-- parameter before: text, the digits of the total value of the whole table
-- parameter names: integer, the bits of attributes that hold a name
-- parameter addresses: integer, the bits of attributes that hold an address
-- parameter phones: integer, the bits of attributes that hold a telephone number
WITH left_over AS (
    SELECT
        dropped.position, dropped.bit, missing, MAX(known.economic) AS economic, MAX(known.psychological) AS psychological
    FROM patterns
    CROSS JOIN searched_attributes AS dropped
    LEFT JOIN searched_attributes AS known ON (patterns.missing & known.bit) = 0 AND known.bit <> dropped.bit
    GROUP BY dropped.position, dropped.bit, missing
),
priced AS (
    SELECT
        position,
        missing,
        COALESCE(CAST(POWER(10, psychological - 1) + POWER(5, economic - 1) AS INTEGER), 0) AS sensitivity,
        CASE WHEN ({{ names | literal }} & ~missing & ~bit) <> 0 AND ({{ addresses | literal }} & ~missing & ~bit) <> 0 THEN 6
            WHEN ({{ names | literal }} & ~missing & ~bit) <> 0
                OR (({{ addresses | literal }} & ~missing & ~bit) <> 0 AND ({{ phones | literal }} & ~missing & ~bit) <> 0) THEN 3
            ELSE 1 END AS jo_identifiability
    FROM left_over
),
remaining AS (
    SELECT position, tier, missing, records
    FROM outcomes
    CROSS JOIN searched_attributes
    WHERE (every_mask & bit) = 0
    UNION ALL
    SELECT position, tier, missing, records FROM without_attribute
),
totals AS (
    SELECT
        position,
        CAST(SUM(
            CAST(CASE WHEN jo_identifiability >= 3 THEN jo_identifiability ELSE COALESCE(tier_ease.ease, 0) END AS DECIMAL(18, 15))
            * (remaining.records * sensitivity)
        ) AS DOUBLE) * {{ base | literal }} AS total_value
    FROM remaining
    JOIN priced USING (position, missing)
    LEFT JOIN tier_ease ON tier_ease.tier = remaining.tier
    GROUP BY position
)
SELECT position, total_value, total_value / NULLIF(CAST({{ before | literal }} AS DOUBLE), 0) - 1 AS change
FROM totals
ORDER BY position
