-- last_matches
-- Guesses the pseudonym of each user in each period from the last known record whose key was released.
--
-- definition: each known record whose key is in the map fills the cell of its user and period with the key's
--   pseudonym, a later record overwriting an earlier one
-- source: the sample programs S1 to S6 of PWS Cup 2017
-- missing: a known record that misses a part of the key matches nothing
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter known: relation, the records that the attacker knows
-- parameter map: column, the keys and their pseudonyms
-- parameter keys: columns, of the key
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH known AS (
    SELECT
        record
        , user_id
        , period
        , day
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}) AS item{% endif %}

        , price
        , quantity
    FROM {{ known | relation }} AS records
    WHERE user_id IS NOT NULL
)
SELECT known.user_id, known.period, ARG_MAX(map.pseudonym, known.record) AS pseudonym
FROM known
JOIN {{ map | identifier }} AS map
    ON {% for key in keys %}map.{{ key | identifier }} = known.{{ key | identifier }}{% if not loop.last %} AND {% endif %}{% endfor %}

GROUP BY known.user_id, known.period
