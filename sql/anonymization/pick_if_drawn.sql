-- pick_if_drawn
-- Which of so many numbered values a record draws, if it draws one at all; a missing cell draws none.
--
-- definition: a number drawn modulo the values
-- source: random replacement (PRAM with equal probabilities)
-- missing: stays missing
-- portable: no
--
-- parameter column: column, whose cells are replaced
-- parameter drawn: expression, whether the cell is replaced
-- parameter pick: expression, the number drawn for what takes its place
-- parameter values: integer, how many values there are to draw from, at least 1
CASE
    WHEN {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
    THEN CAST({{ pick | expression }} % CAST({{ values | literal }} AS UBIGINT) AS BIGINT)
END
