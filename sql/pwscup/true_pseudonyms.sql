-- true_pseudonyms
-- Makes the true table of pseudonyms: who used which one in which period.
--
-- definition: for each user and period with a record that survived, the pseudonym of the last one
-- source: the table F of the contest of 2017
-- missing: a user without a surviving record in a period has no row for it
-- portable: no
--
-- parameter name: column, the table
-- parameter original: relation, the original as a standard history
-- parameter release: relation, the release aligned with it
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.user_id
    , original.period
    , ARG_MAX(released.pseudonym, released.record) AS pseudonym
FROM {{ original | relation }} AS original
JOIN {{ release | relation }} AS released ON released.record = original.record
WHERE released.pseudonym IS NOT NULL
GROUP BY original.user_id, original.period
ORDER BY original.user_id, original.period
