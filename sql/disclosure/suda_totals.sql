-- suda_totals
-- Counts who has minimal uniques, and adds up their scores.
--
-- portable: no
--
-- parameter persons: integer, of how many
-- parameter divisor: integer, a score here is so many times what it is
-- parameter wildcard: integer, 1 where who agrees on all attributes is in agreeing_sizes
WITH uniques AS (
    SELECT COUNT(*) AS minimal_uniques FROM suda_uniques
),
rows AS (
    SELECT
{% if wildcard %}
        COUNT(DISTINCT CASE WHEN alone THEN id END) AS unique_on_all,
        CAST(COALESCE(SUM(CASE WHEN agreeing = 2 THEN records END), 0) AS BIGINT) AS in_pairs
    FROM agreeing_sizes
{% else %}
        COUNT(DISTINCT id) AS unique_on_all,
        CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS BIGINT) AS in_pairs
    FROM lattice_rows
{% endif %}
),
records AS (
    SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS scored_records FROM suda_scores
)
SELECT
    ANY_VALUE(rows.unique_on_all) AS unique_on_all,
    ANY_VALUE(rows.in_pairs) AS in_pairs,
    COUNT(persons.id) AS scored,
    CAST(COUNT(persons.id) AS DOUBLE) / NULLIF({{ persons }}, 0) AS scored_share,
    ANY_VALUE(records.scored_records) AS scored_records,
    ANY_VALUE(uniques.minimal_uniques) AS minimal_uniques,
{% if divisor > 1 %}
    CAST(COALESCE(SUM(persons.score), 0) AS DOUBLE) / {{ divisor }} AS score_total,
    CAST(MAX(persons.score) AS DOUBLE) / {{ divisor }} AS score_max,
    CAST(SUM(persons.score) AS DOUBLE) / (COUNT(persons.id) * {{ divisor }}) AS score_mean,
{% else %}
    COALESCE(SUM(persons.score), 0) AS score_total,
    MAX(persons.score) AS score_max,
    CAST(SUM(persons.score) AS DOUBLE) / COUNT(persons.id) AS score_mean,
{% endif %}
    MAX(persons.dis) AS dis_max,
    CAST(SUM(CAST(persons.dis AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(persons.id) AS dis_mean
FROM uniques, rows, records
LEFT JOIN suda_persons AS persons ON TRUE
