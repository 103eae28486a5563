-- open_persons
-- The persons whom a set could still single out: those with a combination that is theirs alone.
--
-- definition: "classes" has a bit for each class of attributes that can single a person out, "required" one for each
--   attribute without which nothing does
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter set_bits: integer, bits of an attribute set
-- parameter with_values: integer, 0 to leave their values to the combinations
-- parameter sharing: integer, 1 where the persons who share their combination are listed apart
-- parameter only_missing: integer, 1 for only those with a missing value
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT
    id, missing, CAST(0 AS SMALLINT) AS classes, CAST(0 AS {{ set_bits | integer_type }}) AS required
{% if with_values %}
{% for word in range(words) %}
    , p{{ word }}
{% endfor %}
{% endif %}
FROM {{ table | identifier }}
{% if sharing %}
ANTI JOIN sharing USING (id)
{% endif %}
WHERE id IS NOT NULL
{% if only_missing %}
    AND missing <> 0
{% endif %}
