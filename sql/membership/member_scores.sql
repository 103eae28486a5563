-- member_scores
-- The score of each record of a population, and whether it is a member.
--
-- missing: a record that has no score is kept without
-- portable: no
--
-- parameter name: column, the table
-- parameter groups: relation, the population and its members
-- parameter scores: relation, by the numbers of records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT groups.record, scores.score, groups.members > 0 AS member
FROM {{ groups | relation }} AS groups
LEFT JOIN {{ scores | relation }} AS scores ON scores.record = groups.record
WHERE groups.copies > 0
