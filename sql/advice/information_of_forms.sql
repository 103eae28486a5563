-- information_of_forms
-- The information that is left where attributes are published in a coarser form or not at all.
--
-- definition: U = 1 - KL(T || T') / KL(T || T0); T is the distribution of the records over the combinations of values, T'
--   spreads each record evenly over the combinations that its published form covers, T0 over all. Where every value
--   has one form, n KL(T || T') is the sum of t log2 t over the combinations, t being their records, less the sum
--   of m log2 m over the published combinations, m being theirs, plus log2 of the number of values that each
--   published value covers, summed over the records. A missing value is a value; a domain is what occurs.
--   Where nothing can be lost, 1 is left.
-- source: Yamaoka and Itoh, section 5 (information U)
-- portable: yes
--
-- parameter attributes: attributes, as they are
-- parameter forms: attributes, as they are published
-- parameter dropped: integers, the positions of those that are not published
WITH tuples AS (
    SELECT
        records
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
        , {% if loop.index0 in dropped %}0{% else %}{{ forms[loop.index0] | value }}{% endif %} AS c{{ loop.index0 }}
{% endfor %}
    FROM known_tuples
),
classes AS (
    SELECT SUM(records) AS records
    FROM tuples
    GROUP BY {% for attribute in attributes %}c{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

),
covered AS (
{% for attribute in attributes %}
    SELECT
        {{ loop.index0 }} AS position, SUM(records) AS records,
        COUNT(DISTINCT v{{ loop.index0 }}) + MAX(CASE WHEN v{{ loop.index0 }} IS NULL THEN 1 ELSE 0 END) AS leaves
    FROM tuples
    GROUP BY c{{ loop.index0 }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
totals AS (
    SELECT SUM(records) AS n, SUM(CAST(records * LOG2(records) AS DECIMAL(38, 12))) AS told FROM tuples
),
published AS (
    SELECT SUM(CAST(records * LOG2(records) AS DECIMAL(38, 12))) AS told FROM classes
),
spread AS (
    SELECT SUM(CAST(records * LOG2(leaves) AS DECIMAL(38, 12))) AS spread FROM covered
),
domains AS (
    SELECT SUM(CAST(LOG2(leaves) AS DECIMAL(38, 12))) AS spread
    FROM (SELECT position, SUM(leaves) AS leaves FROM covered GROUP BY position) AS domain
),
divergences AS (
    SELECT
        CAST(totals.told - published.told + spread.spread AS DOUBLE) / totals.n AS kl,
        CAST(totals.told AS DOUBLE) / totals.n - LOG2(totals.n) + CAST(domains.spread AS DOUBLE) AS kl0
    FROM totals, published, spread, domains
)
SELECT
    kl,
    kl0,
    CASE WHEN kl0 < 0.000000001 THEN CAST(1 AS DOUBLE) ELSE ROUND(1 - kl / kl0, 12) + 0 END AS information
FROM divergences
