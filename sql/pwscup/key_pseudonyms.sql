-- key_pseudonyms
-- The pseudonym of the last released record with each key.
--
-- definition: the map from keys to pseudonyms that a program builds who reads the release from top to bottom, a later
--   record overwriting an earlier one
-- missing: a record that misses a part of the key has none
-- portable: no
--
-- parameter table: column, the table that is made: the key and "pseudonym"
-- parameter released: relation, the released records
-- parameter keys: columns, of the key
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT
        record
        , pseudonym
        , period
        , day
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}) AS item{% endif %}

        , price
        , quantity
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL
)
SELECT {% for key in keys %}{{ key | identifier }}, {% endfor %}ARG_MAX(pseudonym, record) AS pseudonym
FROM released
WHERE {% for key in keys %}{{ key | identifier }} IS NOT NULL{% if not loop.last %} AND {% endif %}{% endfor %}

GROUP BY {% for key in keys %}{{ key | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}
