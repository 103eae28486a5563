-- original_tuples
-- Collapses the records of the original to the different combinations of their values, packed into words of 60 bits.
--
-- definition: each attribute has a field for its value's number, and one for the cell it has in each way of generalising
-- missing: a missing value is a value like another
-- portable: no
--
-- parameter source: relation, the original
-- parameter columns: columns, the attributes
-- parameter tables: texts, the table with the bits of the values of each attribute
-- parameter words: integers, all words
-- parameter uses: integers, pairs of a word and an attribute that has a field there
-- parameter rows: integer, 1 to keep every record, with its number or key as "record"
-- parameter key: column or none, what a record is told by where it is kept; none goes by the order of the records
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
{% if rows %}
        {% if key %}CAST({{ key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record,
{% endif %}
{% for column in columns %}
        {{ column | identifier }} AS v{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM {{ source | relation }}
),
{% for name in tables %}
missing{{ loop.index0 }} AS (
    SELECT * FROM {{ name | identifier }} WHERE value IS NULL
),
{% endfor %}
packed AS (
    SELECT
{% if rows %}
        records.record,
{% endif %}
{% for word in words %}
        0{% for i in range(tables | length) %}{% if [word, i] in uses %} | COALESCE(t{{ i }}.f{{ word }}, (SELECT MIN(f{{ word }}) FROM missing{{ i }})){% endif %}{% endfor %} AS w{{ word }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM records
{% for name in tables %}
    LEFT JOIN {{ name | identifier }} AS t{{ loop.index0 }} ON t{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
)
{% if rows %}
SELECT record, {% for word in words %}w{{ word }}{% if not loop.last %}, {% endif %}{% endfor %} FROM packed
{% else %}
SELECT
{% for word in words %}
    w{{ word }},
{% endfor %}
    COUNT(*) AS records
FROM packed
GROUP BY {% for word in words %}w{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}
{% endif %}
