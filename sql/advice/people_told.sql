-- people_told
-- How many different cells each form of a column has, and their entropy.
--
-- definition: H = sum over cells x of Pr(x) log2(1 / Pr(x))
-- source: Shannon, A Mathematical Theory of Communication, 1948, section 6
-- portable: no
--
-- parameter tables: texts, the tables of forms or of values
-- parameter columns: texts, what is counted in each
{% for table in tables %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    COUNT(*) AS cells,
    CAST(SUM(CAST(part * -LOG2(part) AS DECIMAL(38, 18))) AS DOUBLE) AS bits
FROM (
    SELECT SUM(records) / SUM(SUM(records)) OVER () AS part
    FROM {{ table | identifier }} AS different
    GROUP BY {{ columns[loop.index0] | identifier }}
) AS parts
{% endfor %}
ORDER BY number
