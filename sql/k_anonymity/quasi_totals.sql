-- quasi_totals
-- How many leaves each quasi-identifier has, and how many records have a value that its hierarchy misses.
--
-- missing: a missing value is a leaf where there is one
-- portable: no
--
-- parameter tables: columns, the tables of numbered values
{% for table in tables %}
SELECT
    {{ loop.index0 }} AS attribute,
    (SELECT COUNT(*) FROM {{ table | identifier }} WHERE code > 0)
    + COALESCE(MAX(CASE WHEN a{{ loop.index0 }} = 0 THEN 1 END), 0) AS leaves,
    CAST(COALESCE(SUM(CASE WHEN a{{ loop.index0 }} IS NULL THEN n END), 0) AS BIGINT) AS uncovered,
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    COUNT(*) AS tuples
FROM quasi_tuples
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY attribute
