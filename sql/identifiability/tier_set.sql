-- tier_set
-- One set of the tier.
--
-- portable: yes
--
-- parameter sets: column, the table of the sets
-- parameter tier: integer, the number of the tier
-- parameter number: integer, its number in the tier
SELECT * FROM {{ sets | identifier }} WHERE tier = {{ tier | literal }} AND number = {{ number | literal }}
