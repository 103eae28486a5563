-- true_members
-- Makes the table of the members' places in the population, found by equality.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter population: relation, the candidates
-- parameter members: relation, the records that the release was made from
-- parameter columns: columns, the attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH named AS (
    SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}COUNT(*) AS times
    FROM {{ members | relation }} AS members
    GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

)
SELECT population.record, named.times, COUNT(*) OVER (PARTITION BY {% for column in columns %}{% if not loop.first %}, {% endif %}population.{{ column | identifier }}{% endfor %}) AS candidates
FROM {{ population | relation }} AS population
JOIN named
    ON {% for column in columns %}{% if not loop.first %} AND {% endif %}named.{{ column | identifier }} = population.{{ column | identifier }}{% endfor %}

