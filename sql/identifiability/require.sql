-- require
-- Finds the attributes that every set that singles an open person out must contain, and numbers the combinations.
--
-- definition: all sets without an attribute are part of the set of all others: whom that does not single out needs it
-- portable: no
--
-- parameter searched: integer, the bits of all attributes that sets are made of
-- parameter set_bits: integer, bits of an attribute set
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter with_values: integer, 0 where the open persons are listed without their values, which they get now
-- parameter patterns: integer, 1 where each pattern of missing values was tried on its own sets
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH reached AS (
    SELECT closed.id, BIT_OR({{ searched | literal }} & ~closures.whole) AS spared
    FROM closed
    JOIN closures ON closures.mask = closed.mask
{% if patterns %}
    JOIN open_persons AS open ON open.id = closed.id AND open.missing = closures.pattern
{% endif %}
    GROUP BY closed.id
)
SELECT
    open.* REPLACE (CAST({{ searched | literal }} & ~COALESCE(reached.spared, 0) AS {{ set_bits | integer_type }}) AS required),
    ROW_NUMBER() OVER () AS number
{% if not with_values %}
{% for word in range(words) %}
    , p{{ word }}
{% endfor %}
{% endif %}
FROM open_persons AS open
{% if not with_values %}
JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
LEFT JOIN reached ON reached.id = open.id
