-- lattice_part
-- Lists sets of high attributes that are looked at together, with the sets of low ones that need not be added.
--
-- portable: no
--
-- parameter sets: integers, the sets
-- parameter closed: integers, the sets of low attributes, as bits, that each is not looked at with
-- parameter high: integers, the high attributes
-- parameter words: integers, the word that holds the field of each
-- parameter masks: integers, the bits of that field
CREATE OR REPLACE TEMP TABLE lattice_part AS
WITH listed AS (
    SELECT
        UNNEST(range({{ sets | length }})) AS number,
        UNNEST(CAST({{ sets | literal }} AS BIGINT[])) AS high,
        UNNEST(CAST({{ closed | literal }} AS UBIGINT[])) AS closed
)
SELECT
    number,
    high,
    closed
{% for word in range((words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if words[i] == word %}(CASE WHEN (high >> {{ high[i] }}) & 1 = 1 THEN CAST({{ masks[i] }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT) AS f{{ word }}
{% endfor %}
FROM listed
