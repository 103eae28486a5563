-- lattice_low
-- Lists the sets of low attributes, by number: the bit of each, its fields, and its number above all fields.
--
-- portable: no
--
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
-- parameter low_bits: integer, bits of that word
CREATE OR REPLACE TEMP TABLE lattice_low AS
WITH listed AS (
    SELECT
        CAST(number AS INTEGER) AS number,
        BIT_COUNT(number) AS size,
        CAST({% for field in fields %}(CASE WHEN (number >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ field }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT) AS fields
    FROM range({{ 2 ** (fields | length) }}) AS numbers (number)
)
SELECT
    number,
    CAST(size AS INTEGER) AS size,
    fields,
    fields | ~CAST({{ 2 ** low_bits - 1 }} AS BIGINT) AS kept,
    CAST(number AS BIGINT) << {{ low_bits }} AS above,
    CAST(1 AS UBIGINT) << CAST(number AS UBIGINT) AS bit
FROM listed
