-- small_classes
-- Adds the records whose equivalence class under some columns is small.
--
-- definition: the class of a record are the records that agree with it on the columns
-- source: Sweeney, k-anonymity (outliers are suppressed)
-- missing: a missing cell is a value like another
-- portable: no
--
-- parameter name: column, the table of the records that were found
-- parameter source: relation, the records
-- parameter columns: columns, on which the records of a class agree
-- parameter below: integer, classes of fewer records than these are small
-- parameter begin: integer, 1 to begin the table
{% if begin %}
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{% else %}
INSERT INTO {{ name | identifier }}
{% endif %}
SELECT records.record
FROM {{ source | relation }} AS records
JOIN (
    SELECT {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }} AS classes
    GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

    HAVING COUNT(*) < {{ below | literal }}
) AS small
    ON {% for column in columns %}(small.{{ column | identifier }} IS NOT DISTINCT FROM records.{{ column | identifier }}){% if not loop.last %} AND {% endif %}{% endfor %}

