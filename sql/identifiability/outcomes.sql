-- outcomes
-- How many persons are singled out how, by the easiest sets and the pattern of missing values.
--
-- definition: the ease of a person is that of the easiest sets that single them out, 0 where none does; where
--   JO's identifiability is 3 or more, it is that. whom a limit left unknown has none.
-- source: Yamaoka and Itoh, section 4.2
-- portable: no
--
-- parameter several: integer, 1 where the persons are users, whose missing attributes are listed, else 0
-- parameter only_missing: integer, 1 where only persons with missing values were searched: the others stay as they are
CREATE OR REPLACE TEMP TABLE outcomes AS
WITH
booked AS (
    SELECT
        tier, first_mask, any_mask, every_mask, {% if several %}users_missing.missing{% else %}settled.missing{% endif %} AS missing, COUNT(*) AS records
    FROM settled
{% if several %}
    JOIN users_missing USING (id)
{% endif %}
    GROUP BY tier, first_mask, any_mask, every_mask, {% if several %}users_missing.missing{% else %}settled.missing{% endif %}

),
unknown AS (
    SELECT {% if several %}users_missing.missing{% else %}left_persons.missing{% endif %} AS missing, COUNT(DISTINCT id) AS records
    FROM left_persons
{% if several %}
    JOIN users_missing USING (id)
{% endif %}
    GROUP BY {% if several %}users_missing.missing{% else %}left_persons.missing{% endif %}

),
counted AS (
    SELECT missing, SUM(records) AS records
    FROM (SELECT missing, records FROM booked UNION ALL SELECT missing, records FROM unknown) AS seen
    GROUP BY missing
),
parts AS (
    SELECT tier, first_mask, any_mask, every_mask, missing, records, FALSE AS unknown FROM booked
    UNION ALL
    SELECT NULL, 0, 0, 0, missing, records, TRUE FROM unknown
    UNION ALL
    SELECT NULL, 0, 0, 0, patterns.missing, patterns.records - COALESCE(counted.records, 0), FALSE
    FROM patterns
    LEFT JOIN counted USING (missing)
    WHERE patterns.records > COALESCE(counted.records, 0)
{% if only_missing %}
        AND missing <> 0
{% endif %}
)
SELECT
    parts.tier,
    CASE WHEN jo_identifiability >= 3 THEN jo_mask ELSE first_mask END AS first_mask,
    CASE WHEN jo_identifiability >= 3 THEN jo_mask ELSE any_mask END AS any_mask,
    every_mask,
    missing,
    sensitivity,
    jo_identifiability,
    CASE WHEN jo_identifiability >= 3 THEN jo_identifiability
        WHEN unknown THEN NULL
        ELSE COALESCE(tier_ease.ease, 0) END AS ease,
    CAST(parts.records AS BIGINT) AS records
FROM parts
JOIN patterns USING (missing)
LEFT JOIN tier_ease ON tier_ease.tier = parts.tier
{% if only_missing %}
UNION ALL
SELECT tier, first_mask, any_mask, every_mask, missing, sensitivity, jo_identifiability, ease, records
FROM outcomes
WHERE missing = 0
{% endif %}
