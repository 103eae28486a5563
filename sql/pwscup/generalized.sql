-- generalized
-- Reads releases and guesses of 2018 with generalized values, and lists their violations.
--
-- source: the format checker and the check of guesses of PWS Cup 2018
-- runs: finish
--
-- parameter source: relation, the person of each record
-- parameter name: column, the table
-- parameter original: relation, the lines of the original
-- parameter release: relation, the lines of the release

-- name: count_generalized
-- The number of records of a release of 2018.
--
-- takes: source
SELECT
    COUNT(*) AS records
    , COUNT(DISTINCT customer) AS users
    , COUNT(pseudonym) AS surviving
    , COUNT(DISTINCT pseudonym) AS pseudonyms
FROM {{ source | relation }} AS records

-- name: generalized_records
-- Creates the table of the customer and the pseudonym of each record of a release of 2018.
--
-- definition: a release of 2018 is aligned with its original; a record whose five values are * is deleted
-- source: the format checker of PWS Cup 2018
-- missing: a deleted record has no pseudonym
--
-- takes: name, original, release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.record
    , original.c0 AS customer
    , CASE WHEN NOT (release.c0 = '*' AND release.c1 = '*' AND release.c2 = '*' AND release.c3 = '*'
        AND release.c4 = '*') THEN release.c0 END AS pseudonym
FROM {{ original | relation }} AS original
JOIN {{ release | relation }} AS release ON release.record = original.record

-- name: generalized_cells
-- Creates the table of the values of a release of 2018, four per record, with those of the original.
--
-- definition: a value of the release is a value, * (deleted), a set {a;b} of items, or an interval [a;b] of dates,
--   prices or quantities. Dates are of 2010 and 2011, prices above 0 with up to 5 digits and 2 decimals, quantities
--   from 1 with up to 6 digits; as integers they are days since 2010-01-01, pence and pieces. "members" is the number
--   of values of an item, 0 if deleted; "lower" and "upper" are the ends of an interval, equal for a value
-- source: the format checker and the program of losses of PWS Cup 2018
-- missing: a number that is not written so is empty
--
-- takes: name, original, release
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

-- name: generalized_violations
-- The violations of a release of 2018 against its original, a row for each record or value.
--
-- definition: values of the original that are no date, price or quantity; pseudonyms of a record with values that are
--   no integers of up to 9 digits; a customer's record under another pseudonym than their first record; a pseudonym
--   that already is another customer's; values that neither equal the original's, nor are a set or an interval that
--   contains it, nor *. A set has up to 100 items, each once and each of the original
-- source: the format checker of PWS Cup 2018
-- missing: values of deleted records are deleted
--
-- takes: source
-- parameter name: column, the table of violations
-- parameter cells: relation, the values
INSERT INTO {{ name | identifier }}
WITH cells AS (
    SELECT record, attribute, original, released, items, value, lower, upper FROM {{ cells | relation }} AS cells
),
known AS (
    SELECT DISTINCT original AS item FROM cells WHERE attribute = 'item'
),
strangers AS (
    SELECT DISTINCT record
    FROM (SELECT record, UNNEST(items) AS item FROM cells WHERE attribute = 'item') AS members
    ANTI JOIN known ON known.item = members.item
),
kept AS (
    SELECT
        record
        , pseudonym
        , FIRST_VALUE(pseudonym) OVER (PARTITION BY customer ORDER BY record) AS first_pseudonym
        , customer
        , FIRST_VALUE(customer) OVER (PARTITION BY pseudonym ORDER BY record) AS first_customer
    FROM {{ source | relation }} AS records
    WHERE pseudonym IS NOT NULL
)
SELECT 'original_' || attribute AS violated, record, original AS value
FROM cells
WHERE attribute <> 'item' AND value IS NULL
UNION ALL
SELECT 'pseudonym', record, pseudonym FROM kept WHERE NOT REGEXP_FULL_MATCH(pseudonym, '[1-9]\d{0,8}')
UNION ALL
SELECT 'several_pseudonyms', record, pseudonym FROM kept WHERE pseudonym <> first_pseudonym
UNION ALL
SELECT 'shared_pseudonym', record, pseudonym FROM kept WHERE customer <> first_customer
UNION ALL
SELECT 'generalized_item', cells.record, cells.released
FROM cells
LEFT JOIN strangers ON strangers.record = cells.record
WHERE cells.attribute = 'item' AND cells.released <> '*' AND (
    NOT LIST_CONTAINS(cells.items, cells.original)
    OR LEN(LIST_DISTINCT(cells.items)) <> LEN(cells.items)
    OR LEN(cells.items) > 100
    OR strangers.record IS NOT NULL
)
UNION ALL
SELECT 'generalized_' || attribute, record, released
FROM cells
WHERE attribute <> 'item' AND released <> '*' AND COALESCE(value NOT BETWEEN lower AND upper, TRUE)

-- name: guessed_pairs
-- Creates the table of the pairs of a guess of 2018: a pseudonym and a customer in each line.
-- takes: name
-- parameter source: relation, the lines
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record, c0 AS pseudonym, c1 AS customer
FROM {{ source | relation }} AS lines

-- name: pair_violations
-- The violations of a guess of 2018 against its release, a row for each line.
--
-- definition: pseudonyms that the release has not, customers that the original has not, a pseudonym that is named again
-- source: the check of guesses of PWS Cup 2018 (check-f1)
--
-- parameter name: column, the table of violations
-- parameter source: relation, the pairs of the guess
-- parameter records: relation, the person of each record
INSERT INTO {{ name | identifier }}
WITH guesses AS (
    SELECT record, pseudonym, customer FROM {{ source | relation }} AS pairs
),
records AS (
    SELECT customer, pseudonym FROM {{ records | relation }} AS records
)
SELECT 'unknown_pseudonym' AS violated, record, pseudonym AS value
FROM guesses
ANTI JOIN records ON records.pseudonym = guesses.pseudonym
UNION ALL
SELECT 'unknown', record, customer
FROM guesses
ANTI JOIN records ON records.customer = guesses.customer
UNION ALL
SELECT 'repeated_pseudonym', record, pseudonym
FROM (
    SELECT record, pseudonym, ROW_NUMBER() OVER (PARTITION BY pseudonym ORDER BY record) AS time
    FROM guesses
) AS numbered
WHERE time > 1
