-- suda_small
-- Begins the list of what is unique on a set of high attributes: alone, or with sets of low ones in a small class.
--
-- definition: a group is unique on a set of low attributes that holds, for each other group of its class, one
--   attribute in which the two differ; the sets that hold an attribute are constant bits
-- missing: where it tells nothing, a missing value differs from all
-- portable: no
--
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
-- parameter holding: integers, the sets that hold each low attribute, as bits
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter missing: integer, 1 where missing values tell nothing
CREATE OR REPLACE TEMP TABLE suda_found AS
SELECT place, CAST(1 AS UBIGINT) AS bits
FROM suda_places
WHERE alone
UNION ALL
SELECT place, bits
FROM (
    SELECT
        one.place,
        BIT_AND(CAST({% for field in fields %}(CASE WHEN (xor(one.low, other.low) & {{ field }}) <> 0{% if missing %} OR (one.low & {{ field }}) = 0{% endif %} THEN CAST({{ holding[loop.index0] }} AS UBIGINT) ELSE CAST(0 AS UBIGINT) END) | {% endfor %}CAST(0 AS UBIGINT) AS UBIGINT)) & ~one.shut AS bits
    FROM suda_places AS one
    JOIN suda_places AS other ON other.class = one.class AND {% if several %}(other.id IS DISTINCT FROM one.id){% else %}other.place <> one.place{% endif %}

    WHERE one.small AND other.small AND one.id IS NOT NULL
    GROUP BY one.place, one.shut
) AS compared
WHERE bits <> 0
