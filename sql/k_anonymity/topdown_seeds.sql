-- topdown_seeds
-- One seed for each group: any tuple, or the one furthest from the seed before.
--
-- definition: the distance of two tuples is the penalty of a class of both: for numbers their difference, for
--   categories the leaves under the lowest common label, as a share of all, times 2^20; ties go to the later tuple
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter leaves: integers, how many leaves each quasi-identifier has
-- parameter tables: columns, the tables of numbered values
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
CASE WHEN one.x{{ i }} = seed.x{{ i }} THEN 0{% for level in range(1, height) %} WHEN one.x{{ i }} BETWEEN seed.lo{{ i }}_{{ level }} AND seed.hi{{ i }}_{{ level }} THEN seed.cost{{ i }}_{{ level }}{% endfor %} ELSE 1048576 END
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
    , CAST((v{{ i }}.hi{{ level }} - v{{ i }}.lo{{ level }} + 1) * 1048576 // {{ leaves[i] }} AS INTEGER) AS cost{{ i }}_{{ level }}
{% endfor %}
{% endfor %}
FROM chosen
JOIN quasi_tuples AS tuples ON tuples.tuple = (chosen.best & 8589934591)
{% for height in heights %}
{% if height != 1 %}
JOIN {{ tables[loop.index0] | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = tuples.a{{ loop.index0 }}
{% endif %}
{% endfor %}
