-- population_half
-- Makes the table of one half of the population, dealt by seed.
--
-- definition: the order of MD5(seed:record), every other record
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the population
-- parameter half: integer, 0 or 1
-- parameter most: integer or none, keep only so many records, the first of that order
-- parameter seed: integer, another seed deals anew
-- parameter columns: columns, of the records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH dealt AS (
    SELECT
        records.*
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':', record)), record) - 1 AS turn
    FROM {{ source | relation }} AS records
)
SELECT record{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM dealt
WHERE MOD(turn, 2) = {{ half | literal }}{% if most is not none %} AND turn < 2 * {{ most | literal }}{% endif %}

