-- ties
-- Books the sets that single a person out as easily as the first.
--
-- portable: no
--
-- parameter best: column, the table of persons and sets
-- parameter tier: integer, the number of the tier
INSERT INTO ties
SELECT best.id, best.mask
FROM {{ best | identifier }} AS best
JOIN settled USING (id)
WHERE settled.tier = {{ tier | literal }} AND best.mask <> settled.first_mask
