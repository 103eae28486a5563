-- mondrian_parts
-- The cut of each group that can be cut: the one of its widest quasi-identifier, of equal ones the first.
--
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006 (strict)
-- portable: no
--
-- parameter made: integer, how many groups there were before
CREATE OR REPLACE TEMP TABLE quasi_parts AS
WITH ranked AS (
    SELECT
        quasi_cuts.*,
        ROW_NUMBER() OVER (PARTITION BY part ORDER BY width DESC, attribute) AS place
    FROM quasi_cuts
    JOIN quasi_widths USING (part, attribute)
)
SELECT part, attribute, cut, below, records - below AS above, {{ made }} + 2 * ROW_NUMBER() OVER (ORDER BY part) AS made
FROM ranked
WHERE place = 1
