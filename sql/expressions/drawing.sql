-- drawing
-- Draws for records, the same for the same keys.
--
-- source: hashes of the record's number under secret keys
-- runs: finish
--
-- parameter drawn: expression, whether the value is replaced
-- parameter column: column, with the values
-- parameter pick: expression, a drawn number that selects the new value
-- parameter values: integer, number of values to draw from, at least 1

-- name: drawn_number
-- A whole number below 2^64 that is drawn for a record.
--
-- definition: hash(hash(hash(record) xor first) xor second), each a bijection, so that no two records draw the
--   same number
-- source: xor with secret keys between public permutations (Even and Mansour 1997)
-- missing: every record has a number
-- runs: wide
--
-- parameter first: text, a key, a whole number below 2^64
-- parameter second: text, another key
HASH(XOR(HASH(XOR(HASH(record), CAST({{ first | literal }} AS UBIGINT))), CAST({{ second | literal }} AS UBIGINT)))

-- name: is_drawn
-- Whether the drawn number of a record is among the smallest ones.
--
-- definition: a share s of the records draws a number below s times 2^64
-- source: sampling by a hash of the record's number
-- missing: every record has a number
-- runs: wide
--
-- parameter drawn: expression, the drawn number
-- parameter limit: text, the largest number of the sample
{{ drawn | expression }} <= CAST({{ limit | literal }} AS UBIGINT)

-- name: pick_if_drawn
-- Index of the new value of a record; none if the value stays or is missing.
--
-- definition: a drawn number modulo the number of values
-- source: random replacement (PRAM with equal probabilities)
-- missing: stays missing
--
-- takes: column, drawn, pick, values
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)
END

-- name: picked_cell
-- The new value of a record from the list of a domain, or its own value.
--
-- definition: a drawn number modulo the number of values is the index in the list. A list that is joined to all records
--   is faster than a table that is joined by the index
-- source: random replacement (PRAM with equal probabilities)
-- missing: a missing value stays missing
--
-- takes: column, drawn, pick, values
-- parameter own: expression, the value if it is not replaced
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN domain.listed[1 + CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)]
    ELSE {{ own | expression }}
END

-- name: gaussian
-- A number from the standard normal distribution that is drawn for a record.
--
-- definition: sqrt(-2 ln u) cos(2 pi v) with u and v drawn uniformly between 0 and 1
-- source: Box and Muller 1958
-- missing: every record has a number
--
-- parameter first: expression, a drawn whole number below 2^64
-- parameter second: expression, another one
SQRT(-2 * LN((CAST({{ first | expression }} AS DOUBLE) + 1) / 18446744073709551616))
    * COS(2 * PI() * (CAST({{ second | expression }} AS DOUBLE) / 18446744073709551616))
