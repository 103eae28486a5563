-- spark_uniqueness
-- Uniqueness by the number of known facts, in Spark SQL.
--
-- source: as the statements without spark__
-- runs: wide
-- makes: fact_sample
--
-- parameter attributes: integer, number of attributes
-- parameter known: relation, the numbers of the attributes of each record
-- parameter by_record: flag, each record is a person

-- name: spark__cell_number
-- The same on Spark, whose hash covers the whole value.
-- parameter cell: expression, the value
HASH({{ cell | expression }})

-- name: spark__missing_facts
-- The missing values of some attributes, in order, and of all attributes: as missing_facts.
-- takes: known
-- parameter places: integers, the indices of the attributes
-- parameter counted: integers, the missing values of the other attributes
SELECT
    ARRAY({{ places | each("COUNT(CASE WHEN h{x} = hash(NULL) THEN 1 END)") }}) AS cells,
    0{{ places | each(" + COUNT(CASE WHEN h{x} = hash(NULL) THEN 1 END)", between="") }}
        {{ counted | each(" + {x}", between="") }} AS missing_cells
{% if places %}
FROM {{ known | relation }} AS numbers
{% endif %}

-- name: spark__facts_together
-- The people by size of their class on all attributes together: as facts_together.
--
-- takes: attributes, by_record, known
-- parameter bounds: integers, the least size of each band
-- parameter all_people: integer, the people behind the records
-- parameter all_records: integer, the records that have a person
WITH alike AS (
    SELECT {% if by_record %}0 AS person{% else %}person{% endif %},
        hash({{ range(attributes) | each("h{x}") }}) AS class, COUNT(*) AS records
    FROM {{ known | relation }} AS numbers
    GROUP BY {% if not by_record %}person, {% endif %}hash({{ range(attributes) | each("h{x}") }})
),
classes AS (
    SELECT class, {% if by_record %}SUM(records){% else %}COUNT(*){% endif %} AS class_size, SUM(records) AS records
    FROM alike
    GROUP BY class
),
smallest AS (
    SELECT alike.person, MIN(classes.class_size) AS class_size
    FROM alike
    JOIN classes ON classes.class = alike.class
    GROUP BY alike.person
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, SUM(records) AS records,
        {% if by_record %}SUM(class_size){% else %}CAST(0 AS BIGINT){% endif %} AS people
    FROM classes
    GROUP BY class_size
{% if not by_record %}
    UNION ALL
    SELECT class_size, CAST(0 AS BIGINT) AS classes, CAST(0 AS BIGINT) AS records, COUNT(*) AS people
    FROM smallest
    GROUP BY class_size
{% endif %}
),
bands (least, most) AS (
    VALUES {% for bound in bounds %}(
        {{ bound | literal }},
        {% if loop.last %}CAST(NULL
        AS INT){% else %}{{ bounds[loop.index0 + 1] - 1 }}{% endif %}){{ loop | between(", ") }}{% endfor %}

)
-- include: class_size_bands

-- name: spark__fact_sample
-- Stores the unique records of a sample of people: as fact_sample.
--
-- takes: attributes, by_record, known
-- parameter one_in: integer, one person in this many is drawn
CREATE OR REPLACE TEMP TABLE fact_sample AS
WITH known AS (
    SELECT numbers.*, hash({{ range(attributes) | each("h{x}") }}) AS class
    FROM {{ known | relation }} AS numbers
),
classes AS (
    SELECT class, MIN(person) AS first, MAX(person) AS last,
        COUNT(*) AS records{% for place in range(attributes) %}, MIN(h{{ place }}) AS h{{ place }}{% endfor %}

    FROM known
    GROUP BY class
)
SELECT first AS person, records{% for place in range(attributes) %}, h{{ place }}{% endfor %}

FROM classes
WHERE {% if by_record %}records = 1 AND class % {{ one_in }} = 0{% else %}first = last
    AND first % {{ one_in }} = 0{% endif %}
