-- shadow_sample
-- Makes the table of the records that one shadow is made of: one of the groups that a pool is dealt into.
--
-- definition: the order of MD5(seed:round:record), every groups-th record from the group-th on; numbered anew from 0
-- source: Carlini et al., Membership inference attacks from first principles, 2022; groups in place of coins are our own: each
--   record is in as many shadows as another
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the pool
-- parameter columns: columns, of the records
-- parameter groups: integer, how many
-- parameter group: integer, from 0, which one is taken
-- parameter round: integer, each deals anew
-- parameter seed: integer, another seed deals anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH dealt AS (
    SELECT
        records.*
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':', {{ round | literal }}, ':', record)), record) - 1 AS turn
    FROM {{ source | relation }} AS records
)
SELECT
    turn // {{ groups | literal }} AS record
    , record AS candidate
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM dealt
WHERE MOD(turn, {{ groups | literal }}) = {{ group | literal }}
ORDER BY record
