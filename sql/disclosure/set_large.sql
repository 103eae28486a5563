-- set_large
-- Counts the classes of sets of high attributes with some of the sets of low ones.
--
-- portable: no
--
-- parameter low: integers, the sets of low attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter sets: integer, how many sets of low attributes there are
-- parameter above: integer, bits below the number of a set of high attributes
-- parameter positions: integers, the low attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
INSERT INTO set_parts
WITH keyed AS (
    SELECT
        (places.k & low.kept) | low.above AS k,
{% if several %}
        places.id,
{% endif %}
        CAST(places.records AS DOUBLE) AS records
    FROM set_places AS places, lattice_low AS low
    WHERE NOT places.alone
        AND low.number IN {{ low | literal }}
        AND (places.shut & low.bit) = 0
),
classes AS (
    SELECT
        k,
{% if several %}
        CASE WHEN COUNT(id) = COUNT(*) AND MIN(id) = MAX(id) THEN MIN(id) END AS id,
{% endif %}
        CAST(SUM(records) AS BIGINT) AS records
    FROM keyed
    GROUP BY k
),
counted AS (
    SELECT
        k >> {{ above }} AS number,
        (k >> {{ low_bits }}) & {{ sets - 1 }} AS low,
        SUM(records) AS records,
        COUNT(*) AS classes,
        {% if several %}COUNT(DISTINCT id){% else %}COUNT(CASE WHEN records = 1 THEN 1 END){% endif %} AS singled,
        SUM(CAST(records AS HUGEINT) * records) AS squares,
        MIN(records) AS smallest
    FROM classes
    GROUP BY ALL
)
SELECT
    part.high | CAST({% for position in positions %}(((counted.low >> {{ loop.index0 }}) & 1) << {{ position }}) | {% endfor %}0 AS BIGINT) AS mask,
    counted.records, counted.classes, counted.singled, counted.squares, counted.smallest
FROM counted
JOIN lattice_part AS part ON part.number = counted.number
