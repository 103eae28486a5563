-- full_domain
-- Full-domain recoding: one level of its hierarchy for all values of a quasi-identifier.
--
-- idea: a choice of levels coarser than a k-anonymous one is k-anonymous, and one that fails on some of the
--   quasi-identifiers fails on more of them. Of the k-anonymous choices the one of the smallest penalty is taken, so
--   choices with a larger penalty than the best known are skipped.
-- source: LeFevre et al., Incognito, SIGMOD 2005
-- runs: finish
-- reads: quasi_classes, quasi_tuples
-- makes: quasi_batch, quasi_cells, quasi_examined, quasi_nodes, quasi_open, quasi_penalties
--
-- parameter heights: integers, the level of each root
-- parameter tables: columns, the tables of numbered values
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter levels: integers, the level of each quasi-identifier

-- name: domain_tuples
-- The tuples with the label of each value on each level of its hierarchy, as a number in a field of a word.
--
-- definition: a label is the number of its first leaf; on the level of the root nothing is left
--
-- takes: heights, tables
-- parameter shifts: integers, where the number of each quasi-identifier begins in its word
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    n
{% for height in heights %}
{% set i = loop.index0 %}
    , CAST(a{{ i }} AS BIGINT) << {{ shifts[i] }} AS x{{ i }}_0
{% for level in range(1, height) %}
    , CAST(v{{ i }}.lo{{ level }} AS BIGINT) << {{ shifts[i] }} AS x{{ i }}_{{ level }}
{% endfor %}
{% endfor %}
FROM quasi_tuples
{% for height in heights %}
{% if height > 1 %}
JOIN {{ tables[loop.index0] | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endif %}
{% endfor %}

-- name: domain_penalties
-- The penalty of each level of a quasi-identifier's hierarchy over all records.
--
-- definition: the leaves under the label of each record, together, as a share of all; 0 under a label of one leaf
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
--
-- takes: heights, leaves, tables
CREATE OR REPLACE TEMP TABLE quasi_penalties AS
WITH covered AS (
{% for height in heights %}
{% set i = loop.index0 %}
    SELECT {{ i }} AS attribute, 0 AS level, 0 AS leaves, {{ leaves[i] }} AS every
    UNION ALL
    SELECT {{ i }}, {{ height }}, SUM(n) * {% if leaves[i] > 1 %}{{ leaves[i] }}{% else %}0{% endif %}, {{ leaves[i] }}
    FROM quasi_tuples
{% for level in range(1, height) %}
    UNION ALL
    SELECT {{ i }}, {{ level }},
        SUM(CASE WHEN hi{{ level }} > lo{{ level }} THEN n * (hi{{ level }} - lo{{ level }} + 1) ELSE 0 END),
        {{ leaves[i] }}
    FROM quasi_tuples
    JOIN {{ tables[i] | identifier }} ON code = a{{ i }}
{% endfor %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT attribute, level, CAST(leaves AS DOUBLE) / every AS penalty
FROM covered

-- name: domain_nodes
-- Every choice of a level for each quasi-identifier, with its penalty; k-anonymity is unknown at first.
--
-- definition: a node of fewer quasi-identifiers is the node in which the others are on the level of the root; `below`
--   counts those that are not
-- source: LeFevre et al., Incognito, SIGMOD 2005
--
-- takes: heights
CREATE OR REPLACE TEMP TABLE quasi_nodes AS
WITH levels AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY {{ heights | each("p{i}.level") }}) AS node,
        {{ heights | each("p{i}.penalty", between=" + ") }} AS penalty
{% for height in heights %}
        , p{{ loop.index0 }}.level AS l{{ loop.index0 }}
{% endfor %}
    FROM
{% for height in heights %}
        (SELECT level, penalty FROM quasi_penalties WHERE attribute = {{ loop.index0 }})
            AS p{{ loop.index0 }}{{ loop | between }}
{% endfor %}
)
SELECT
    *,
    {{ heights | each("l{i}", between=" + ") }} AS height,
    {{ heights | each("CASE WHEN l{i} < {x} THEN 1 ELSE 0 END", between=" + ") }} AS below,
    -- without groups if every level is a root
    CASE WHEN {{ heights | each("l{i} = {x}", between=" AND ") }} THEN TRUE END AS anonymous
FROM levels

-- name: domain_batch
-- The nodes to examine next: the middle layer of the fewest quasi-identifiers that can beat the best known node.
--
-- definition: the middle layer leaves the most nodes above and below to be known without being examined
-- source: LeFevre et al., Incognito, SIGMOD 2005
--
-- parameter most: integer, nodes at a time
CREATE OR REPLACE TEMP TABLE quasi_batch AS
WITH best AS MATERIALIZED (
    SELECT penalty, height FROM quasi_nodes WHERE anonymous ORDER BY penalty, height LIMIT 1
),
wanted AS MATERIALIZED (
    SELECT nodes.*
    FROM quasi_nodes AS nodes, best
    WHERE anonymous IS NULL
        AND (nodes.penalty < best.penalty OR (nodes.penalty = best.penalty AND nodes.height < best.height))
),
fewest AS MATERIALIZED (
    SELECT * FROM wanted WHERE below = (SELECT MIN(below) FROM wanted)
)
SELECT * EXCLUDE (anonymous)
FROM fewest
WHERE height = (SELECT QUANTILE_DISC(height, 0.5) FROM fewest)
ORDER BY penalty, node
LIMIT {{ most }}

-- name: domain_count_batch
-- Counts the nodes to examine.
SELECT COUNT(*) AS nodes
FROM quasi_batch

-- name: domain_examine
-- Tests the nodes to examine for k-anonymity: their smallest class has at least k records.
--
-- source: LeFevre et al., Incognito, SIGMOD 2005
--
-- takes: heights
-- parameter words: integers, the word of each quasi-identifier's number
-- parameter k: integer, the least records of a class
CREATE OR REPLACE TEMP TABLE quasi_examined AS
WITH labelled AS (
    SELECT
        node,
        n
{% for word in range(words | max + 1) %}
        , 0
{% for height in heights %}
{% set i = loop.index0 %}
{% if words[i] == word %}
        + CASE l{{ i }}{% for level in range(height) %} WHEN {{ level }} THEN x{{ i }}_{{ level }}{% endfor %}
            ELSE 0 END
{% endif %}
{% endfor %}
        AS w{{ word }}
{% endfor %}
    FROM quasi_open, quasi_batch
),
classes AS (
    SELECT node, SUM(n) AS records
    FROM labelled
    GROUP BY node{% for word in range(words | max + 1) %}, w{{ word }}{% endfor %}

),
smallest AS (
    SELECT node, MIN(records) >= {{ k }} AS anonymous
    FROM classes
    GROUP BY node
)
SELECT batch.* , smallest.anonymous AS found
FROM smallest
JOIN quasi_batch AS batch USING (node)

-- name: domain_settle
-- Infers the state of other nodes: all above a k-anonymous node are k-anonymous, none below a failing one is.
--
-- source: LeFevre et al., Incognito, SIGMOD 2005
--
-- takes: heights
CREATE OR REPLACE TEMP TABLE quasi_nodes AS
WITH told AS (
    SELECT nodes.node, BOOL_OR(found) AS found
    FROM quasi_nodes AS nodes
    JOIN quasi_examined AS examined ON
        CASE
            WHEN found THEN {{ heights | each("nodes.l{i} >= examined.l{i}", between=" AND ") }}

            ELSE {{ heights | each("nodes.l{i} <= examined.l{i}", between=" AND ") }}

        END
    WHERE nodes.anonymous IS NULL
    GROUP BY nodes.node
)
SELECT nodes.* REPLACE (COALESCE(anonymous, found) AS anonymous)
FROM quasi_nodes AS nodes
LEFT JOIN told USING (node)

-- name: domain_best
-- The levels of the k-anonymous node of the smallest penalty, of equal ones the lowest.
-- takes: heights
SELECT [{{ heights | each("l{i}") }}] AS levels
FROM quasi_nodes
WHERE anonymous
ORDER BY penalty, height, node
LIMIT 1

-- name: domain_classes
-- The class of each tuple if every quasi-identifier is on one level of its hierarchy.
-- takes: heights, levels, tables
INSERT INTO quasi_classes
SELECT
    tuple,
    MIN(tuple) OVER (
        PARTITION BY 0{% for level in levels %}{% set i = loop.index0 %}{% if level == 0 %},
            a{{ i }}{% elif level < heights[i] %}, v{{ i }}.lo{{ level }}{% endif %}{% endfor %}

    ) AS class,
    n
FROM quasi_tuples
{% for table in tables %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endfor %}

-- name: domain_cells
-- The labels and the penalties of each class if every quasi-identifier is on one level of its hierarchy.
--
-- definition: loss = the leaves under the label as a share of all, 0 under a label of one leaf
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: a missing value stays missing on every level but that of the root
--
-- takes: heights, levels, leaves, tables
CREATE OR REPLACE TEMP TABLE quasi_cells AS
WITH classes AS (
    SELECT class, CAST(SUM(n) AS BIGINT) AS n FROM quasi_classes GROUP BY class
)
SELECT
    class,
    classes.n
{% for level in levels %}
{% set i = loop.index0 %}
    , {% if level %}TRUE{% else %}FALSE{% endif %} AS changed{{ i }}
{% if level == heights[i] %}
    , '*' AS cell{{ i }}
    , {% if leaves[i] > 1 %}1{% else %}0{% endif %} AS loss{{ i }}
{% else %}
    , v{{ i }}.label{{ level }} AS cell{{ i }}
    , {% if level %}CASE WHEN v{{ i }}.hi{{ level }} > v{{ i }}.lo{{ level }}
        THEN CAST(v{{ i }}.hi{{ level }} - v{{ i }}.lo{{ level }} + 1 AS DOUBLE) / {{ leaves[i] }}
        ELSE 0 END{% else %}0{% endif %} AS loss{{ i }}
{% endif %}
{% endfor %}
FROM classes
JOIN quasi_tuples AS tuples ON tuples.tuple = classes.class
{% for table in tables %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endfor %}
