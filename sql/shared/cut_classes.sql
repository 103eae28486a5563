-- cut_classes
-- The rows of the sides of classes that are large enough, with a new number of the class.

classes AS (
    SELECT
        class,
        side,
        ROW_NUMBER() OVER (ORDER BY class, side) AS made
    FROM placed
{% if count %}
    ANTI JOIN disclosed USING (class, side)
{% endif %}
    GROUP BY class, side
    HAVING {% if people %}COUNT(DISTINCT person){% else %}SUM(n){% endif %} >= {{ k }}

)
SELECT placed.* EXCLUDE (side) REPLACE (made AS class)
FROM placed
JOIN classes USING (class, side)
