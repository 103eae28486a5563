-- release_classes
-- The sizes of the equivalence classes of a table: records that agree on the quasi-identifiers.
--
-- definition: discernibility is the sum of the squared sizes; without any quasi-identifier all records are one class
-- portable: yes
--
-- parameter source: relation, the table
-- parameter columns: columns, the quasi-identifiers that it has
-- parameter k: integer, a smaller class is rare
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}1 AS one
    FROM {{ source | relation }}
),
classes AS (
    SELECT COUNT(*) AS size
    FROM records
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

)
SELECT
    COUNT(*) AS classes,
    MIN(size) AS smallest_class,
    CAST(SUM(CASE WHEN size < {{ k | literal }} THEN size ELSE 0 END) AS BIGINT) AS records_below_k,
    CAST(SUM(CASE WHEN size = 1 THEN 1 ELSE 0 END) AS BIGINT) AS unique_records,
    CAST(SUM(size) AS DOUBLE) / COUNT(*) AS average_class_size,
    CAST(SUM(CAST(size AS DECIMAL(38, 0)) * size) AS DOUBLE) AS discernibility
FROM classes
