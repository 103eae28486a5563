-- set_places
-- The groups with a key that tells their set of high attributes, their class in it and their low attributes.
--
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter shift: integer, bits of a set of low attributes and its fields
-- parameter class_bits: integer, bits of the number of a class
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter whole: integer, 1 where all groups are counted, 0 to leave alone what is a class of its own on every set
CREATE OR REPLACE TEMP TABLE set_places AS
SELECT
    classes.number,
    (((classes.number << {{ class_bits }}) | classes.class) << {{ shift }}) | (groups.low & {{ 2 ** low_bits - 1 }}) AS k,
{% if several %}
    groups.id,
{% endif %}
    groups.records,
    groups.shut,
    {% if whole %}FALSE{% else %}classes.alone{% endif %} AS alone
FROM set_groups AS groups
JOIN set_classes AS classes ON classes.number = groups.low >> {{ low_bits }}
{% for word in range(words) %}
    AND classes.k{{ word }} = groups.k{{ word }}
{% endfor %}
