-- tier_ease
-- How easily a person is singled out by the sets of each tier.
--
-- definition: ease = 2 i(I), i(I) = 0.9^(|I| - 1) / (log8(s(I) - 1) + 1), s(I) = 5^(max E - 1) + 10^(max P - 1)
-- source: Yamaoka and Itoh, equations 2 to 4
-- portable: no
--
-- parameter sizes: integers, attributes in the sets of each tier
-- parameter economic: integers, the highest economic level in them
-- parameter psychological: integers, the highest psychological level in them
CREATE OR REPLACE TEMP TABLE tier_ease AS
SELECT
    tier,
    ROUND(
        2 * POWER(CAST(0.9 AS DOUBLE), size - 1)
        / (LOG2(POWER(5, economic - 1) + POWER(10, psychological - 1) - 1) / 3 + 1),
        12
    ) AS ease
FROM (
    VALUES
{% for size in sizes %}
    ({{ loop.index0 }}, {{ size }}, {{ economic[loop.index0] }}, {{ psychological[loop.index0] }}){% if not loop.last %},{% endif %}

{% endfor %}
) AS listed (tier, size, economic, psychological)
