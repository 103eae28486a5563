-- jo_model
-- The totals of a table, and the highest figures of the JO model.
--
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
SELECT
    CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS BIGINT) AS singled_out,
    CAST(SUM(CASE WHEN ease = 0 THEN records ELSE 0 END) AS BIGINT) AS not_singled_out,
    CAST(SUM(CASE WHEN ease IS NULL THEN records ELSE 0 END) AS BIGINT) AS unknown,
    COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * records) AS DOUBLE), 0) AS total_ease,
    COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE), 0) * {{ base | literal }} AS total_value,
    CAST(SUM(records * sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_total_value,
    MAX(sensitivity) AS sensitivity,
    MAX(jo_identifiability) AS jo_identifiability,
    CAST(MAX(sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_value_per_record
FROM outcomes
