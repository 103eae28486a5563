-- class_cells
-- What each quasi-identifier becomes in each class, and what it loses by that.
--
-- definition: loss = the length of the interval of numbers, or the leaves under the lowest common label, as a share of
--   all; 0 where nothing changes
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: a missing value is a value of its own; numbers with a missing one become *
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter leaves: integers, how many leaves each quasi-identifier has
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_cells AS
WITH labelled AS (
    SELECT
        box.class,
        box.n
{% for height in heights %}
{% set i = loop.index0 %}
        , box.lo{{ i }} <> box.hi{{ i }} AS changed{{ i }}
{% if not height %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.label0
            WHEN l{{ i }}.place < 0 OR h{{ i }}.place > 1 THEN '*'
            ELSE '[' || l{{ i }}.label0 || ', ' || h{{ i }}.label0 || ']'
        END AS cell{{ i }}
        , CASE WHEN l{{ i }}.place < 0 OR h{{ i }}.place > 1 THEN CASE WHEN box.lo{{ i }} = box.hi{{ i }} THEN 0 ELSE 1 END ELSE h{{ i }}.place - l{{ i }}.place END AS loss{{ i }}
{% else %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.label0
{% for level in range(1, height) %}
            WHEN box.hi{{ i }} <= l{{ i }}.hi{{ level }} THEN l{{ i }}.label{{ level }}
{% endfor %}
            ELSE '*'
        END AS cell{{ i }}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN 0
{% for level in range(1, height) %}
            WHEN box.hi{{ i }} <= l{{ i }}.hi{{ level }} THEN CAST(l{{ i }}.hi{{ level }} - l{{ i }}.lo{{ level }} + 1 AS DOUBLE) / {{ leaves[i] }}
{% endfor %}
            ELSE 1
        END AS loss{{ i }}
{% endif %}
{% endfor %}
    FROM quasi_boxes AS box
{% for table in tables %}
{% set i = loop.index0 %}
    JOIN {{ table | identifier }} AS l{{ i }} ON l{{ i }}.code = box.lo{{ i }}
{% if not heights[i] %}
    JOIN {{ table | identifier }} AS h{{ i }} ON h{{ i }}.code = box.hi{{ i }}
{% endif %}
{% endfor %}
)
SELECT * FROM labelled
