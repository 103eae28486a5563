-- reachable
-- The attributes that each open person can do without: all others together still single them out.
--
-- portable: no
--
-- parameter searched: integer, the bits of all attributes that sets are made of
-- parameter patterns: integer, 1 where each pattern of missing values was tried on its own sets
CREATE OR REPLACE TEMP TABLE reachable AS
WITH reached AS (
    SELECT found.id, BIT_OR({{ searched | literal }} & ~tier.whole) AS reached
    FROM found
    JOIN open_persons AS open ON open.id = found.id
    JOIN tier ON tier.mask = found.mask{% if patterns %} AND tier.pattern = open.missing{% endif %}

    GROUP BY found.id
)
SELECT open.*, COALESCE(reached.reached, 0) AS reached
FROM open_persons AS open
LEFT JOIN reached ON reached.id = open.id
