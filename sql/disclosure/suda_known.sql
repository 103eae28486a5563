-- suda_known
-- What is unique already on smaller sets of high attributes: it is on the larger ones.
--
-- portable: no
--
-- parameter bits: integers, the bit of each high attribute
-- parameter before: column, the table of what is unique with an attribute less
-- parameter alone: integer, 1 to list only what is unique without low attributes
CREATE OR REPLACE TEMP TABLE suda_known AS
WITH smaller AS (
    SELECT part.high, part.high & ~attributes.bit AS before
    FROM lattice_part AS part
    JOIN (SELECT UNNEST(CAST({{ bits | literal }} AS BIGINT[])) AS bit) AS attributes
        ON (part.high & attributes.bit) <> 0
)
SELECT smaller.high, earlier.member, BIT_OR(earlier.bits) AS bits
FROM {{ before | identifier }} AS earlier
JOIN smaller ON smaller.before = earlier.high
{% if alone %}
WHERE (earlier.bits & 1) = 1
{% endif %}
GROUP BY smaller.high, earlier.member
