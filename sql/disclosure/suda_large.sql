-- suda_large
-- Adds what is unique on a set of high attributes with some of the sets of low ones, in large classes.
--
-- portable: no
--
-- parameter low: integers, the sets of low attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter sets: integer, how many sets of low attributes there are
-- parameter several: integer, 1 where a person can have several combinations, else 0
INSERT INTO suda_found
WITH keyed AS (
    SELECT
{% if several %}
        places.place,
        places.id,
{% else %}
        CASE WHEN places.id IS NOT NULL THEN places.place END AS place,
{% endif %}
        (places.k & low.kept) | low.above AS k
    FROM suda_places AS places, lattice_low AS low
    WHERE NOT places.alone AND NOT places.small
        AND low.number IN {{ low | literal }}
        AND (places.shut & low.bit) = 0
),
single AS (
{% if several %}
    SELECT UNNEST(LIST(place)) AS place, (k >> {{ low_bits }}) & {{ sets - 1 }} AS number
    FROM keyed
    GROUP BY k
    HAVING COUNT(id) = COUNT(*) AND MIN(id) = MAX(id)
{% else %}
    SELECT ANY_VALUE(place) AS place, (k >> {{ low_bits }}) & {{ sets - 1 }} AS number
    FROM keyed
    GROUP BY k
    HAVING COUNT(*) = 1 AND COUNT(place) = 1
{% endif %}
)
SELECT single.place, BIT_OR(low.bit) AS bits
FROM single
JOIN lattice_low AS low ON low.number = single.number
GROUP BY single.place
