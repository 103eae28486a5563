-- gain_cells
-- How many records that agree with a combination hold which value of the attribute it leaves out, for some ways in which cells are missing.
--
-- definition: none: who agrees holds every value of the combination; wildcard: both are equal wherever neither misses something
-- missing: a record that lacks the attribute itself takes no part
-- portable: no
--
-- parameter others: integers, the places of the other attributes
-- parameter own: integer, the place of this one
-- parameter wildcard: integer, 1 where a missing cell agrees with all
-- parameter first: integer, the place of the first way
-- parameter last: integer, the place of the last way
-- parameter most: integer, the table ends there
CREATE OR REPLACE TEMP TABLE gain_cells AS
WITH pairs AS (
    SELECT wanted.pattern AS wanted, held.pattern AS held{% for place in others %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON wanted.m{{ own }} = -1 AND held.m{{ own }} = -1{% if not wildcard %}{% for place in others %} AND (held.m{{ place }} & wanted.m{{ place }}) = wanted.m{{ place }}{% endfor %}{% endif %}

    WHERE wanted.place BETWEEN {{ first | literal }} AND {{ last | literal }}
),
mine AS (
    SELECT
        gain_asked.combination,
        pairs.wanted,
        pairs.held{% for place in others %},
        gain_asked.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM gain_asked
    JOIN pairs ON pairs.wanted = gain_asked.pattern
),
theirs AS (
    SELECT
        pairs.wanted,
        pairs.held,
{% for place in others %}
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }},
{% endfor %}
        class_codes.k{{ own }} AS value,
        class_codes.records
    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
),
-- What nobody asks for is left out first: it is most of it.
found AS (
    SELECT
        wanted,
        held,
{% for place in others %}
        k{{ place }},
{% endfor %}
        value,
        CAST(SUM(records) AS BIGINT) AS records
    FROM theirs
    SEMI JOIN mine USING (wanted, held{% for place in others %}, k{{ place }}{% endfor %})
    GROUP BY wanted, held{% for place in others %}, k{{ place }}{% endfor %}, value
)
SELECT mine.combination, found.value, found.records
FROM mine
JOIN found
    ON found.wanted = mine.wanted AND found.held = mine.held{% for place in others %} AND found.k{{ place }} = mine.k{{ place }}{% endfor %}

LIMIT {{ most }}
