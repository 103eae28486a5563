-- key_differences
-- In which attributes every two combinations of different people differ.
--
-- portable: no
--
-- parameter words: integers, the word that holds the field of each attribute
-- parameter fields: integers, the bits of the field of each attribute
-- parameter wildcard: integer, 1 where a missing cell agrees with all and so never differs
SELECT DISTINCT
    CAST({% for word in words %}(CASE WHEN (xor(a.p{{ word }}, b.p{{ word }}) & {{ fields[loop.index0] }}) <> 0 THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT){% if wildcard %} & ~CAST(a.missing | b.missing AS BIGINT){% endif %} AS mask
FROM combinations AS a
JOIN combinations AS b ON a.rowid < b.rowid AND a.id <> b.id
