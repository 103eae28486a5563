-- guessed_records
-- The candidates that an attack guesses, its surest first.
--
-- portable: yes
--
-- parameter scores: relation, record, score and place of every candidate
-- parameter guesses: integer, how many of the first places are guessed
SELECT record
FROM {{ scores | relation }} AS scores
WHERE place <= {{ guesses | literal }}
ORDER BY place
