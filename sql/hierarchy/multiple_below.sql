-- multiple_below
-- Which multiple of a width a floating-point number is at or above, the next one being above it.
--
-- definition: the whole m for which round(m width) <= number < round((m + 1) width), rounded to twelve places
--   as the ends of an interval are written: 0.3 is at 3 times 0.1
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- portable: yes
--
-- parameter column: expression, the number
-- parameter width: number, above 0
FLOOR(CAST({{ column | expression }} AS DOUBLE) / {{ width | literal }}) + CASE
    WHEN CAST({{ column | expression }} AS DOUBLE) < ROUND(FLOOR(CAST({{ column | expression }} AS DOUBLE) / {{ width | literal }}) * {{ width | literal }}, 12) THEN -1
    WHEN CAST({{ column | expression }} AS DOUBLE) >= ROUND((FLOOR(CAST({{ column | expression }} AS DOUBLE) / {{ width | literal }}) + 1) * {{ width | literal }}, 12) THEN 1
    ELSE 0
END
