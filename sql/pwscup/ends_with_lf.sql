-- ends_with_lf
-- Whether the lines of a file of the contest end with LF.
--
-- definition: more of them do than end with CR LF
-- portable: yes
--
-- parameter source: relation, the lines
SELECT COUNT(CASE WHEN ending = 'lf' THEN 1 END) > COUNT(CASE WHEN ending = 'crlf' THEN 1 END) AS found
FROM {{ source | relation }} AS lines
