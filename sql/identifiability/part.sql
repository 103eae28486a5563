-- part
-- The combinations that are told from the others by some bits of one attribute.
--
-- definition: records that share a combination on a set with this attribute are in the same part
-- portable: no
--
-- parameter table: column, all of the combinations, or a part of them
-- parameter words: integer, words of a combination
-- parameter word: integer, the word with these bits
-- parameter bits: integer, the bits
-- parameter part: integer, their value
-- parameter into: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ into | identifier }} AS
SELECT id, missing{% for place in range(words) %}, p{{ place }}{% endfor %}

FROM {{ table | identifier }}
WHERE (p{{ word }} & {{ bits }}) = {{ part }}
