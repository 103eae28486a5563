-- weighted_sizes
-- The sizes of the records' classes in the population, estimated from survey weights.
--
-- definition: f is the number of records of a class, F the sum of their weights
-- source: Benedetti and Franconi, Statistical and technological solutions for controlled data dissemination, 1998;
--   sdcMicro
-- missing: a missing value is a value like another; a record whose weight is not above 0 (or 1e25 or more) has weight
--   1
-- read: feed it to individual_risk
-- instead: class_pairs
-- runs: finish
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter weight: column, number of people of the population that a record represents
--
-- column class_size: BIGINT, records, f: of each of these classes
-- column population_size: DOUBLE, people, F: sum of the weights
-- column classes: BIGINT, classes, with these two sizes
-- column records: BIGINT, records, in these classes
WITH records AS (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS a{{ loop.index }},
{% endfor %}
        CAST(CASE
            WHEN CAST({{ weight | identifier }} AS DOUBLE) > 0 AND CAST({{ weight | identifier }} AS DOUBLE) < 1e25
                THEN CAST({{ weight | identifier }} AS DECIMAL(38, 12))
            ELSE 1
        END AS DECIMAL(38, 12)) AS weight
    FROM {{ source | relation }}
),
classes AS (
    SELECT COUNT(*) AS class_size, SUM(weight) AS population_size
    FROM records
    GROUP BY weight * 0{% for column in columns %}, a{{ loop.index }}{% endfor %}

)
SELECT
    class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size
