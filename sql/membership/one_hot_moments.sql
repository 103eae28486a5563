-- one_hot_moments
-- Means and covariances of the components of one-hot vectors, exactly but for the last rounding.
--
-- definition: covariance = (n sum(a b) - sum(a) sum(b)) / (n (n - 1)); sums of whole numbers; records that have two dummies
--   are counted by the common bits of two bit strings
-- missing: there are no missing values; one record has no covariances, told as 0
-- portable: no
--
-- parameter source: relation, the one-hot vectors, their records numbered from 0
-- parameter records: integer, how many there are
-- parameter truths: integers, components that are truth values
-- parameter numbers: integers, components that are whole numbers
WITH aggregated AS (
    SELECT
        COUNT(*) AS n
{% for truth in truths %}
        , BITSTRING_AGG(CASE WHEN y{{ truth }} THEN record END, 0, {{ records }} - 1) AS bits{{ truth }}
{% endfor %}
{% for number in numbers %}
        , SUM(y{{ number }}) AS sum{{ number }}
{% for other in numbers %}
{% if other >= number %}
        , SUM(CAST(y{{ number }} AS HUGEINT) * y{{ other }}) AS product{{ number }}_{{ other }}
{% endif %}
{% endfor %}
{% for truth in truths %}
        , COALESCE(SUM(CASE WHEN y{{ truth }} THEN y{{ number }} END), 0) AS part{{ number }}_{{ truth }}
{% endfor %}
{% endfor %}
    FROM {{ source | relation }} AS vectors
),
bits AS (
    SELECT
        UNNEST({{ truths | literal }}) AS place
        , UNNEST([{% for truth in truths %}bits{{ truth }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS bits
    FROM aggregated
),
sums AS (
    SELECT place, CAST(COALESCE(BIT_COUNT(bits), 0) AS HUGEINT) AS total
    FROM bits
{% for number in numbers %}
    UNION ALL
    SELECT {{ number }}, sum{{ number }}
    FROM aggregated
{% endfor %}
),
products AS (
    SELECT a.place AS first, b.place AS second, CAST(COALESCE(BIT_COUNT(a.bits & b.bits), 0) AS HUGEINT) AS product
    FROM bits AS a
    JOIN bits AS b ON a.place <= b.place
{% for number in numbers %}
    UNION ALL
    SELECT UNNEST([{% for other in numbers %}{% if other >= number %}{{ number }}{% if not loop.last %}, {% endif %}{% endif %}{% endfor %}]), UNNEST([{% for other in numbers %}{% if other >= number %}{{ other }}{% if not loop.last %}, {% endif %}{% endif %}{% endfor %}]), UNNEST([{% for other in numbers %}{% if other >= number %}product{{ number }}_{{ other }}{% if not loop.last %}, {% endif %}{% endif %}{% endfor %}])
    FROM aggregated
{% if truths | length > 0 %}
    UNION ALL
    SELECT UNNEST({{ truths | literal }}), {{ number }}, UNNEST([{% for truth in truths %}part{{ number }}_{{ truth }}{% if not loop.last %}, {% endif %}{% endfor %}])
    FROM aggregated
{% endif %}
{% endfor %}
)
SELECT
    products.first
    , products.second
    , COALESCE(
        CAST(aggregated.n * products.product - a.total * b.total AS DOUBLE)
        / NULLIF(CAST(aggregated.n AS DOUBLE) * (aggregated.n - 1), 0), 0
    ) AS covariance
    , CAST(a.total AS DOUBLE) / aggregated.n AS mean
FROM products
JOIN sums AS a ON a.place = products.first
JOIN sums AS b ON b.place = products.second
CROSS JOIN aggregated
ORDER BY products.first, products.second
