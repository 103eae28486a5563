-- tier_set
-- One set of the tier.
--
-- portable: yes
--
-- parameter number: integer, its number
SELECT * FROM tier WHERE number = {{ number | literal }}
