-- cell_spread
-- The values of the original that the cells of a column of a release cover, by the bits or the range of the cell.
--
-- definition: cells with the same bits cover the same values
-- portable: no
--
-- parameter fields: column, the bits of the cells
-- parameter reach: column, the cells of each value in each way of generalising
-- parameter leaves: integer, how many values the original has
-- parameter words: integers, the words that the bits are in
-- parameter ranged: integer, 1 where cells are compared by ranges
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if ranged %}
WITH ranges AS (
    SELECT DISTINCT first, last FROM {{ fields | identifier }} WHERE size > 0
)
SELECT first, last, UNNEST(RANGE(first, last + 1)) AS code
FROM ranges
{% else %}
SELECT DISTINCT {% for word in words %}fields.f{{ word }}, fields.m{{ word }}, {% endfor %}reach.code
FROM {{ fields | identifier }} AS fields
JOIN {{ reach | identifier }} AS reach ON reach.cell = fields.cell AND reach.layer = fields.layer
UNION ALL
SELECT {% for word in words %}0, 0, {% endfor %}code
FROM RANGE(1, {{ leaves + 1 }}) AS everything(code)
WHERE EXISTS (SELECT 1 FROM {{ fields | identifier }} WHERE layer = 'all')
{% endif %}
