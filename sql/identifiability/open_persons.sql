-- open_persons
-- The persons whom a set could still single out: those with a combination that is theirs alone.
--
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter only_missing: integer, 1 for only those with a missing value
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT
    id, missing, CAST(0 AS SMALLINT) AS classes
{% for word in range(words) %}
    , p{{ word }}
{% endfor %}
FROM {{ table | identifier }}
WHERE id IS NOT NULL
{% if only_missing %}
    AND missing <> 0
{% endif %}
