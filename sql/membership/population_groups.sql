-- population_groups
-- The records of a population, one row for equal ones, and how many members are equal to each.
--
-- missing: two missing values are equal
-- portable: no
--
-- parameter name: column, the table
-- parameter population: relation, all records, numbered from 0
-- parameter members: relation, those that the original was made of
-- parameter columns: columns, of both, in the same order
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH records AS (
    SELECT record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ population | relation }} AS population
    UNION ALL
    SELECT CAST(NULL AS BIGINT) AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ members | relation }} AS members
)
SELECT MIN(record) AS record, COUNT(record) AS copies, COUNT(*) - COUNT(record) AS members
FROM records
GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

