-- collapse
-- Leaves one of the combinations that are equal, in the order of the records.
--
-- portable: no
--
-- parameter table: column, the combinations, one a record
-- parameter words: integer, words of a combination
-- parameter id_bits: integer, bits of the number of a person
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
{% for word in range(words) %}
    p{{ word }},
{% endfor %}
    CAST(CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(id) END AS {{ id_bits | integer_type }}) AS id,
    CAST(COUNT(*) AS UINTEGER) AS records,
    ANY_VALUE(missing) AS missing
FROM {{ table | identifier }}
GROUP BY {% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

ORDER BY id
