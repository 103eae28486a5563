-- suda_groups
-- The different combinations on each set of high attributes with all low ones.
--
-- definition: who is unique on a smaller set of high attributes alone shares no class with anybody, and is left out.
--   "low" has the fields of the low attributes, and above them the number of the set of high ones; "id" is the person
--   whom alone a group belongs to; "shut" has the sets of low attributes that the group is not looked at with: too
--   large, unique already, or missing in it
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low: integer, 1 where low attributes are added, 0 where the sets of high ones are large enough
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter missing: integer, 1 where missing values tell nothing
-- parameter without: integers, for each pattern of missing low attributes the sets that hold one, as bits
CREATE OR REPLACE TEMP TABLE suda_groups AS
WITH placed AS (
    SELECT
        part.high,
        (part.number << {{ low_bits }}){% if low %} | rows.low{% endif %} AS low,
        rows.member,
        rows.id,
        part.closed{% if missing and low %} | CAST({{ without | literal }} AS UBIGINT[])[rows.low_missing + 1]{% endif %} AS closed
{% for word in range(words) %}
        , rows.h{{ word }} & part.f{{ word }} AS k{{ word }}
{% endfor %}
    FROM lattice_rows AS rows, lattice_part AS part
{% if missing %}
    WHERE (rows.missing & part.high) = 0
{% endif %}
)
SELECT
    placed.low,
{% for word in range(words) %}
    placed.k{{ word }},
{% endfor %}
{% if several %}
    CASE WHEN COUNT(placed.id) = COUNT(*) AND MIN(placed.id) = MAX(placed.id) THEN MIN(placed.id) END AS id,
    LIST(placed.member) AS members,
    CASE WHEN COUNT(placed.id) = COUNT(*) AND MIN(placed.id) = MAX(placed.id)
        THEN BIT_OR(COALESCE(known.bits, 0)) ELSE 0 END | ANY_VALUE(placed.closed) AS shut
{% else %}
    CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(placed.id) END AS id,
    ANY_VALUE(placed.member) AS member,
    ANY_VALUE(COALESCE(known.bits, 0) | placed.closed) AS shut
{% endif %}
FROM placed
LEFT JOIN suda_known AS known ON known.high = placed.high AND known.member = placed.member
WHERE known.bits IS NULL OR (known.bits & 1) = 0
GROUP BY placed.low{% for word in range(words) %}, placed.k{{ word }}{% endfor %}

