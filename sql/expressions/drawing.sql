-- drawing
-- What a record draws: the same for the same keys.
--
-- source: hashes of the record's number under secret keys
-- runs: finish
--
-- parameter drawn: expression, whether the cell is replaced
-- parameter column: column, whose cells are replaced
-- parameter pick: expression, the number drawn for what takes its place
-- parameter values: integer, how many values there are to draw from, at least 1

-- name: drawn_number
-- A whole number below 2 to the power of 64 that is drawn for a record: the same for the same keys.
--
-- definition: hash(hash(hash(record) xor first) xor second), each a bijection, so that no two records draw the
--   same number
-- source: xor with secret keys between public permutations (Even and Mansour 1997)
-- missing: every record has a number
-- runs: wide
--
-- parameter first: text, a key, a whole number below 2 to the power of 64
-- parameter second: text, another one
HASH(XOR(HASH(XOR(HASH(record), CAST({{ first | literal }} AS UBIGINT))), CAST({{ second | literal }} AS UBIGINT)))

-- name: is_drawn
-- Whether the drawn number of a record is among the smallest ones.
--
-- definition: a share s of the records draws a number below s times 2 to the power of 64
-- source: sampling by a hash of the record's number
-- missing: every record has a number
-- runs: wide
--
-- parameter drawn: expression, the drawn number
-- parameter limit: text, the largest number that counts
{{ drawn | expression }} <= CAST({{ limit | literal }} AS UBIGINT)

-- name: pick_if_drawn
-- Which of so many numbered values a record draws, if it draws one at all; a missing cell draws none.
--
-- definition: a number drawn modulo the values
-- source: random replacement (PRAM with equal probabilities)
-- missing: stays missing
--
-- takes: column, drawn, pick, values
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)
END

-- name: picked_cell
-- The value that a record picks from the list of a domain, or its own cell where it picks none.
--
-- definition: a number drawn modulo the values; one list beside all records is read in less time than a table
--   is joined
-- source: random replacement (PRAM with equal probabilities)
-- missing: a missing cell stays missing
--
-- takes: column, drawn, pick, values
-- parameter own: expression, what the cell is where it is not replaced
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN domain.listed[1 + CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)]
    ELSE {{ own | expression }}
END

-- name: gaussian
-- A number drawn for a record from the standard normal distribution.
--
-- definition: sqrt(-2 ln u) cos(2 pi v) of two numbers drawn evenly between 0 and 1
-- source: Box and Muller 1958
-- missing: every record has a number
--
-- parameter first: expression, a drawn whole number below 2 to the power of 64
-- parameter second: expression, another one
SQRT(-2 * LN((CAST({{ first | expression }} AS DOUBLE) + 1) / 18446744073709551616)) * COS(2 * PI() * (CAST({{ second | expression }} AS DOUBLE) / 18446744073709551616))
