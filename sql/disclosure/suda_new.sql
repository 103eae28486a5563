-- suda_new
-- What was found unique, by combination.
--
-- portable: no
--
-- parameter several: integer, 1 where a person can have several combinations, else 0
CREATE OR REPLACE TEMP TABLE suda_new AS
WITH found AS (
    SELECT place, BIT_OR(bits) AS bits
    FROM suda_found
    GROUP BY place
)
SELECT part.high, {% if several %}UNNEST(places.members){% else %}places.member{% endif %} AS member, found.bits
FROM found
JOIN suda_places AS places ON places.place = found.place
JOIN lattice_part AS part ON part.number = places.number
