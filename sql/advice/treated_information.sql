-- treated_information
-- The information that a treatment leaves.
--
-- definition: U = 1 - KL(T || T') / KL(T || T0); T is the distribution of the records over the combinations of values, T'
--   spreads each record evenly over the combinations that its published cells cover, T0 over all; a deleted record is
--   spread over all. A combination has t records, its published cells m records that are not deleted and
--   2^spread combinations; of n records d are deleted; so n KL is the sum of t (log2 t - log2(m / 2^spread +
--   d / 2^all)). Where nothing can be lost, 1 is left.
-- source: Yamaoka and Itoh, section 5 (information U); a deleted record counts as suppressed in every attribute
-- missing: a missing value is a value like another; a domain is what occurs
-- portable: no
--
-- parameter words: integer, words of the cells
-- parameter masks: integers, the bits in each of these words of the columns that are information
-- parameter leaves: integers, how many values each of these has
-- parameter deleted: integer, 1 where records are deleted
WITH classes AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS t,
        CAST(SUM({% if deleted %}CASE WHEN treated_deletions.tuple IS NULL THEN records ELSE 0 END{% else %}records{% endif %}) AS DOUBLE) AS m,
        MIN(spread) AS spread
    FROM treated_cells
{% if deleted %}
    LEFT JOIN treated_deletions USING (tuple)
{% endif %}
    GROUP BY {% if words %}{% for word in range(words) %}q{{ word }} & {{ masks[word] }}{% if not loop.last %}, {% endif %}{% endfor %}{% else %}spread{% endif %}

),
totals AS (
    SELECT SUM(t) AS n, SUM(t - m) AS d FROM classes
),
domain AS (
    SELECT CAST(0 AS DOUBLE){% for count in leaves %} + LOG2({{ count }}){% endfor %} AS spread
),
published AS (
    SELECT
        SUM(CAST(t * (CASE
            WHEN m = 0 THEN LOG2(d) - domain.spread
            WHEN d = 0 THEN LOG2(m) - classes.spread
            ELSE LOG2(m + d * POWER(2, classes.spread - domain.spread)) - classes.spread
        END) AS DECIMAL(38, 12))) AS told
    FROM classes, totals, domain
),
divergences AS (
    SELECT
        totals.n,
        totals.d,
        CAST(advice_told.told - published.told AS DOUBLE) / totals.n AS kl,
        CAST(advice_told.told AS DOUBLE) / totals.n - LOG2(totals.n) + domain.spread AS kl0
    FROM totals, published, domain, advice_told
)
SELECT
    kl,
    kl0,
    CASE WHEN kl0 < 0.000000001 THEN CAST(1 AS DOUBLE) ELSE ROUND(1 - kl / kl0, 12) + 0 END AS information,
    CAST(n - d AS BIGINT) AS records,
    CAST(d AS BIGINT) AS deleted
FROM divergences
