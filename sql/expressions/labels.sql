-- labels
-- The labels of a value in a hierarchy: prefixes, intervals, the root, or what somebody wrote down.
--
-- source: value generalisation hierarchies
-- runs: finish
--
-- parameter column: expression, the value

-- name: covered
-- The root of a hierarchy: * for every value.
--
-- definition: * covers all values
-- source: suppression, the root of every hierarchy
-- missing: stays missing
-- runs: wide
--
-- takes: column
CASE WHEN {{ column | expression }} IS NOT NULL THEN '*' END

-- name: prefix_cell
-- The first characters of a value's text, and * where something was cut off.
--
-- definition: the first n characters; a text that has no more stays itself
-- source: hierarchies of postcodes and of other codes whose prefixes mean something
-- missing: stays missing
-- runs: wide
--
-- takes: column
-- parameter argument: integer, how many characters stay
CASE
    WHEN LENGTH(CAST({{ column | expression }} AS VARCHAR)) > {{ argument | literal }} THEN CONCAT(LEFT(CAST({{ column | expression }} AS VARCHAR), {{ argument | literal }}), '*')
    ELSE CAST({{ column | expression }} AS VARCHAR)
END

-- name: multiple_below
-- Which multiple of a width a floating-point number is at or above, the next one being above it.
--
-- definition: the whole m for which m width <= number < (m + 1) width, each end being the number nearest to the
--   decimal, as the ends of an interval are written: 0.3 is at 3 times 0.1
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number, below 2^52 widths
-- parameter numerator: number, of the width, which is numerator / denominator in lowest terms
-- parameter denominator: number, of the width
CAST(FLOOR(CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})) AS DOUBLE) + CASE
    WHEN CAST({{ column | expression }} AS DOUBLE) < CAST(FLOOR(CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})) AS DOUBLE) * {{ numerator | literal }} / {{ denominator | literal }} THEN -1
    WHEN CAST({{ column | expression }} AS DOUBLE) >= (CAST(FLOOR(CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})) AS DOUBLE) + 1) * {{ numerator | literal }} / {{ denominator | literal }} THEN 1
    ELSE 0
END

-- name: interval_exact
-- The interval of a whole or decimal number, as text: [30, 40[ holds 30 to 39.
--
-- definition: [m, m + width[ where m is the largest multiple of the width that is not above the number
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number
-- parameter width: text, of the interval, above 0
-- parameter kind: expression, a type with room for the ends and as many places as the column
CASE WHEN {{ column | expression }} IS NOT NULL THEN CONCAT(
    '[',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (CAST({{ column | expression }} AS {{ kind | expression }}) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }})) % CAST({{ width | literal }} AS {{ kind | expression }}),
    ', ',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (CAST({{ column | expression }} AS {{ kind | expression }}) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }})) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }}),
    '['
) END

-- name: interval_real
-- The interval of a floating-point number, as text: [30.0, 40.0[ holds 30 and all below 40.
--
-- definition: [m width, (m + 1) width[; what is not finite stays itself, and so does a number of 2^52 widths or
--   more: the numbers beside it are about as far away as a width
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number
-- parameter multiple: expression, the multiple of the width that the interval begins at
-- parameter numerator: number, of the width, which is numerator / denominator in lowest terms
-- parameter denominator: number, of the width
CASE
    WHEN {{ column | expression }} IS NULL THEN NULL
    WHEN NOT isfinite({{ column | expression }}) OR ABS(CAST({{ column | expression }} AS DOUBLE)) / ({{ numerator | literal }} / {{ denominator | literal }}) >= 4503599627370496 THEN CAST({{ column | expression }} AS VARCHAR)
    ELSE CONCAT(
        '[',
        ({{ multiple | expression }}) * {{ numerator | literal }} / {{ denominator | literal }} + 0,
        ', ',
        ({{ multiple | expression }} + 1) * {{ numerator | literal }} / {{ denominator | literal }} + 0,
        '['
    )
END

-- name: label_cell
-- The label of a value at a level of its hierarchy.
--
-- definition: the value's line in the table of its hierarchy
-- source: value hierarchies in ARX's layout
-- missing: stays missing
--
-- takes: column
-- parameter argument: integer, the level
-- parameter table: column, the table of the hierarchy
(SELECT MAX(labels.level{{ argument }}) FROM {{ table | identifier }} AS labels WHERE labels.level0 = CAST({{ column | expression }} AS VARCHAR))
