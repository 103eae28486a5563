-- scored_records
-- The score that an attack gives to records, by their numbers.
--
-- missing: a cell that is no whole number is kept without a record, one that is no number without a score
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, what the attack wrote
-- parameter record: column, the number of a record
-- parameter score: column, the higher, the surer a member
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH cells AS (
    SELECT TRY_CAST({{ record | identifier }} AS DOUBLE) AS number, TRY_CAST({{ score | identifier }} AS DOUBLE) AS score
    FROM {{ source | relation }} AS given
)
SELECT CASE WHEN number = FLOOR(number) AND ABS(number) < 1e15 THEN CAST(number AS BIGINT) END AS record, score
FROM cells
