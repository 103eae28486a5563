-- guess_header
-- Whether a guess opens with names of columns, which it must not.
--
-- definition: the first line names nobody, and there is one line more than there are users
-- portable: yes
--
-- parameter source: relation, the lines
-- parameter users: relation, the users
SELECT
    COUNT(*) = (SELECT COUNT(*) + 1 FROM {{ users | relation }} AS users)
    AND COUNT(CASE WHEN record = 1 AND c0 NOT IN (SELECT user_id FROM {{ users | relation }} AS users) THEN 1 END) = 1 AS found
FROM {{ source | relation }} AS lines
