-- numbered_items
-- Numbers the items of the original, those with the most records first.
--
-- definition: a pair of items is kept as two numbers, the smaller of the item with more records
-- missing: a record without a user or an item is left out
-- portable: no
--
-- parameter source: relation, the records of the original
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter items: column or none, the table of the only items that count
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH history AS (
    SELECT CAST({{ user | identifier }} AS VARCHAR) AS user_id, CAST({{ item | identifier }} AS VARCHAR) AS item
    FROM {{ source | relation }}
)
SELECT item, CAST(ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, item) AS INTEGER) AS number
FROM history
WHERE user_id IS NOT NULL AND item IS NOT NULL
{% if items is not none %}
AND item IN (SELECT CAST(item AS VARCHAR) FROM {{ items | identifier }})
{% endif %}
GROUP BY item
