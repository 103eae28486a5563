-- release_probes
-- How much work it is to look the combinations of the original up among those of the release.
--
-- definition: a combination is looked up once for each way in which the release generalises whole records; intervals
--   that overlap are then compared one by one
-- portable: no
--
-- parameter words: integers, all words
-- parameter ranged: integer, 1 where intervals overlap
-- parameter most: integer, above so many look-ups nothing more is counted
WITH patterns AS (
    SELECT DISTINCT {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %} FROM releases
),
counted AS (
    SELECT (SELECT COUNT(*) FROM originals) * (SELECT COUNT(*) FROM patterns) AS probes
){% if ranged %},
collapsed AS (
    SELECT {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}COUNT(*) AS cells
    FROM releases
    GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

),
probed AS (
    SELECT {% for word in words %}originals.w{{ word }} & patterns.m{{ word }} AS f{{ word }}, patterns.m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM originals, patterns
    WHERE (SELECT probes FROM counted) <= {{ most }}
),
paired AS (
    SELECT CAST(COALESCE(SUM(cells), 0) AS BIGINT) AS pairs
    FROM probed
    JOIN collapsed
        ON {% for word in words %}collapsed.f{{ word }} = probed.f{{ word }} AND collapsed.m{{ word }} = probed.m{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

)
SELECT counted.probes, paired.pairs FROM counted, paired
{% else %}

SELECT probes, CAST(0 AS BIGINT) AS pairs FROM counted
{% endif %}
