-- picked_cell
-- The value that a record picks from the list of a domain, or its own cell where it picks none.
--
-- definition: a number drawn modulo the values; one list beside all records is read in less time than a table
--   is joined
-- source: random replacement (PRAM with equal probabilities)
-- missing: a missing cell stays missing
-- portable: no
--
-- parameter column: column, whose cells are replaced
-- parameter drawn: expression, whether the cell is replaced
-- parameter pick: expression, the number drawn for what takes its place
-- parameter values: integer, how many values there are to draw from, at least 1
-- parameter own: expression, what the cell is where it is not replaced
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN domain.listed[1 + CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)]
    ELSE {{ own | expression }}
END
