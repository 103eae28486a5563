-- jo_model
-- The totals of a table, and the highest figures of the JO model.
--
-- definition: JO's compensation is its total value times both factors; the change is that of the total value;
--   the last tier is that of the least easy sets by which somebody goes
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
-- parameter social_responsibility: integer, JO's factor
-- parameter post_response: integer, JO's factor
-- parameter stopped_at: integer or none, the number of the first tier that a limit left out; whom it left unknown
--   is singled out by no easier set
-- parameter before: text or none, the digits of the total value that the change starts from
WITH totals AS (
    SELECT
        CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS BIGINT) AS singled_out,
        CAST(SUM(CASE WHEN ease = 0 THEN records ELSE 0 END) AS BIGINT) AS not_singled_out,
        CAST(SUM(CASE WHEN ease IS NULL THEN records ELSE 0 END) AS BIGINT) AS unknown,
        CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS DOUBLE) / NULLIF(SUM(records), 0) AS singled_out_share,
        COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * records) AS DOUBLE), 0) AS total_ease,
        COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE), 0) * {{ base | literal }} AS total_value,
        CAST(SUM(records * sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_total_value,
        MAX(CASE WHEN ease > 0 AND jo_identifiability < 3 THEN tier END) AS last_tier,
        MAX(sensitivity) AS sensitivity,
        MAX(jo_identifiability) AS jo_identifiability,
        CAST(MAX(sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_value_per_record
    FROM outcomes
)
SELECT
    singled_out,
    singled_out_share,
    not_singled_out,
    unknown,
    last_tier,
    CASE WHEN unknown > 0 THEN (SELECT ease FROM tier_ease WHERE tier = {{ stopped_at | literal }}) END AS unknown_ease_at_most,
    total_ease,
    total_value,
    total_value / NULLIF(CAST({{ before | literal }} AS DOUBLE), 0) - 1 AS change,
    jo_total_value,
    jo_total_value * {{ social_responsibility | literal }} * {{ post_response | literal }} AS total_compensation,
    sensitivity,
    jo_identifiability,
    jo_value_per_record
FROM totals
