-- attacked_records
-- Makes the table of the candidates that an attack scored, and whether each is a member.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter scores: relation, record and score of each candidate
-- parameter members: relation, the members' places in the population
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT scores.record, scores.score, members.record IS NOT NULL AS member
FROM {{ scores | relation }} AS scores
LEFT JOIN {{ members | relation }} AS members ON members.record = scores.record
