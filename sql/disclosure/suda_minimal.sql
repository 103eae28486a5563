-- suda_minimal
-- Adds the minimal ones of what was found unique, a row for each combination and set.
--
-- definition: what is unique on a smaller set of high attributes was not looked for, so only the sets with a low
--   attribute less are compared
-- portable: no
--
-- parameter lacking: integers, the sets that lack each low attribute, as bits
-- parameter positions: integers, the low attributes
INSERT INTO suda_uniques
WITH minimal AS (
    SELECT
        high, member,
        bits & ~({% for sets in lacking %}((bits & {{ sets }}) << {{ 2 ** loop.index0 }}) | {% endfor %}CAST(0 AS UBIGINT)) AS bits
    FROM suda_new
),
sets AS (
    SELECT
        bit,
        CAST({% for position in positions %}(((number >> {{ loop.index0 }}) & 1) << {{ position }}) | {% endfor %}0 AS BIGINT) AS mask
    FROM (SELECT CAST(number AS BIGINT) AS number, bit FROM lattice_low) AS low
)
SELECT minimal.member, minimal.high | sets.mask AS mask
FROM minimal
JOIN sets ON (minimal.bits & sets.bit) <> 0
WHERE minimal.bits <> 0
