-- set_groups
-- The different combinations on each set of high attributes with all low ones, and their records.
--
-- definition: "low" has the fields of the low attributes, and above them the number of the set of high ones; "id" is the
--   person whom alone a group belongs to; "shut" has the sets of low attributes that the group does not count with
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter low: integer, 1 where low attributes are added, 0 where the sets of high ones are large enough
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter missing: integer, 1 where missing values tell nothing
-- parameter without: integers, for each pattern of missing low attributes the sets that hold one, as bits
CREATE OR REPLACE TEMP TABLE set_groups AS
WITH placed AS (
    SELECT
        (part.number << {{ low_bits }}){% if low %} | rows.low{% endif %} AS low,
        rows.records,
{% if several %}
        rows.id,
{% endif %}
        part.closed{% if missing and low %} | CAST({{ without | literal }} AS UBIGINT[])[rows.low_missing + 1]{% endif %} AS closed
{% for word in range(words) %}
        , rows.h{{ word }} & part.f{{ word }} AS k{{ word }}
{% endfor %}
    FROM lattice_rows AS rows, lattice_part AS part
{% if missing %}
    WHERE (rows.missing & part.high) = 0
{% endif %}
)
SELECT
    low,
{% for word in range(words) %}
    k{{ word }},
{% endfor %}
{% if several %}
    CASE WHEN COUNT(id) = COUNT(*) AND MIN(id) = MAX(id) THEN MIN(id) END AS id,
{% endif %}
    CAST(SUM(records) AS BIGINT) AS records,
    ANY_VALUE(closed) AS shut
FROM placed
GROUP BY low{% for word in range(words) %}, k{{ word }}{% endfor %}

