-- class_fitting
-- The candidates who are not ruled out by any single record.
--
-- definition: none: for each different record of mine they have as many records that hold its values as I have;
--   wildcard: for each different record of either the other has as many that agree with it as there are of it
-- portable: yes
--
-- parameter wildcard: integer, 1 where a missing cell agrees with all
CREATE OR REPLACE TEMP TABLE class_fitting AS
WITH counts AS (
    SELECT
        class_candidates.mine,
        class_candidates.theirs,
        my.class AS my_class,
        my.n AS my_n,
        their.class AS their_class,
        their.n AS their_n
    FROM class_candidates
    JOIN class_owners AS my ON my.person = class_candidates.mine
    JOIN class_agreeing ON class_agreeing.mine = my.class
    JOIN class_owners AS their ON their.person = class_candidates.theirs AND their.class = class_agreeing.theirs
),
needs AS (
{% if wildcard %}
    SELECT person, class, n FROM class_owners
{% else %}
    SELECT my.person, my.class, SUM(also.n) AS n
    FROM class_owners AS my
    JOIN class_histories ON class_histories.person = my.person AND class_histories.incomplete
    JOIN class_agreeing ON class_agreeing.mine = my.class
    JOIN class_owners AS also ON also.person = my.person AND also.class = class_agreeing.theirs
    GROUP BY my.person, my.class
{% endif %}
),
forwards AS (
    SELECT found.mine, found.theirs
    FROM (SELECT mine, theirs, my_class, SUM(their_n) AS n FROM counts GROUP BY mine, theirs, my_class) AS found
    JOIN needs ON needs.person = found.mine AND needs.class = found.my_class AND found.n >= needs.n
    JOIN class_histories ON class_histories.person = found.mine
    GROUP BY found.mine, found.theirs
    HAVING COUNT(*) = MAX(class_histories.parts)
){% if wildcard %},
backwards AS (
    SELECT found.mine, found.theirs
    FROM (SELECT mine, theirs, their_class, SUM(my_n) AS n FROM counts GROUP BY mine, theirs, their_class) AS found
    JOIN needs ON needs.person = found.theirs AND needs.class = found.their_class AND found.n >= needs.n
    JOIN class_histories ON class_histories.person = found.theirs
    GROUP BY found.mine, found.theirs
    HAVING COUNT(*) = MAX(class_histories.parts)
)
SELECT forwards.mine, forwards.theirs
FROM forwards
JOIN backwards ON backwards.mine = forwards.mine AND backwards.theirs = forwards.theirs
{% else %}

SELECT mine, theirs FROM forwards
{% endif %}
