-- best_sets
-- The tier's sets that single somebody out, with those that stand one to one for them.
--
-- portable: no
--
-- parameter kept: integers, bits of attributes whose values stand one to one for another's
-- parameter twins: integers, the bits of those others, which were not searched
CREATE OR REPLACE TEMP TABLE best AS
WITH best0 AS (
    SELECT id, mask FROM found
)
{% for bit in kept %}
, best{{ loop.index }} AS (
    SELECT id, mask FROM best{{ loop.index0 }}
    UNION ALL
    SELECT id, (mask & ~CAST({{ bit }} AS BIGINT)) | {{ twins[loop.index0] }}
    FROM best{{ loop.index0 }}
    WHERE (mask & {{ bit }}) <> 0
)
{% endfor %}
SELECT id, mask FROM best{{ kept | length }}
