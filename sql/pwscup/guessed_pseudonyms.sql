-- guessed_pseudonyms
-- Makes the standard table of a guess: which pseudonym each user is said to have had in which period.
--
-- definition: a row for each cell that is filled
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the lines of the guess
-- parameter periods: integer, how many there are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT user_id, CAST(place AS INTEGER) AS period, pseudonym
FROM (
    SELECT user_id, UNNEST(RANGE({{ periods }})) AS place, UNNEST([{% for place in range(periods) %}p{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS pseudonym
    FROM {{ source | relation }} AS guessed
) AS cells
WHERE pseudonym IS NOT NULL
ORDER BY user_id, place
