-- class_matches_complete
-- Finds who agrees with the classes that miss nothing, where a missing cell is no value.
--
-- missing: none: whoever lacks a cell does not agree; wildcard: who lacks some agrees where all others are equal
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
-- parameter wildcard: integer, 1 where a missing cell agrees with all, 0 where it agrees with none
INSERT INTO class_matches
{% if wildcard %}
WITH sought AS (
    SELECT
        class_codes.class,
        class_patterns.pattern{% for place in range(attributes) %},
        class_codes.k{{ place }} & class_patterns.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    CROSS JOIN class_patterns
    WHERE class_codes.missing_cells = 0 AND class_patterns.missing_cells > 0
),
found AS (
    SELECT
        sought.class,
        SUM(class_codes.records) AS class_size,
        SUM(class_codes.weight) AS weight,
        SUM(class_codes.people) AS people
    FROM sought
    JOIN class_codes
        ON class_codes.pattern = sought.pattern{% for place in range(attributes) %} AND class_codes.k{{ place }} = sought.k{{ place }}{% endfor %}

    GROUP BY sought.class
)
SELECT
    'wildcard' AS missing,
    class_codes.class,
    class_codes.records,
    CAST(class_codes.records + COALESCE(found.class_size, 0) AS BIGINT) AS class_size,
    CAST(class_codes.weight + COALESCE(found.weight, 0) AS DECIMAL(38, 12)) AS weight,
    CAST(class_codes.people + COALESCE(found.people, 0) AS DECIMAL(38, 12)) AS people
FROM class_codes
LEFT JOIN found ON found.class = class_codes.class
WHERE class_codes.missing_cells = 0
{% else %}
SELECT 'none' AS missing, class, records, records AS class_size, weight, people
FROM class_codes
WHERE missing_cells = 0
{% endif %}
