-- matched_keys
-- Whether a key is unique in both tables, and the number of common keys.
--
-- definition: keys are compared as text; a record without a key has no counterpart
-- runs: finish
--
-- parameter original: relation, the original
-- parameter original_key: column, its key
-- parameter release: relation, the release
-- parameter release_key: column, its key
WITH originals AS (
    SELECT CAST({{ original_key | identifier }} AS TEXT) AS record, COUNT(*) AS records
    FROM {{ original | relation }}
    GROUP BY CAST({{ original_key | identifier }} AS TEXT)
),
releases AS (
    SELECT CAST({{ release_key | identifier }} AS TEXT) AS record, COUNT(*) AS records
    FROM {{ release | relation }}
    GROUP BY CAST({{ release_key | identifier }} AS TEXT)
)
SELECT
    (SELECT COALESCE(MAX(records), 0) FROM originals WHERE record IS NOT NULL) AS original_most,
    (SELECT COALESCE(MAX(records), 0) FROM releases WHERE record IS NOT NULL) AS release_most,
    (SELECT COUNT(*) FROM originals JOIN releases ON releases.record = originals.record) AS common
