-- set_classes
-- The classes of each set of high attributes, numbered, and whether they have one group alone.
--
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low_bits: integer, bits of the word of low attributes
CREATE OR REPLACE TEMP TABLE set_classes AS
SELECT
    low >> {{ low_bits }} AS number{% for word in range(words) %}, k{{ word }}{% endfor %},
    ROW_NUMBER() OVER () AS class,
    COUNT(*) = 1 AS alone
FROM set_groups
GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

