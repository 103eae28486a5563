-- population_sizes
-- The sizes of the records' classes in the population of the attacker.
--
-- definition: f is the number of records of a class, F that of the people in the population who agree with them; F =
--   0 for a class without people of the population, f = 0 for a class without records
-- source: El Emam and Dankar, Protecting privacy using k-anonymity, 2008 (journalist risk); Nergiz et al., Hiding the
--   presence of individuals from shared databases, SIGMOD 2007 (delta-presence)
-- missing: a missing value is a value like another, equal in both tables; duckrisk assess has the other rules
-- read: feed it to journalist_risk
-- instead: class_pairs
-- runs: finish
--
-- parameter source: relation, the records
-- parameter population: relation, the people that an attacker looks among
-- parameter columns: columns, the quasi-identifiers, called the same in both tables
-- parameter quantity: column or none, the people of a row of the population; none takes a row as one person
--
-- column class_size: BIGINT, records, f: of each of these classes
-- column population_size: DOUBLE, people, F: of the population in the class
-- column classes: BIGINT, classes, with these two sizes
-- column records: BIGINT, records, in these classes
WITH both_tables AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}1 AS record,
        0 AS people
    FROM {{ source | relation }}
    UNION ALL
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}0 AS record,
        {% if quantity %}CAST({{ quantity | identifier }} AS DOUBLE){% else %}1{% endif %} AS people
    FROM {{ population | relation }}
),
classes AS (
    SELECT SUM(record) AS class_size, COALESCE(SUM(people), 0) AS population_size
    FROM both_tables
    GROUP BY record * 0{% for column in columns %}, a{{ loop.index }}{% endfor %}

)
SELECT
    CAST(class_size AS BIGINT) AS class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size
