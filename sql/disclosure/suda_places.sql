-- suda_places
-- The groups with their class, each with a number; classes in which nothing is to be found are left out.
--
-- definition: in a small class every two groups are compared; in a large one its groups are counted for each set of
--   low attributes
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter shift: integer, bits of a set of low attributes and its fields
-- parameter first: integer, 1 for the set without high attributes, in which nobody is looked for
-- parameter small: integer, the most groups of a small class
CREATE OR REPLACE TEMP TABLE suda_places AS
SELECT
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS place,
    classes.number,
    groups.low,
    groups.id,
    groups.{% if several %}members{% else %}member{% endif %},
    groups.shut,
    classes.class,
    (classes.class << {{ shift }}) | (groups.low & {{ 2 ** low_bits - 1 }}) AS k,
    {% if first %}FALSE{% else %}classes.alone{% endif %} AS alone,
    NOT classes.alone AND classes.groups <= {{ small | literal }} AS small
FROM suda_groups AS groups
JOIN suda_classes AS classes ON classes.number = groups.low >> {{ low_bits }}
{% for word in range(words) %}
    AND classes.k{{ word }} = groups.k{{ word }}
{% endfor %}
WHERE classes.live > 0
