-- best_sets
-- The sets that single somebody out most easily, with those that stand one to one for them.
--
-- portable: no
--
-- parameter kept: integers, bits of attributes whose values stand one to one for another's
-- parameter twins: integers, the bits of those others, which were not searched
CREATE OR REPLACE TEMP VIEW best AS
WITH best0 AS (
    SELECT id, tier, mask FROM found
)
{% for bit in kept %}
, best{{ loop.index }} AS (
    SELECT id, tier, mask FROM best{{ loop.index0 }}
    UNION ALL
    SELECT id, tier, (mask & ~CAST({{ bit }} AS BIGINT)) | {{ twins[loop.index0] }}
    FROM best{{ loop.index0 }}
    WHERE (mask & {{ bit }}) <> 0
)
{% endfor %}
SELECT id, tier, mask FROM best{{ kept | length }}
