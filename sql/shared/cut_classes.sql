-- cut_classes
-- The rows of the sides of classes that are large enough, with a new number of the class.

classes AS (
    SELECT
        class,
        side,
        ROW_NUMBER() OVER (ORDER BY class, side) AS made
    FROM sided
{% if total is not none %}
    ANTI JOIN disclosing USING (class, side)
{% endif %}
    GROUP BY class, side
    HAVING {% if people %}COUNT(DISTINCT person){% else %}SUM(n){% endif %} >= {{ k }}

)
SELECT sided.* EXCLUDE (side) REPLACE (made AS class)
FROM sided
JOIN classes USING (class, side)
