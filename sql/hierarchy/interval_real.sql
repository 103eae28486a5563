-- interval_real
-- The interval of a floating-point number, as text: [30.0, 40.0[ holds 30 and all below 40.
--
-- definition: [m width, (m + 1) width[, rounded to twelve places; what is not finite stays itself
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- portable: no
--
-- parameter column: expression, the number
-- parameter multiple: expression, the multiple of the width that the interval begins at
-- parameter width: number, of the interval, above 0
-- parameter kind: expression, the type of the column, which the ends are written in
CASE
    WHEN {{ column | expression }} IS NULL THEN NULL
    WHEN NOT isfinite({{ column | expression }}) THEN CAST({{ column | expression }} AS VARCHAR)
    ELSE CONCAT(
        '[',
        CAST(ROUND(({{ multiple | expression }}) * {{ width | literal }}, 12) + 0 AS {{ kind | expression }}),
        ', ',
        CAST(ROUND(({{ multiple | expression }} + 1) * {{ width | literal }}, 12) + 0 AS {{ kind | expression }}),
        '['
    )
END
