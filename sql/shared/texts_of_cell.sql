-- texts_of_cell
-- What a value with fields or elements holds, by its JSON or as Python writes it: texts, numbers and names of fields.

LIST_TRANSFORM(
    REGEXP_EXTRACT_ALL(<CELL>, '"(?:[^"\\]|\\.)*"|''(?:[^''\\]|\\.)*''|-?[0-9][0-9.]*'),
    lambda held: CASE WHEN REGEXP_MATCHES(held, '^["'']') THEN SUBSTR(held, 2, LENGTH(held) - 2) ELSE held END
)
