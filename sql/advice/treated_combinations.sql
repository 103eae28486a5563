-- treated_combinations
-- Collapses the records of a treated table as the search for attribute sets wants them.
--
-- definition: "id" is the person whom alone a combination belongs to, by number: nobody where several share it
-- portable: no
--
-- parameter words: integer, words of a combination
-- parameter several: integer, 1 where the persons are pseudonyms, 0 where each record is its own
-- parameter id_bits: integer, bits of the number of a person
CREATE OR REPLACE TEMP TABLE combinations AS
SELECT
{% for word in range(words) %}
    p{{ word }},
{% endfor %}
    CAST(CASE WHEN {% if several %}MIN(person) = MAX(person){% else %}SUM(records) = 1{% endif %} THEN MIN(person) END AS {{ id_bits | integer_type }}) AS id,
    CAST(SUM(records) AS UINTEGER) AS records,
    missing
FROM treated_records
GROUP BY {% for word in range(words) %}p{{ word }}, {% endfor %}missing
