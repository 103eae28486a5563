-- pseudonym_table
-- The pseudonyms of each user, a column for each period.
--
-- definition: a pseudonym, or DEL where there is none
-- source: the table F of the contest of 2017
-- portable: yes
--
-- parameter name: column, the view
-- parameter source: relation, the pseudonyms by user and period
-- parameter users: relation, the users
-- parameter periods: integer, how many there are
-- parameter order: expression, what users are ordered by
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ order | expression }}) AS record
    , user_id
{% for place in range(periods) %}
    , COALESCE(MAX(CASE WHEN period = {{ place }} THEN pseudonym END), 'DEL') AS p{{ place }}
{% endfor %}
FROM (
    SELECT users.user_id, found.period, found.pseudonym
    FROM {{ users | relation }} AS users
    LEFT JOIN {{ source | relation }} AS found ON found.user_id = users.user_id
) AS joined
GROUP BY user_id
