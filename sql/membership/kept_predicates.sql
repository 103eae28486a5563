-- kept_predicates
-- Makes the table of the first predicates that one record of the release meets.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter boxes: relation, the predicates
-- parameter matches: relation or none, how many records meet them; none where it is known to be one
-- parameter known: relation or none, predicates that were kept before
-- parameter most: integer, so many are kept
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH alone AS (
    SELECT boxes.*
    FROM {{ boxes | relation }} AS boxes
{% if matches is not none %}
    JOIN {{ matches | relation }} AS matches ON matches.predicate = boxes.predicate
    WHERE matches.matches = 1
{% endif %}
{% if known is not none %}
    UNION ALL
    SELECT known.* FROM {{ known | relation }} AS known
{% endif %}
)
SELECT alone.*
FROM alone
ORDER BY predicate
LIMIT {{ most }}
