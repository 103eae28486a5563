-- release_pairs
-- How many pairs of a combination of the original and one of the release are compared by ranges.
--
-- portable: no
--
-- parameter releases: column, the combinations of the release
-- parameter words: integers, all words
WITH collapsed AS (
    SELECT {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}COUNT(*) AS cells
    FROM {{ releases | identifier }}
    GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

),
patterns AS (
    SELECT DISTINCT {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %} FROM collapsed
),
probed AS (
    SELECT {% for word in words %}originals.w{{ word }} & patterns.m{{ word }} AS f{{ word }}, patterns.m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM originals, patterns
)
SELECT CAST(COALESCE(SUM(cells), 0) AS BIGINT) AS pairs
FROM probed
JOIN collapsed
    ON {% for word in words %}collapsed.f{{ word }} = probed.f{{ word }} AND collapsed.m{{ word }} = probed.m{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

