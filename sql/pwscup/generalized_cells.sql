-- generalized_cells
-- Makes the table of the cells of a release of 2018, four for each record, beside those of the original.
--
-- definition: a cell is a value, * (deleted), of items a set {a;b}, of dates, prices and quantities an interval [a;b].
--   Dates are of 2010 and 2011, prices above 0 with up to 5 digits and 2 decimals, quantities from 1 with up to 6 digits;
--   as whole numbers they are days since 2010-01-01, pence and pieces. "members" are the values that an item stands for,
--   0 of a deleted cell; "lower" and "upper" the ends of an interval, a value being one of equal ends
-- source: the format checker and the program of losses of PWS Cup 2018
-- missing: a number that is not written so is empty
-- portable: no
--
-- parameter name: column, the table
-- parameter original: relation, the lines of the original
-- parameter release: relation, the lines of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH attributes(attribute, place) AS (
    VALUES ('date', 1), ('item', 2), ('price', 3), ('quantity', 4)
),
cells AS (
    SELECT
        original.record
        , attributes.attribute
        , [original.c1, original.c2, original.c3, original.c4][attributes.place] AS original
        , [release.c1, release.c2, release.c3, release.c4][attributes.place] AS released
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release ON release.record = original.record
    CROSS JOIN attributes
),
parts AS (
    SELECT
        record
        , attribute
        , original
        , released
        , CASE
            WHEN released = '*' THEN []
            WHEN attribute = 'item' AND REGEXP_FULL_MATCH(released, '\{[^}]+\}') THEN STRING_SPLIT(released[2:-2], ';')
            WHEN attribute = 'item' THEN [released]
        END AS items
        , CASE WHEN released LIKE '[%;%]' THEN SPLIT_PART(released[2:-2], ';', 1) ELSE released END AS first_end
        , CASE WHEN released LIKE '[%;%]' THEN released[STRPOS(released, ';') + 1:-2] ELSE released END AS last_end
    FROM cells
)
SELECT
    record
    , attribute
    , original
    , released
    , items
    , LEN(items) AS members
{% for text, number in [('original', 'value'), ('first_end', 'lower'), ('last_end', 'upper')] %}
    , CASE
        WHEN attribute = 'date' AND REGEXP_FULL_MATCH({{ text | identifier }}, '201[01]/\d{1,2}/\d{1,2}')
            THEN DATE_DIFF('day', DATE '2010-01-01', CAST(TRY_STRPTIME({{ text | identifier }}, '%Y/%m/%d') AS DATE))
        WHEN attribute = 'price' AND REGEXP_FULL_MATCH({{ text | identifier }}, '(0|[1-9]\d{0,4})(\.\d{1,2})?')
            THEN NULLIF(CAST(100 * CAST({{ text | identifier }} AS DECIMAL(7, 2)) AS BIGINT), 0)
        WHEN attribute = 'quantity' AND REGEXP_FULL_MATCH({{ text | identifier }}, '[1-9]\d{0,5}')
            THEN CAST({{ text | identifier }} AS BIGINT)
    END AS {{ number | identifier }}
{% endfor %}
FROM parts
