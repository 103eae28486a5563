-- leave_small_classes
-- Takes the combinations out whose equivalence class under some columns is small.
--
-- definition: the class of a record are the records that agree with it on the columns
-- source: Sweeney, k-anonymity (outliers are suppressed)
-- missing: a missing cell is a value like another
-- portable: no
--
-- parameter name: column, the table of the combinations that are left
-- parameter columns: columns, on which the records of a class agree
-- parameter below: integer, classes of fewer records than these are small
DELETE FROM {{ name | identifier }} AS combinations
WHERE EXISTS (
    SELECT 1
    FROM (
        SELECT {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

        FROM {{ name | identifier }} AS classes
        GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

        HAVING SUM(class_records) < {{ below | literal }}
    ) AS small
    WHERE {% for column in columns %}(small.{{ column | identifier }} IS NOT DISTINCT FROM combinations.{{ column | identifier }}){% if not loop.last %} AND {% endif %}{% endfor %}

)
