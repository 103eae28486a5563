-- domain_tuples
-- The tuples with the label of each value on each level of its hierarchy, as a number in its place in a word.
--
-- definition: a label is the number of its first leaf; on the level of the root nothing is left
-- portable: no
--
-- parameter heights: integers, the level of each root
-- parameter tables: columns, the tables of numbered values
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
