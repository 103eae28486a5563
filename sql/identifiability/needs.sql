-- needs
-- Opens again whom every one of their easiest sets singles out by the same attributes.
--
-- definition: "needed" are the attributes that are in all of a person's easiest sets: without one of them another,
--   less easy set has to be found
-- portable: no
--
-- parameter words: integer, words of a combination
-- parameter set_bits: integer, bits of an attribute set
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT settled.id, settled.missing, settled.every_mask AS needed, CAST(0 AS {{ set_bits | integer_type }}) AS required{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM settled
JOIN combinations ON combinations.id = settled.id
WHERE settled.every_mask <> 0
