-- domain_cells
-- The labels of each class where every quasi-identifier is on one level of its hierarchy, and what is lost by them.
--
-- definition: loss = the leaves under the label as a share of all, 0 under a label of one leaf
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: a missing value stays missing on every level but that of the root
-- portable: no
--
-- parameter heights: integers, the level of each root
-- parameter levels: integers, the level of each quasi-identifier
-- parameter leaves: integers, how many leaves each quasi-identifier has
-- parameter tables: columns, the tables of numbered values
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
    , {% if level %}CASE WHEN v{{ i }}.hi{{ level }} > v{{ i }}.lo{{ level }} THEN CAST(v{{ i }}.hi{{ level }} - v{{ i }}.lo{{ level }} + 1 AS DOUBLE) / {{ leaves[i] }} ELSE 0 END{% else %}0{% endif %} AS loss{{ i }}
{% endif %}
{% endfor %}
FROM classes
JOIN quasi_tuples AS tuples ON tuples.tuple = classes.class
{% for table in tables %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endfor %}
