-- count_members
-- How many members were found in the population, and how many of their records are there more often than they are members.
--
-- portable: yes
--
-- parameter members: relation, the members' places in the population
SELECT
    CAST(COUNT(*) AS BIGINT) AS found
    , CAST(COUNT(CASE WHEN candidates <> times THEN 1 END) AS BIGINT) AS unclear
FROM {{ members | relation }} AS members
