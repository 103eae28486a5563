-- growing
-- Classes that grow: small groups of local recoding are divided by adding the tuples that fit best.
--
-- idea: a class begins with the tuple furthest from the class before it, and takes the tuples that keep its box
--   cheapest, until it has k records or people. What is left in the end goes where it costs least. All groups grow
--   their classes at the same time. A group whose cuts cost less keeps them.
-- source: Byun et al., Efficient k-anonymization using clustering techniques, DASFAA 2007; several tuples at once are
--   our own
-- runs: finish
-- reads: local_disclosing, local_open, local_sided, local_sizes, quasi_classes
-- makes: growing_left, growing_members, growing_moved, growing_rejected, growing_ways, quasi_classes
--
-- parameter sets: integers, 1 where a quasi-identifier is a set of bits, 0 where it is a range
-- parameter weights: numbers, the weight of each quasi-identifier
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter most: integer, values of a set in a cell
-- parameter k: integer, the least records or people of a class
-- parameter people: flag, classes count people
-- parameter number: integer, the number of the class in its group

-- name: growing_left
-- The tuples that are to grow into classes: all, or none yet.
--
-- parameter all: flag, all open groups grow
CREATE OR REPLACE TEMP TABLE growing_left AS
SELECT * FROM local_open{% if not all %} WHERE FALSE{% endif %}


-- name: growing_take
-- Takes the sides of cuts that grow classes.
INSERT INTO growing_left
SELECT sided.*
FROM local_sided AS sided
JOIN local_sizes AS sizes ON sizes.part = sided.part
WHERE sizes.grows AND NOT sizes.is_wrong

-- name: growing_most
-- The records or people of the largest group.
-- takes: people
SELECT COALESCE(MAX(size), 0) AS size
FROM (
    SELECT {% if people %}COUNT(DISTINCT person){% else %}CAST(SUM(n) AS BIGINT){% endif %} AS size
    FROM growing_left
    GROUP BY part
)

-- name: growing_members
-- Starts with classes without members.
CREATE OR REPLACE TEMP TABLE growing_members AS
SELECT CAST(0 AS BIGINT) AS class, * FROM growing_left WHERE FALSE

-- name: growing_seeds
-- The first tuple of the next class of each group: the furthest from the class before, or from the group's first tuple.
--
-- missing: a record without a person belongs to nobody, and begins no class
--
-- takes: sets, weights, leaves, most, k, people, number
INSERT INTO growing_members
WITH boxes AS (
    SELECT
        part
-- include: box_of_members
{% if number %}
    FROM growing_members
    WHERE class = {{ number - 1 }}
{% else %}
    FROM growing_left
    SEMI JOIN (SELECT MIN(tuple) AS tuple FROM growing_left GROUP BY part) AS first USING (tuple)
{% endif %}
    GROUP BY part
),
possible AS (
    SELECT
        added.part,
        added.tuple,
        added.{% if people %}person{% else %}n{% endif %}

-- include: box_with_tuple
    FROM growing_left AS added
    JOIN boxes ON boxes.part = added.part
{% if people %}
    WHERE added.person IS NOT NULL
{% endif %}
),
chosen AS (
    SELECT
        part,
        MIN({'cost': -(
-- include: cost_of_box
        ), 'tuple': tuple}) AS furthest
    FROM possible
    GROUP BY part
    HAVING {% if people %}COUNT(DISTINCT person){% else %}SUM(n){% endif %} >= {{ k }}
)
SELECT {{ number }} AS class, added.*
FROM growing_left AS added
JOIN chosen ON chosen.furthest.tuple = added.tuple

-- name: growing_step
-- The tuples that keep the box of each growing class cheapest.
--
-- missing: as in growing_seeds
--
-- takes: sets, weights, leaves, most, k, people, number
-- parameter quota: integer, tuples that a class takes at once
INSERT INTO growing_members
WITH grown AS (
    SELECT * FROM growing_members WHERE class = {{ number }}
),
boxes AS (
    SELECT
        part,
        {{ k }} - {% if people %}COUNT(DISTINCT person){% else %}SUM(n){% endif %} AS wanted
-- include: box_of_members
    FROM grown
    GROUP BY part
    HAVING wanted > 0
),
possible AS (
    SELECT
        added.part,
        added.tuple,
        added.n,
        boxes.wanted{% if people %},
        added.person{% endif %}

-- include: box_with_tuple
    FROM growing_left AS added
    JOIN boxes ON boxes.part = added.part
{% if people %}
    ANTI JOIN grown ON grown.part = added.part AND grown.person = added.person
    WHERE added.person IS NOT NULL
{% else %}
    ANTI JOIN grown ON grown.tuple = added.tuple
{% endif %}
),
costs AS (
    SELECT
        part,
        wanted,
        {'cost':
-- include: cost_of_box
        , 'tuple': tuple, 'n': n} AS way{% if people %},
        person{% endif %}

    FROM possible
),
{% if people %}
nearest AS (
    SELECT part, wanted, MIN(way) AS way
    FROM costs
    GROUP BY part, wanted, person
),
{% endif %}
chosen AS (
    SELECT part, wanted, UNNEST(MIN(way, {{ quota }})) AS way
    FROM {% if people %}nearest{% else %}costs{% endif %}

    GROUP BY part, wanted
),
enough AS (
    SELECT
        way.tuple AS tuple,
        wanted
            - {% if people %}COUNT(*){% else %}SUM(way.n){% endif %} OVER (
                PARTITION BY part ORDER BY way ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            )
            + {% if people %}1{% else %}way.n{% endif %} AS missing
    FROM chosen
)
SELECT {{ number }} AS class, added.*
FROM growing_left AS added
JOIN enough ON enough.tuple = added.tuple
WHERE enough.missing > 0

-- name: growing_shrink
-- Leaves the tuples that are in no class.
CREATE OR REPLACE TEMP TABLE growing_left AS
SELECT open.*
FROM growing_left AS open
ANTI JOIN growing_members AS members ON members.tuple = open.tuple

-- name: growing_rest
-- Puts the tuples that are left into the classes of their groups to which they add least.
--
-- definition: added = (n + n1) f1 - n f with the records n and the cost f of a class, and those with the tuple
--
-- takes: sets, weights, leaves, most
-- parameter last: flag, put all there; else one tuple into each class
INSERT INTO growing_members
WITH boxes AS (
    SELECT
        part,
        class,
        CAST(SUM(n) AS BIGINT) AS n
-- include: box_of_members
    FROM growing_members
    SEMI JOIN growing_left USING (part)
    GROUP BY part, class
),
before AS (
    SELECT
        part,
        class,
        n * (
-- include: cost_of_box
        ) AS cost
    FROM boxes
),
possible AS (
    SELECT
        boxes.part,
        boxes.class,
        added.tuple,
        boxes.n + added.n AS n
-- include: box_with_tuple
    FROM growing_left AS added
    JOIN boxes ON boxes.part = added.part
),
after AS (
    SELECT
        part,
        class,
        tuple,
        n * (
-- include: cost_of_box
        ) AS cost
    FROM possible
),
chosen AS (
    SELECT
        after.tuple,
        ANY_VALUE(after.part) AS part,
        MIN({'added': after.cost - before.cost, 'class': after.class}) AS way
    FROM after
    JOIN before ON before.part = after.part AND before.class = after.class
    GROUP BY after.tuple
),
placed AS (
{% if last %}
    SELECT tuple, way.class AS class FROM chosen
{% else %}
    SELECT MIN({'added': way.added, 'tuple': tuple}).tuple AS tuple, way.class AS class
    FROM chosen
    GROUP BY part, way.class
{% endif %}
)
SELECT placed.class, added.*
FROM growing_left AS added
JOIN placed ON placed.tuple = added.tuple

-- name: growing_rejected
-- The groups that stay as they are cut: their grown classes save nothing, are too small, or disclose.
--
-- takes: sets, weights, leaves, most, k, people
-- parameter disclosing: flag, leave out the classes that disclose a sensitive value
CREATE OR REPLACE TEMP TABLE growing_rejected AS
WITH members AS (
    SELECT members.*, classes.class AS cut
    FROM growing_members AS members
    JOIN quasi_classes AS classes ON classes.tuple = members.tuple
),
boxes AS (
    SELECT
        part,
        class,
        cut,
        CAST(SUM(n) AS BIGINT) AS n,
        {% if people %}COUNT(DISTINCT person){% else %}CAST(SUM(n) AS BIGINT){% endif %} AS size
-- include: box_of_members
    FROM members
    GROUP BY GROUPING SETS ((part, class), (part, cut))
),
costs AS (
    SELECT
        part,
        class,
        cut,
        size,
        CAST(n * (
-- include: cost_of_box
        ) AS DECIMAL(38, 12)) AS cost
    FROM boxes
)
SELECT part
FROM costs
{% if disclosing %}
LEFT JOIN (SELECT DISTINCT part, TRUE AS discloses FROM local_disclosing) AS disclosing USING (part)
{% endif %}
GROUP BY part
HAVING
    MIN(size) < {{ k }}
    OR SUM(CASE WHEN cut IS NULL THEN cost END) > SUM(CASE WHEN class IS NULL THEN cost END) - 0.000000001
{% if disclosing %}
    OR BOOL_OR(discloses)
{% endif %}

-- name: growing_restore
-- Puts the tuples of these groups back into the classes that were cut.
UPDATE growing_members
SET class = classes.class
FROM quasi_classes AS classes
WHERE classes.tuple = growing_members.tuple AND growing_members.part IN (FROM growing_rejected)

-- name: growing_ways
-- What each class costs without one of its tuples, or with one of another class of its group, or both.
--
-- definition: tuple 0 is none; classes of fewer than k records are left out, and tuples that are a class alone stay
--
-- takes: sets, weights, leaves, most, k
CREATE OR REPLACE TEMP TABLE growing_ways AS
WITH remaining AS (
    SELECT *, 0 AS without FROM growing_members
    UNION ALL
    SELECT others.*, members.tuple AS without
    FROM growing_members AS members
    JOIN growing_members AS others
        ON others.part = members.part AND others.class = members.class AND others.tuple <> members.tuple
),
boxes AS (
    SELECT
        part,
        class,
        without,
        CAST(SUM(n) AS BIGINT) AS n
-- include: box_of_members
    FROM remaining
    GROUP BY part, class, without
),
ways AS (
    SELECT *, NULL AS other_class, 0 AS other FROM boxes
    UNION ALL BY NAME
    SELECT
        boxes.part,
        boxes.class,
        boxes.without,
        boxes.n + added.n AS n,
        added.class AS other_class,
        added.tuple AS other
-- include: box_with_tuple
    FROM boxes
    JOIN growing_members AS added ON added.part = boxes.part AND added.class <> boxes.class
)
SELECT
    part,
    class,
    without,
    other_class,
    other,
    n * (
-- include: cost_of_box
    ) AS cost
FROM ways
WHERE n >= {{ k }}

-- name: growing_moved
-- The tuples that move to another class of their group, alone or for another tuple, and save most.
--
-- definition: a class takes part in one exchange at most, the one that saves most to it and to the other class; of
--   equal ones the first by its tuples and its target
CREATE OR REPLACE TEMP TABLE growing_moved AS
WITH costs AS (
    SELECT part, class, cost FROM growing_ways WHERE without = 0 AND other = 0
),
exchanges AS (
    SELECT
        ways.part,
        ways.class,
        others.class AS other_class,
        {
            'saved': ways.cost + others.cost - (own.cost + other.cost),
            'tuple': ways.without,
            'other': ways.other,
            'target': others.class
        } AS way
    FROM growing_ways AS ways
    JOIN growing_ways AS others
        ON others.part = ways.part AND others.other = ways.without AND others.without = ways.other
        AND others.other_class = ways.class
    JOIN costs AS own ON own.part = ways.part AND own.class = ways.class
    JOIN costs AS other ON other.part = others.part AND other.class = others.class
    -- sums of costs are exact to about 1e-9 of a record
    WHERE
        ways.without > 0
        AND (ways.other = 0 OR ways.class < others.class)
        AND ways.cost + others.cost - (own.cost + other.cost) < -1e-9
),
best AS (
    SELECT part, class, MIN(way) AS way
    FROM (
        SELECT part, class, way FROM exchanges
        UNION ALL
        SELECT part, other_class, way FROM exchanges
    )
    GROUP BY part, class
),
chosen AS (
    SELECT exchanges.*
    FROM exchanges
    JOIN best AS own ON own.part = exchanges.part AND own.class = exchanges.class AND own.way = exchanges.way
    JOIN best AS other
        ON other.part = exchanges.part AND other.class = exchanges.other_class AND other.way = exchanges.way
)
SELECT way.tuple AS tuple, other_class AS class FROM chosen
UNION ALL
SELECT way.other, class FROM chosen WHERE way.other > 0

-- name: growing_move
-- Moves these tuples.
UPDATE growing_members
SET class = moved.class
FROM growing_moved AS moved
WHERE moved.tuple = growing_members.tuple

-- name: growing_count_moved
-- The number of tuples that move.
SELECT COUNT(*) AS moved FROM growing_moved

-- name: growing_close
-- Replaces the classes of these groups.
--
-- parameter made: integer, the number of groups made before
CREATE OR REPLACE TEMP TABLE quasi_classes AS
SELECT tuple, class, n
FROM quasi_classes
ANTI JOIN growing_members USING (tuple)
UNION ALL
SELECT tuple, {{ made }} + DENSE_RANK() OVER (ORDER BY part, class), n
FROM growing_members
