-- class_boxes
-- The least and the greatest value of each quasi-identifier in each class, by their numbers.
--
-- portable: no
--
-- parameter columns: columns, the quasi-identifiers
CREATE OR REPLACE TEMP TABLE quasi_boxes AS
SELECT
    class,
    CAST(SUM(quasi_classes.n) AS BIGINT) AS n
{% for column in columns %}
    , MIN(a{{ loop.index0 }}) AS lo{{ loop.index0 }}
    , MAX(a{{ loop.index0 }}) AS hi{{ loop.index0 }}
{% endfor %}
FROM quasi_classes
JOIN quasi_tuples USING (tuple)
GROUP BY class
