-- evidence_pseudonyms
-- Numbers the pseudonyms of each period of a release.
--
-- definition: "number" follows the period and the pseudonym, "pseudonyms" is how many the period has
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter released: relation, the released records
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH pseudonyms AS (
    SELECT period, pseudonym
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL AND period IS NOT NULL
    GROUP BY period, pseudonym
)
SELECT
    period
    , pseudonym
    , CAST(ROW_NUMBER() OVER (ORDER BY period, pseudonym) AS INTEGER) AS number
    , COUNT(*) OVER (PARTITION BY period) AS pseudonyms
FROM pseudonyms
