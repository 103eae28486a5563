-- guessed_names
-- Writes a guess with the names of users and pseudonyms.
--
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter guess: column, the numbers
-- parameter users: column, the users and their numbers
-- parameter pseudonyms: column, the pseudonyms and their numbers
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT users.user_id, guess.period, pseudonyms.pseudonym
FROM {{ guess | identifier }} AS guess
JOIN {{ users | identifier }} AS users ON users.number = guess.user_number
JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = guess.pseudonym_number
