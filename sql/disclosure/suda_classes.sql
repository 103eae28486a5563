-- suda_classes
-- The classes of each set of high attributes: their groups, those of one person, and whether all belong to one.
--
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
CREATE OR REPLACE TEMP TABLE suda_classes AS
SELECT
    low >> {{ low_bits }} AS number{% for word in range(words) %}, k{{ word }}{% endfor %},
    ROW_NUMBER() OVER () AS class,
    COUNT(*) AS groups,
    COUNT(id) AS live,
    COUNT(id) = COUNT(*) AND {% if several %}MIN(id) = MAX(id){% else %}COUNT(*) = 1{% endif %} AS alone
FROM suda_groups
GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

