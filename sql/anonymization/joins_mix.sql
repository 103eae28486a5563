-- joins_mix
-- How many of some thousand numbers a join of this engine moves to another place.
--
-- definition: numbers that find something and numbers that do not stay among one another, or the first come first
-- source: DuckDB 1.5 gives what finds nothing at the end of each 2,048 records; 2.0 leaves it in its place
-- portable: no
SELECT COUNT(*) AS found
FROM (
    SELECT
        number
        , ROW_NUMBER() OVER () - 1 AS place
    FROM (
        SELECT
            ROW_NUMBER() OVER () - 1 AS number
            , i % 7 AS digit
            , CAST(i % 11 AS VARCHAR) AS letter
        FROM RANGE(5000) AS numbers(i)
    ) AS numbered
    LEFT JOIN (SELECT i AS known FROM RANGE(3) AS few(i)) AS digits ON digits.known = numbered.digit
    LEFT JOIN (SELECT CAST(i AS VARCHAR) AS known FROM RANGE(4) AS few(i)) AS letters ON letters.known = numbered.letter
) AS joined
WHERE number <> place
