-- calibrated_scores
-- Makes the table of scores by distance, calibrated on reference records: a rare record is far from all of them.
--
-- definition: score = distance to the nearest reference record - distance to the nearest record of the release
-- source: GAN-Leaks, CCS 2020, with the baselines of DOMIAS
-- portable: yes
--
-- parameter name: column, the table
-- parameter candidates: relation, each candidate with its nearest record of the release
-- parameter references: texts, tables that hold together each candidate once, with its nearest reference record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH references_of AS (
{% for table in references %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record, squared_distance FROM {{ table | relation }} AS part
{% endfor %}
)
SELECT
    candidates.record
    , SQRT(references_of.squared_distance) - SQRT(candidates.squared_distance) AS score
FROM {{ candidates | relation }} AS candidates
JOIN references_of ON references_of.record = candidates.record
