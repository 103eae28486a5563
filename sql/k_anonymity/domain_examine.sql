-- domain_examine
-- Which of the nodes to examine are k-anonymous: their smallest class has at least k records.
--
-- source: LeFevre et al., Incognito, SIGMOD 2005
-- portable: no
--
-- parameter heights: integers, the level of each root
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
        + CASE l{{ i }}{% for level in range(height) %} WHEN {{ level }} THEN x{{ i }}_{{ level }}{% endfor %} ELSE 0 END
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
