-- distinct_records
-- Makes a table of different records, so many of them drawn from all that differ.
--
-- definition: of equal records the first one; they are put in the order of the numbers drawn for them, and the first are taken
-- source: PWS Cup 2020, the population B
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, an encoded table
-- parameter columns: columns, of it
-- parameter drawn: expression, the drawn number of a record
-- parameter most: integer, as many are taken at most
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH different AS (
    SELECT MIN(record) AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ source | relation }} AS records
    GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

),
placed AS (
    SELECT ROW_NUMBER() OVER (ORDER BY {{ drawn | expression }}, record) - 1 AS place{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM different
)
SELECT place AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM placed
WHERE place < {{ most }}
ORDER BY place
