-- useful_sets
-- The sets of some tiers that can single somebody out: they contain all attributes that an open person requires.
--
-- portable: no
--
-- parameter first: integer, the number of the first of these tiers
-- parameter last: integer, the number of the last
-- parameter open_if: text, which persons are open: "all", "class" or "needed"
-- parameter class: integer, the bit of the class
-- parameter words: integer, words of a combination
CREATE OR REPLACE TEMP TABLE useful AS
WITH asked AS (
    SELECT required{% if open_if == "needed" %}, needed{% endif %}, COUNT(*) AS combinations
    FROM open_persons
{% if open_if == "class" %}
    WHERE (classes & {{ class | literal }}) <> 0
{% endif %}
    GROUP BY required{% if open_if == "needed" %}, needed{% endif %}

),
counted AS (
    SELECT sets.mask, SUM(asked.combinations) AS wanted
    FROM sets
    JOIN asked ON (asked.required & ~sets.mask) = 0{% if open_if == "needed" %} AND (asked.needed & ~sets.mask) <> 0{% endif %}

    WHERE sets.tier BETWEEN {{ first | literal }} AND {{ last | literal }}
    GROUP BY sets.mask
)
SELECT
    sets.tier, ROW_NUMBER() OVER (ORDER BY sets.tier, mask) - 1 AS number, mask, CAST(counted.wanted AS BIGINT) AS wanted
{% for word in range(words) %}
    , f{{ word }}
{% endfor %}
FROM sets
JOIN counted USING (mask)
