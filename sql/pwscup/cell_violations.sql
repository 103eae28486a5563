-- cell_violations
-- Which cells of a history are not written as they have to be, a row for each.
--
-- definition: in files of the contest pseudonyms and invoices are of letters, digits, _ and -, dates yyyy/m/d, times h:mm,
--   prices of 1 to 5 digits and up to 2 decimals, quantities of 1 to 6 digits; in others dates and times can be read
--   and prices and quantities are numbers
-- source: the check of the contest of 2017
-- missing: cells of deleted records are not looked at
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the records as they are written
-- parameter contest: integer, 1 for a file of the contest
INSERT INTO {{ name | identifier }}
WITH kept AS (
    SELECT * FROM {{ source | relation }} AS records WHERE NOT deleted{% if contest %} AND fields = 7{% endif %}

)
{% if contest %}
SELECT 'pseudonym_characters' AS violated, record, person AS value FROM kept WHERE NOT REGEXP_FULL_MATCH(person, '[A-Za-z0-9_-]+')
UNION ALL
SELECT 'invoice_characters', record, invoice FROM kept WHERE NOT REGEXP_FULL_MATCH(invoice, '[A-Za-z0-9_-]+')
UNION ALL
SELECT 'date', record, moment FROM kept WHERE day IS NULL
UNION ALL
SELECT 'time', record, clock
FROM kept
WHERE NOT REGEXP_FULL_MATCH(clock, '\d{1,2}:\d{2}') OR TRY_STRPTIME(clock, '%H:%M') IS NULL
UNION ALL
SELECT 'price', record, price FROM kept WHERE NOT REGEXP_FULL_MATCH(price, '\d{1,5}(\.\d{1,2})?')
UNION ALL
SELECT 'quantity', record, quantity FROM kept WHERE NOT REGEXP_FULL_MATCH(quantity, '\d{1,6}')
{% else %}
SELECT 'date' AS violated, record, moment AS value FROM kept WHERE day IS NULL AND moment IS NOT NULL
UNION ALL
SELECT 'time', record, clock FROM kept WHERE clock IS NOT NULL AND TRY_CAST(clock AS TIME) IS NULL AND TRY_STRPTIME(clock, '%H:%M') IS NULL
UNION ALL
SELECT 'price', record, price FROM kept WHERE price IS NOT NULL AND TRY_CAST(price AS DOUBLE) IS NULL
UNION ALL
SELECT 'quantity', record, quantity FROM kept WHERE quantity IS NOT NULL AND TRY_CAST(quantity AS DECIMAL(27, 9)) IS NULL
{% endif %}
