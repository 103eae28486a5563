-- class_matches_wildcard
-- Finds who agrees with each class where a missing cell agrees with all, for some ways in which cells are missing: those that miss some.
--
-- missing: two records agree where every attribute is equal or missing in either
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
-- parameter first: integer, the place of the first way
-- parameter last: integer, the place of the last way
INSERT INTO class_matches
WITH pairs AS (
    SELECT wanted.pattern AS wanted, held.pattern AS held{% for place in range(attributes) %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    CROSS JOIN class_patterns AS held
    WHERE wanted.place BETWEEN {{ first | literal }} AND {{ last | literal }} AND wanted.missing_cells > 0
),
sought AS (
    SELECT
        class_codes.class,
        class_codes.records,
        pairs.wanted,
        pairs.held{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    JOIN pairs ON pairs.wanted = class_codes.pattern
),
held AS (
    SELECT
        pairs.wanted,
        pairs.held,
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
        wanted,
        held,
{% for place in range(attributes) %}
        k{{ place }},
{% endfor %}
        SUM(records) AS class_size,
        SUM(weight) AS weight,
        SUM(people) AS people
    FROM held
    SEMI JOIN sought USING (wanted, held{% for place in range(attributes) %}, k{{ place }}{% endfor %})
    GROUP BY wanted, held{% for place in range(attributes) %}, k{{ place }}{% endfor %}

)
SELECT
    'wildcard' AS missing,
    sought.class,
    sought.records,
    CAST(SUM(found.class_size) AS BIGINT) AS class_size,
    CAST(SUM(found.weight) AS DECIMAL(38, 12)) AS weight,
    CAST(SUM(found.people) AS DECIMAL(38, 12)) AS people
FROM sought
JOIN found
    ON found.wanted = sought.wanted AND found.held = sought.held{% for place in range(attributes) %} AND found.k{{ place }} = sought.k{{ place }}{% endfor %}

GROUP BY sought.class, sought.records
