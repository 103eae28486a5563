-- set_alone
-- Counts what is a class of its own on a set of high attributes: it is on all sets with low ones too.
--
-- portable: no
--
-- parameter positions: integers, the low attributes
INSERT INTO set_parts
WITH counted AS (
    SELECT
        number,
        SUM(records) AS records,
        COUNT(*) AS classes,
        COUNT(CASE WHEN records = 1 THEN 1 END) AS singled,
        SUM(CAST(records AS HUGEINT) * records) AS squares,
        MIN(records) AS smallest
    FROM set_places
    WHERE alone
    GROUP BY number
)
SELECT
    part.high | CAST({% for position in positions %}((CAST((low.number >> {{ loop.index0 }}) & 1 AS BIGINT)) << {{ position }}) | {% endfor %}0 AS BIGINT) AS mask,
    counted.records, counted.classes, counted.singled, counted.squares, counted.smallest
FROM counted
JOIN lattice_part AS part ON part.number = counted.number
JOIN lattice_low AS low ON (part.closed & low.bit) = 0
