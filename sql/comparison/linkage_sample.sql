-- linkage_sample
-- Draws the records that linkage is tried on, among those that both tables have.
--
-- definition: by the order of a hash of the seed and the record, so the same seed draws the same records
-- portable: no
--
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter original_key: column or none, what a record is told by; none goes by the order of the records
-- parameter release_key: column or none, the same in the release
-- parameter seed: integer, of the draw
-- parameter most: integer, draw so many
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH originals AS (
    SELECT {% if original_key %}CAST({{ original_key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record
    FROM {{ original | relation }}
),
releases AS (
    SELECT {% if release_key %}CAST({{ release_key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record
    FROM {{ release | relation }}
)
SELECT originals.record, ROW_NUMBER() OVER (ORDER BY MD5({{ seed | literal }} || ' ' || originals.record), originals.record) AS number
FROM originals
JOIN releases ON releases.record = originals.record
ORDER BY MD5({{ seed | literal }} || ' ' || originals.record), originals.record
LIMIT {{ most | literal }}
