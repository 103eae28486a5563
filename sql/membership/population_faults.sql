-- population_faults
-- What keeps members from being found in a population.
--
-- read: repeated: records of the population that others are equal to; strangers: members that are not in it;
--   repeated_members: members that another is equal to
-- portable: yes
--
-- parameter groups: relation, the population and its members
SELECT
    CAST(COALESCE(SUM(copies), 0) AS BIGINT) AS population,
    CAST(COALESCE(SUM(CASE WHEN copies > 0 THEN members ELSE 0 END), 0) AS BIGINT) AS members,
    CAST(COALESCE(SUM(CASE WHEN copies > 1 THEN copies ELSE 0 END), 0) AS BIGINT) AS repeated,
    CAST(COALESCE(SUM(CASE WHEN copies = 0 THEN members ELSE 0 END), 0) AS BIGINT) AS strangers,
    CAST(COALESCE(SUM(CASE WHEN members > 1 THEN members ELSE 0 END), 0) AS BIGINT) AS repeated_members
FROM {{ groups | relation }} AS groups
