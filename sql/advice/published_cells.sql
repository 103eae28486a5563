-- published_cells
-- The published values of a column under a treatment, with their records, as a comparison would read them.
--
-- idea: the loss of a value depends on the values of the column and its own form alone, so a form is examined once,
--   on the distinct values. Only deletion of records requires a recount.
-- source: our own
-- runs: finish
-- reads: treated_cells, treated_deletions
--
-- parameter table: column, the table that is made
-- parameter values: column, the table with the different values of the column

-- name: published_cells
-- The published values of a column in one form, with the records of each.
-- takes: table, values
-- parameter cell: attribute or none, the published form of a value; none publishes it unchanged
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT CAST({% if cell %}{{ cell | value }}{% else %}value{% endif %} AS VARCHAR) AS cell,
    CAST(SUM(records) AS BIGINT) AS records
FROM {{ values | identifier }} AS different
WHERE records > 0
GROUP BY 1

-- name: treated_kept
-- The values of a column among the records that a treatment keeps, with the records of each.
-- takes: table, values
-- parameter column: integer, the number of the column
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT different.value, kept.records
FROM (
    SELECT c{{ column }} AS code, SUM(records) AS records
    FROM treated_cells
    WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = treated_cells.tuple)
    GROUP BY c{{ column }}
) AS kept
JOIN {{ values | identifier }} AS different ON different.code = kept.code
