-- tier_set
-- One set by its number.
--
-- portable: yes
--
-- parameter sets: column, the table of the sets
-- parameter number: integer, its number
SELECT * FROM {{ sets | identifier }} WHERE number = {{ number | literal }}
