-- class_matches_none
-- Finds who agrees with each class in all that is known of it, for some ways in which cells are missing: those that miss some.
--
-- missing: what a record lacks is not known of it; who lacks a cell that it has does not agree with it
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
-- parameter first: integer, the place of the first way
-- parameter last: integer, the place of the last way
INSERT INTO class_matches
WITH pairs AS (
    SELECT wanted.pattern AS wanted, held.pattern AS held{% for place in range(attributes) %}, wanted.m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON {% for place in range(attributes) %}(held.m{{ place }} & wanted.m{{ place }}) = wanted.m{{ place }}{% if not loop.last %} AND {% endif %}{% endfor %}

    WHERE wanted.place BETWEEN {{ first | literal }} AND {{ last | literal }} AND wanted.missing_cells > 0
),
held AS (
    SELECT
        pairs.wanted AS pattern,
{% for place in range(attributes) %}
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }},
{% endfor %}
        class_codes.records,
        class_codes.weight,
        class_codes.people
    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
),
-- What nobody asks for is left out first: it is most of it.
found AS (
    SELECT
        pattern,
{% for place in range(attributes) %}
        k{{ place }},
{% endfor %}
        CAST(SUM(records) AS BIGINT) AS class_size,
        CAST(SUM(weight) AS DECIMAL(38, 12)) AS weight,
        CAST(SUM(people) AS DECIMAL(38, 12)) AS people
    FROM held
    SEMI JOIN (SELECT * FROM class_codes WHERE missing_cells > 0) AS asked
        USING (pattern{% for place in range(attributes) %}, k{{ place }}{% endfor %})
    GROUP BY pattern{% for place in range(attributes) %}, k{{ place }}{% endfor %}

)
SELECT 'none' AS missing, class_codes.class, class_codes.records, found.class_size, found.weight, found.people
FROM class_codes
JOIN found
    ON found.pattern = class_codes.pattern{% for place in range(attributes) %} AND found.k{{ place }} = class_codes.k{{ place }}{% endfor %}

