-- domain_penalties
-- What all records lose by a level of a quasi-identifier's hierarchy.
--
-- definition: the leaves under the label of each record, together, as a share of all; 0 under a label of one leaf
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- portable: yes
--
-- parameter heights: integers, the level of each root
-- parameter leaves: integers, how many leaves each quasi-identifier has
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_penalties AS
WITH covered AS (
{% for height in heights %}
{% set i = loop.index0 %}
    SELECT {{ i }} AS attribute, 0 AS level, 0 AS leaves, {{ leaves[i] }} AS every
    UNION ALL
    SELECT {{ i }}, {{ height }}, SUM(n) * {% if leaves[i] > 1 %}{{ leaves[i] }}{% else %}0{% endif %}, {{ leaves[i] }} FROM quasi_tuples
{% for level in range(1, height) %}
    UNION ALL
    SELECT {{ i }}, {{ level }}, SUM(CASE WHEN hi{{ level }} > lo{{ level }} THEN n * (hi{{ level }} - lo{{ level }} + 1) ELSE 0 END), {{ leaves[i] }}
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
