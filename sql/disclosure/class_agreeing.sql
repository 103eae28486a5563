-- class_agreeing
-- Which classes agree with which, or with those of the users who miss something.
--
-- definition: none: theirs holds every value of mine; wildcard: both are equal wherever neither misses something
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
-- parameter wildcard: integer, 1 where a missing cell agrees with all
-- parameter most: integer, the table ends there
-- parameter owned: integer, 1 for those of the users who miss something, 0 for all
CREATE OR REPLACE TEMP TABLE class_agreeing AS
WITH pairs AS (
    SELECT wanted.pattern AS wanted, held.pattern AS held{% for place in range(attributes) %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON {% if wildcard %}TRUE{% else %}{% for place in range(attributes) %}(held.m{{ place }} & wanted.m{{ place }}) = wanted.m{{ place }}{% if not loop.last %} AND {% endif %}{% endfor %}{% endif %}

),
mine AS (
    SELECT
        class_codes.class,
        pairs.held AS pattern{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}{% for place in range(attributes) %},
        pairs.m{{ place }}{% endfor %},
        pairs.wanted
    FROM class_codes
    JOIN pairs ON pairs.wanted = class_codes.pattern
{% if owned %}
    WHERE class_codes.class IN (
        SELECT class_owners.class
        FROM class_owners
        JOIN class_histories ON class_histories.person = class_owners.person
        WHERE class_histories.incomplete
    )
{% endif %}
),
theirs AS (
    SELECT
        class_codes.class,
        class_codes.pattern,
        pairs.wanted{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
)
SELECT mine.class AS mine, theirs.class AS theirs
FROM mine
JOIN theirs
    ON theirs.wanted = mine.wanted AND theirs.pattern = mine.pattern{% for place in range(attributes) %} AND theirs.k{{ place }} = mine.k{{ place }}{% endfor %}

LIMIT {{ most }}
