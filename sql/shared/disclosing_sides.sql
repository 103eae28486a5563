-- disclosing_sides
-- The sides of classes that disclose a sensitive value to an attacker, as in disclosed_people.

members AS (
    SELECT DISTINCT class, side, person
    FROM sided
    WHERE person IS NOT NULL
),
disclosing AS (
    SELECT DISTINCT class, side
    FROM (
        SELECT class, side, value, value_people, COUNT(*) AS held
        FROM members
        JOIN uniform_owned USING (person)
        GROUP BY class, side, value, value_people
    ) AS counted
    JOIN (SELECT class, side, COUNT(*) AS people FROM members GROUP BY class, side) AS sizes USING (class, side)
    WHERE 10 * held >= 9 * people
        AND 2 * CAST(held AS HUGEINT) * {{ total }} >= 3 * CAST(value_people AS HUGEINT) * people
),
