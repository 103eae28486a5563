-- topdown
-- TopDown: local recoding by splitting groups at two distant seeds, all groups of a level at once.
--
-- idea: the seeds of a group are found in rounds, each the tuple furthest from the one before. Tuples follow to the
--   side whose penalty grows less by them; a side of fewer than k records gets those of the other side that fit it
--   best, so the other side always keeps k and nothing has to be merged.
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; the rounds are our own
-- runs: finish
-- reads: quasi_classes, quasi_tuples
-- makes: quasi_counts, quasi_moved, quasi_open, quasi_parts, quasi_placed, quasi_sides
--
-- parameter last: integer, the last round
-- parameter large: integer, groups of more tuples are placed in round 0 alone
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter tables: columns, the tables of numbered values
-- parameter round: integer, the number of the round
-- parameter share: integer, the smaller side has less than this part of the group
-- parameter most: integer, groups of no more records than this may be split so
-- parameter k: integer, the least records of a class

-- name: topdown_begin
-- All tuples as one group, and the round in which each is assigned when the group is split.
--
-- definition: x = the number of a category, or 2^20 times the position of a number; rounds 0 to 3 assign about 1, 2,
--   4 and 8 tuples of a group, the next one up to its 64th, the last one all others. Tuples of a large group are
--   assigned with round 0, and have round -1: the coverage of their sides is irrelevant to later rounds.
--
-- takes: last, large, heights, tables
-- parameter seed: integer, decides the order in which tuples are placed
-- parameter tuples: integer, number of tuples
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n,
    CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) AS draw,
    CAST(CASE WHEN {{ tuples }} > {{ large }} THEN -1
        ELSE LEAST({{ last }}, FLOOR(LOG2(((CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) * {{ tuples }}) >> 30) + 1)),
        2 + FLOOR(LOG2(((CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) * {{ tuples }}) >> 30) + 1) / 2)) END AS INTEGER)
        AS round
{% for height in heights %}
    , {% if height %}a{{ loop.index0 }}{% else %}CAST(ROUND(v{{ loop.index0 }}.place * 1048576) AS INTEGER){% endif %}
        AS x{{ loop.index0 }}
{% endfor %}
FROM quasi_tuples
{% for table in tables %}
{% if not heights[loop.index0] %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endif %}
{% endfor %}

-- name: topdown_seeds
-- One seed for each group: any tuple, or the tuple furthest from the previous seed.
--
-- definition: the distance of two tuples is the penalty of a class of both: for numbers their difference, for
--   categories the leaves under the lowest common label, as a share of all, times 2^20; ties go to the later tuple
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
--
-- takes: heights, tables
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter before: column or none, the table of the seeds before
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH chosen AS (
{% if before is none %}
    SELECT part, MAX((draw << 33) | tuple) AS best
    FROM quasi_open
    GROUP BY part
{% else %}
    SELECT
        part,
        MAX((CAST(
{% for height in heights %}
{% set i = loop.index0 %}
            {% if not loop.first %}+ {% endif %}
{% if not height %}
LEAST(ABS(one.x{{ i }} - seed.x{{ i }}), 1048576)
{% else %}
CASE WHEN one.x{{ i }} = seed.x{{ i }}
    THEN 0{% for level in range(1, height) %} WHEN one.x{{ i }} BETWEEN seed.lo{{ i }}_{{ level }}
    AND seed.hi{{ i }}_{{ level }} THEN seed.cost{{ i }}_{{ level }}{% endfor %} ELSE 1048576 END
{% endif %}
{% endfor %}
        AS BIGINT) << 33) | one.tuple) AS best
    FROM quasi_open AS one
    JOIN {{ before | identifier }} AS seed USING (part)
    GROUP BY part
{% endif %}
)
SELECT
    chosen.part,
    tuples.tuple,
    tuples.n
{% for height in heights %}
{% set i = loop.index0 %}
    , {% if height %}tuples.a{{ i }}{% else %}CAST(ROUND(v{{ i }}.place * 1048576) AS INTEGER){% endif %} AS x{{ i }}
{% for level in range(1, height) %}
    , v{{ i }}.lo{{ level }} AS lo{{ i }}_{{ level }}
    , v{{ i }}.hi{{ level }} AS hi{{ i }}_{{ level }}
    , CAST((v{{ i }}.hi{{ level }} - v{{ i }}.lo{{ level }} + 1) * 1048576 // {{ leaves[i] }} AS INTEGER)
        AS cost{{ i }}_{{ level }}
{% endfor %}
{% endfor %}
FROM chosen
JOIN quasi_tuples AS tuples ON tuples.tuple = (chosen.best & 8589934591)
{% for height in heights %}
{% if height != 1 %}
JOIN {{ tables[loop.index0] | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = tuples.a{{ loop.index0 }}
{% endif %}
{% endfor %}

-- name: topdown_boxes
-- The two sides of each group to be split, at first only their seeds.
--
-- definition: of a side are known its least and greatest value l and h, where a category has no label but the root the
--   value x, or -1 of several; p is the penalty of a record of the side, n its records
--
-- takes: heights
-- parameter seeds: columns, the tables of the first and of the second seeds
CREATE OR REPLACE TEMP TABLE quasi_sides AS
SELECT
    s0.part
{% for table in seeds %}
{% set s = loop.index0 %}
    , s{{ s }}.tuple AS seed{{ s }}
    , s{{ s }}.n AS n{{ s }}
    , CAST(0 AS BIGINT) AS p{{ s }}
{% for height in heights %}
{% set i = loop.index0 %}
{% if height == 1 %}
    , s{{ s }}.x{{ i }} AS x{{ i }}_{{ s }}
{% else %}
    , s{{ s }}.x{{ i }} AS l{{ i }}_{{ s }}
    , s{{ s }}.x{{ i }} AS h{{ i }}_{{ s }}
{% if height %}
{% for level in range(1, height) %}
    , s{{ s }}.lo{{ i }}_{{ level }} AS lo{{ i }}_{{ level }}_{{ s }}
    , s{{ s }}.hi{{ i }}_{{ level }} AS hi{{ i }}_{{ level }}_{{ s }}
    , s{{ s }}.cost{{ i }}_{{ level }} AS cost{{ i }}_{{ level }}_{{ s }}
{% endfor %}
{% endif %}
{% endif %}
{% endfor %}
{% endfor %}
FROM {{ seeds[0] | identifier }} AS s0
JOIN {{ seeds[1] | identifier }} AS s1 USING (part)

-- name: topdown_place
-- Assigns the tuples of a round to the side whose penalty grows less.
--
-- definition: in round 0 the nearer seed, for all tuples of large groups too; lead = how much nearer side 1 is; later
--   the least growth = (records of the side + n) * penalty with the tuple - records * penalty without; equal growth
--   goes to the side of the smaller penalty, then to side 0; a seed stays on its own
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
--
-- takes: heights, round
{% if round %}
INSERT INTO quasi_placed BY NAME
{% else %}
CREATE OR REPLACE TEMP TABLE quasi_placed AS
{% endif %}
WITH measured AS (
    SELECT
        one.*,
        seed0,
        seed1
{% for s in range(2) %}
        , n{{ s }}
        , p{{ s }}
        , CAST(
{% for height in heights %}
{% set i = loop.index0 %}
            {% if not loop.first %}+ {% endif %}
{% if height == 1 %}
CASE WHEN x{{ i }} = x{{ i }}_{{ s }} THEN 0 ELSE 1048576 END
{% elif not height and not round %}
LEAST(ABS(x{{ i }} - l{{ i }}_{{ s }}), 1048576)
{% elif not height %}
LEAST(GREATEST(x{{ i }}, h{{ i }}_{{ s }}) - LEAST(x{{ i }}, l{{ i }}_{{ s }}), 1048576)
{% elif not round %}
CASE WHEN x{{ i }} = l{{ i }}_{{ s }}
    THEN 0{% for level in range(1, height) %} WHEN x{{ i }} BETWEEN lo{{ i }}_{{ level }}_{{ s }}
    AND hi{{ i }}_{{ level }}_{{ s }} THEN cost{{ i }}_{{ level }}_{{ s }}{% endfor %} ELSE 1048576 END
{% else %}
CASE{% for level in range(1, height) %}{% if loop.first %} WHEN x{{ i }} = l{{ i }}_{{ s }}
    AND x{{ i }} = h{{ i }}_{{ s }} THEN 0{% endif %}
    WHEN LEAST(x{{ i }}, l{{ i }}_{{ s }}) >= lo{{ i }}_{{ level }}_{{ s }}
    AND GREATEST(x{{ i }}, h{{ i }}_{{ s }}) <= hi{{ i }}_{{ level }}_{{ s }}
    THEN cost{{ i }}_{{ level }}_{{ s }}{% endfor %} ELSE 1048576 END
{% endif %}
{% endfor %}
        AS BIGINT) AS d{{ s }}
{% endfor %}
    FROM quasi_open AS one
    JOIN quasi_sides AS sides USING (part)
    WHERE one.round {% if round %}= {{ round }}{% else %}<= 0{% endif %}

),
grown AS (
    SELECT *, {% if round %}d0 * (n0 + n) - p0 * n0 AS g0, d1 * (n1 + n) - p1 * n1 AS g1{% else %}d0 AS g0,
        d1 AS g1{% endif %}

    FROM measured
)
SELECT
    tuple,
    part,
    n,
    draw,
    round
{% for height in heights %}
    , x{{ loop.index0 }}
{% endfor %}
    , CAST(d0 - d1 AS INTEGER) AS lead
    , tuple = seed0 OR tuple = seed1 AS is_seed
    , CASE
        WHEN tuple = seed0 THEN 0
        WHEN tuple = seed1 THEN 1
        WHEN g0 < g1 OR (g0 = g1 AND d0 <= d1) THEN 0
        ELSE 1
    END AS side
FROM grown

-- name: topdown_widen
-- The two sides of each group to be split, with the tuples of a round.
--
-- definition: the columns are those of topdown_boxes
--
-- takes: heights, round
CREATE OR REPLACE TEMP TABLE quasi_sides AS
WITH added AS (
    SELECT
        part
{% for s in range(2) %}
        , SUM(CASE WHEN side = {{ s }} AND NOT is_seed THEN n ELSE 0 END) AS n{{ s }}
{% for height in heights %}
        , MIN(CASE WHEN side = {{ s }} THEN x{{ loop.index0 }} END) AS l{{ loop.index0 }}_{{ s }}
        , MAX(CASE WHEN side = {{ s }} THEN x{{ loop.index0 }} END) AS h{{ loop.index0 }}_{{ s }}
{% endfor %}
{% endfor %}
    FROM quasi_placed
    WHERE round = {{ round }}
    GROUP BY part
),
widened AS (
    SELECT
        sides.part
{% for s in range(2) %}
        , sides.seed{{ s }}
        , CAST(sides.n{{ s }} + COALESCE(added.n{{ s }}, 0) AS BIGINT) AS n{{ s }}
{% for height in heights %}
{% set i = loop.index0 %}
{% if height == 1 %}
        , CASE WHEN added.l{{ i }}_{{ s }} <> x{{ i }}_{{ s }} OR added.h{{ i }}_{{ s }} <> x{{ i }}_{{ s }} THEN -1
            ELSE x{{ i }}_{{ s }} END AS x{{ i }}_{{ s }}
{% else %}
        , LEAST(added.l{{ i }}_{{ s }}, sides.l{{ i }}_{{ s }}) AS l{{ i }}_{{ s }}
        , GREATEST(added.h{{ i }}_{{ s }}, sides.h{{ i }}_{{ s }}) AS h{{ i }}_{{ s }}
{% for level in range(1, height) %}
        , lo{{ i }}_{{ level }}_{{ s }}
        , hi{{ i }}_{{ level }}_{{ s }}
        , cost{{ i }}_{{ level }}_{{ s }}
{% endfor %}
{% endif %}
{% endfor %}
{% endfor %}
    FROM quasi_sides AS sides
    LEFT JOIN added ON added.part = sides.part
)
SELECT
    *
{% for s in range(2) %}
    , CAST({% for height in heights %}{% set i = loop.index0 %}{% if height == 1 %}CASE WHEN x{{ i }}_{{ s }} = -1
        THEN 1048576 ELSE 0 END{% elif not height %}LEAST(h{{ i }}_{{ s }} - l{{ i }}_{{ s }},
        1048576){% else %}CASE WHEN l{{ i }}_{{ s }} = h{{ i }}_{{ s }}
        THEN 0{% for level in range(1, height) %} WHEN l{{ i }}_{{ s }} >= lo{{ i }}_{{ level }}_{{ s }}
        AND h{{ i }}_{{ s }} <= hi{{ i }}_{{ level }}_{{ s }} THEN cost{{ i }}_{{ level }}_{{ s }}{% endfor %}
        ELSE 1048576 END{% endif %}{{ loop | between(" + ") }}{% endfor %} AS BIGINT) AS p{{ s }}
{% endfor %}
FROM widened

-- name: topdown_sides
-- The records and tuples of each side of each group.
CREATE OR REPLACE TEMP TABLE quasi_counts AS
SELECT part, side, CAST(SUM(n) AS BIGINT) AS records, COUNT(*) AS tuples
FROM quasi_placed
GROUP BY part, side

-- name: topdown_faults
-- Counts the groups whose split is so uneven that they would take too many levels.
--
-- definition: one side is empty, or the group is large and one side has less than a small part of it
--
-- takes: share, most
WITH uneven AS (
    SELECT part
    FROM quasi_counts
    GROUP BY part
    HAVING COUNT(*) = 1 OR (SUM(records) > {{ most }} AND MIN(records) * {{ share }} < SUM(records))
)
SELECT COUNT(*) AS parts FROM uneven

-- name: topdown_halve
-- Splits the groups of an uneven split at the median tuple, ordered by their fit to the first side.
--
-- definition: tuples in the order of their lead and of their numbers; the one in the middle goes to side 0, the last
--   to 1
--
-- takes: share, most
CREATE OR REPLACE TEMP TABLE quasi_placed AS
WITH uneven AS (
    SELECT part, SUM(records) AS records
    FROM quasi_counts
    GROUP BY part
    HAVING COUNT(*) = 1 OR (SUM(records) > {{ most }} AND MIN(records) * {{ share }} < SUM(records))
),
ranked AS (
    SELECT
        placed.part,
        CAST(lead AS BIGINT) * 8589934592 + tuple AS place,
        n,
        SUM(n) OVER (PARTITION BY placed.part ORDER BY CAST(lead AS BIGINT) * 8589934592 + tuple
            ROWS UNBOUNDED PRECEDING) AS upto,
        uneven.records
    FROM quasi_placed AS placed
    JOIN uneven ON uneven.part = placed.part
),
-- Only where each of these groups is divided is looked for in order; whole tuples are not sorted.
middles AS MATERIALIZED (
    SELECT part, MAX(place) AS place
    FROM ranked
    WHERE (upto - n) * 2 < records AND upto < records
    GROUP BY part
)
SELECT
    placed.* REPLACE (
        CASE
            WHEN middles.place IS NULL THEN side
            WHEN CAST(lead AS BIGINT) * 8589934592 + tuple <= middles.place THEN 0
            ELSE 1
        END AS side
    )
FROM quasi_placed AS placed
LEFT JOIN middles ON middles.part = placed.part

-- name: topdown_repair
-- Completes a side of fewer than k records from the other side, by the records that fit it best.
--
-- definition: the other side keeps at least k, because a group that is split has at least 2k records; of equal records
--   only as many move as are needed
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
--
-- takes: k
CREATE OR REPLACE TEMP TABLE quasi_moved AS
WITH small AS (
    SELECT part, side, {{ k }} - records AS wanted FROM quasi_counts WHERE records < {{ k }}
),
near AS (
    SELECT
        placed.part,
        small.side,
        small.wanted,
        CAST(CASE WHEN small.side = 0 THEN lead ELSE -lead END AS BIGINT) * 8589934592 + tuple AS place
    FROM quasi_placed AS placed
    JOIN small ON small.part = placed.part AND small.side <> placed.side
),
nearest AS (
{% if k <= 1000 %}
    -- k - 1 tuples are enough, and finding the least of them needs no sorting
    SELECT part, side, wanted, UNNEST(MIN(place, {{ k - 1 }})) AS place
    FROM near
    GROUP BY part, side, wanted
{% else %}
    SELECT part, side, wanted, place FROM near
{% endif %}
),
offered AS (
    SELECT
        nearest.part,
        nearest.side,
        nearest.wanted,
        placed.tuple,
        placed.n,
        SUM(placed.n) OVER (PARTITION BY nearest.part ORDER BY nearest.place) - placed.n AS before
    FROM nearest
    JOIN quasi_placed AS placed ON placed.part = nearest.part AND placed.tuple = (nearest.place & 8589934591)
)
SELECT part, tuple, side, CAST(LEAST(n, wanted - before) AS BIGINT) AS n
FROM offered
WHERE before < wanted

-- name: topdown_parts
-- The new groups, numbered, and whether each is still to be split.
--
-- definition: a group is done that has fewer than 2k records, or only equal ones
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
--
-- takes: k
-- parameter made: integer, number of groups before
CREATE OR REPLACE TEMP TABLE quasi_parts AS
WITH pieces AS (
    SELECT placed.part, placed.side, placed.n - COALESCE(moved.n, 0) AS n
    FROM quasi_placed AS placed
    LEFT JOIN quasi_moved AS moved USING (part, tuple)
    UNION ALL
    SELECT part, side, n FROM quasi_moved
),
counted AS (
    SELECT part, side, SUM(n) AS records, COUNT(*) AS tuples
    FROM pieces
    WHERE n > 0
    GROUP BY part, side
)
SELECT
    part,
    side,
    {{ made }} + ROW_NUMBER() OVER (ORDER BY part, side) AS made,
    tuples,
    records >= {{ 2 * k }} AND tuples > 1 AS open
FROM counted

-- name: quasi_count_parts
-- The number of new groups, and the tuples of the largest group still to be split.
SELECT COUNT(*) AS parts, COALESCE(MAX(CASE WHEN open THEN tuples END), 0) AS tuples
FROM quasi_parts

-- name: topdown_next
-- The tuples of the groups still to be split, or of the finished groups.
-- takes: last, large
-- parameter heights: integers, one for each quasi-identifier
-- parameter open: flag, the groups that are still to be split; else the finished ones
{% if open %}
CREATE OR REPLACE TEMP TABLE quasi_open AS
{% else %}
INSERT INTO quasi_classes
{% endif %}
WITH pieces AS (
    SELECT placed.* REPLACE (placed.n - COALESCE(moved.n, 0) AS n)
    FROM quasi_placed AS placed
    LEFT JOIN quasi_moved AS moved USING (part, tuple)
    UNION ALL
    SELECT placed.* REPLACE (moved.n AS n, moved.side AS side)
    FROM quasi_placed AS placed
    JOIN quasi_moved AS moved USING (part, tuple)
)
SELECT
    tuple,
    parts.made AS part,
    n
{% if open %}
{% for height in heights %}
    , x{{ loop.index0 }}
{% endfor %}
    , draw
    , CAST(CASE WHEN parts.tuples > {{ large }} THEN -1
        ELSE LEAST({{ last }}, FLOOR(LOG2(((draw * parts.tuples) >> 30) + 1)),
        2 + FLOOR(LOG2(((draw * parts.tuples) >> 30) + 1) / 2)) END AS INTEGER) AS round
{% endif %}
FROM pieces
JOIN quasi_parts AS parts USING (part, side)
WHERE n > 0 AND parts.open = {{ open | literal }}
