-- smallest_class
-- The records of the smallest class of records that agree on some columns.
--
-- source: Sweeney, k-anonymity
-- missing: a missing cell is a value like another; NULL without records
-- portable: yes
--
-- parameter source: relation, the combinations of cells with their records
-- parameter columns: columns, on which the records of a class agree
SELECT CAST(MIN(size) AS BIGINT) AS smallest
FROM (
    SELECT SUM(class_records) AS size
    FROM {{ source | relation }} AS combinations
    GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

) AS classes
