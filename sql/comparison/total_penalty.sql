-- total_penalty
-- The certainty penalty of all cells of a release, and the same from 0 to 1.
--
-- definition: NCP is the sum over the attributes; GCP = NCP / (attributes * records)
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., 2007 (GCP)
-- portable: no
--
-- parameter penalties: texts, the penalty of each attribute; numbers are written as text, to the last digit
-- parameter records: integer, of the release
WITH penalties AS (
    SELECT UNNEST(CAST({{ penalties | literal }} AS DOUBLE[])) AS penalty
)
SELECT
    CAST(SUM(CAST(penalty AS DECIMAL(38, 18))) AS DOUBLE) AS ncp,
    CAST(SUM(CAST(penalty AS DECIMAL(38, 18))) AS DOUBLE) / (COUNT(*) * {{ records | literal }}) AS gcp
FROM penalties
