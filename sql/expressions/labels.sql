-- labels
-- The labels of a value in a hierarchy: prefixes, intervals, the root, or given ones.
--
-- source: value generalisation hierarchies
-- runs: finish
--
-- parameter column: expression, the value

-- name: covered
-- The root of a hierarchy, * for every value.
--
-- definition: * covers all values
-- source: suppression, the root of every hierarchy
-- missing: stays missing
-- runs: wide
--
-- takes: column
CASE WHEN {{ column | expression }} IS NOT NULL THEN '*' END

-- name: prefix_cell
-- The first characters of a text, with * if more follow.
--
-- definition: the first n characters; a text of at most n stays itself
-- source: hierarchies of postcodes and other codes with meaningful prefixes
-- missing: stays missing
-- runs: wide
--
-- takes: column
-- parameter argument: integer, n
CASE
    WHEN LENGTH(CAST({{ column | expression }} AS VARCHAR)) > {{ argument | literal }}
    THEN CONCAT(LEFT(CAST({{ column | expression }} AS VARCHAR), {{ argument | literal }}), '*')
    ELSE CAST({{ column | expression }} AS VARCHAR)
END

-- name: multiple_below
-- The largest multiple of a width that is not above a floating-point number.
--
-- definition: the whole m for which m width <= number < (m + 1) width. Each end is the number nearest to its decimal,
--   as the ends of intervals are written: 0.3 is at 3 times 0.1
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number, below 2^52 widths
-- parameter numerator: number, of the width, which is numerator / denominator in lowest terms
-- parameter denominator: number, of the width
CAST(FLOOR(
    CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})
) AS DOUBLE) + CASE
    WHEN CAST({{ column | expression }} AS DOUBLE) < CAST(FLOOR(
        CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})
    ) AS DOUBLE) * {{ numerator | literal }} / {{ denominator | literal }}
    THEN -1
    WHEN CAST({{ column | expression }} AS DOUBLE) >= (CAST(FLOOR(
        CAST({{ column | expression }} AS DOUBLE) / ({{ numerator | literal }} / {{ denominator | literal }})
    ) AS DOUBLE) + 1) * {{ numerator | literal }} / {{ denominator | literal }}
    THEN 1
    ELSE 0
END

-- name: interval_exact
-- The interval of a whole or decimal number, as text: [30, 40[ holds 30 to 39.
--
-- definition: [m, m + width[ with m the largest multiple of the width that is not above the number
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number
-- parameter width: text, of the interval, above 0
-- parameter kind: expression, a type with room for the ends and the decimals of the column
CASE WHEN {{ column | expression }} IS NOT NULL THEN CONCAT(
    '[',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (
        CAST({{ column | expression }} AS {{ kind | expression }})
        % CAST({{ width | literal }} AS {{ kind | expression }})
        + CAST({{ width | literal }} AS {{ kind | expression }})
    ) % CAST({{ width | literal }} AS {{ kind | expression }}),
    ', ',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (
        CAST({{ column | expression }} AS {{ kind | expression }})
        % CAST({{ width | literal }} AS {{ kind | expression }})
        + CAST({{ width | literal }} AS {{ kind | expression }})
    ) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }}),
    '['
) END

-- name: interval_real
-- The interval of a floating-point number, as text: [30.0, 40.0[ holds 30 and all numbers below 40.
--
-- definition: [m width, (m + 1) width[. A number stays itself if it is not finite, or at least 2^52 widths: adjacent
--   numbers are about a width apart then
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, the number
-- parameter multiple: expression, the multiple m of the width
-- parameter numerator: number, of the width, which is numerator / denominator in lowest terms
-- parameter denominator: number, of the width
CASE
    WHEN {{ column | expression }} IS NULL THEN NULL
    WHEN NOT isfinite({{ column | expression }})
        OR ABS(CAST({{ column | expression }} AS DOUBLE)) / ({{ numerator | literal }} / {{ denominator | literal }})
            >= 4503599627370496
    THEN CAST({{ column | expression }} AS VARCHAR)
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
-- definition: the value's row in the table of its hierarchy
-- source: value hierarchies in ARX's layout
-- missing: stays missing
--
-- takes: column
-- parameter argument: integer, the level
-- parameter table: column, the table of the hierarchy
(
    SELECT MAX(labels.level{{ argument }})
    FROM {{ table | identifier }} AS labels
    WHERE labels.level0 = CAST({{ column | expression }} AS VARCHAR)
)

-- name: interval_of_mean
-- The interval of the band that the mean of a band stands for.
--
-- definition: both ends are included; what is no mean stays itself
-- source: the recipe of a release
-- missing: stays missing
--
-- takes: column
-- parameter means: texts, the means
-- parameter least: texts, the least number of the band of each mean
-- parameter most: texts, the greatest number
-- parameter kind: expression, the type of the numbers
CASE CAST({{ column | expression }} AS DOUBLE)
{% for mean in means %}
    WHEN CAST({{ mean | literal }} AS DOUBLE) THEN
{% if least[loop.index0] == most[loop.index0] %}
        CAST(CAST({{ least[loop.index0] | literal }} AS {{ kind | expression }}) AS VARCHAR)
{% else %}
        '[' || CAST({{ least[loop.index0] | literal }} AS {{ kind | expression }}) || ', '
        || CAST({{ most[loop.index0] | literal }} AS {{ kind | expression }}) || ']'
{% endif %}
{% endfor %}
    ELSE CAST({{ column | expression }} AS VARCHAR)
END

-- name: interval_of_first_day
-- The interval of the period that its first day stands for.
--
-- definition: both ends are included; the last moment is a microsecond before the next period
-- source: the recipe of a release
-- missing: stays missing
--
-- takes: column
-- parameter length: text, the length of a period
-- parameter is_day: flag, the original has days
CASE WHEN {{ column | expression }} IS NOT NULL THEN
    '[' || CAST({{ column | expression }} AS DATE) || ', '
    || {% if is_day %}CAST(CAST({{ column | expression }} AS DATE) + CAST({{ length | literal }} AS INTERVAL)
        - INTERVAL 1 DAY AS DATE){% else %}CAST(CAST({{ column | expression }} AS DATE)
        + CAST({{ length | literal }} AS INTERVAL) - INTERVAL 1 MICROSECOND AS TIMESTAMP){% endif %} || ']'
END
