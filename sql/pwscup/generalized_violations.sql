-- generalized_violations
-- What of a release of 2018 does not go with its original, a row for each record or cell.
--
-- definition: cells of the original that are no date, price or quantity; pseudonyms of a record with cells that are no whole
--   numbers of up to 9 digits; a customer's record under another pseudonym than their first record; a pseudonym that is
--   already another customer's; cells that neither are the original's, nor a set or an interval that holds it, nor *.
--   A set has up to 100 items, each once and each of the original
-- source: the format checker of PWS Cup 2018
-- missing: cells of deleted records are deleted
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, whom each record is of
-- parameter cells: relation, the cells
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
