-- sampled_together
-- Who all attributes together single out, from a sample, where an answer must not wait for all classes.
--
-- idea: the records of a sample of people are stored once; each look at all records then finds their classes alone.
-- source: as in uniqueness
-- runs: finish
-- makes: sampled_records
--
-- parameter source: relation, the records
-- parameter table: column, the table that is made
-- parameter column: column, a column of the records

-- name: sampled_records
-- Stores the records of a sample of people, as they are.
--
-- definition: a hash of the person draws
-- runs: wide
--
-- takes: source
-- parameter user: user, the column of the person behind a record
-- parameter one_in: integer, one person in this many is drawn
CREATE OR REPLACE TEMP TABLE sampled_records AS
SELECT *
FROM {{ source | relation }}
WHERE {{ user | person }} IS NOT NULL AND {{ user | number }} % {{ one_in }} = 0

-- name: sampled_together
-- The people that all attributes together single out, and a bound of the smallest class, from a sample.
--
-- definition: a hash draws 1 of f people, without users 1 of f classes. Each person singled out is drawn with a
--   probability of 1/f. Of the x found, the estimate is x f and the interval f (x + z^2 / 2 +- z sqrt(x + z^2 / 4)),
--   z = 1.96; both end at all people. The class of a drawn record has at most as many people as records, which bounds
--   the smallest class. The drawn records are compared with all others.
-- source: Wilson, Probable inference, 1927, for rare events; drawing as in fact_sample
-- missing: as in facts_together
-- runs: wide
--
-- parameter attributes: integer, number of attributes
-- parameter known: relation, the numbers of the attributes of each record
-- parameter by_record: flag, each record is a person
-- parameter weighted: flag or none, a record represents as many people as its column "people" says
-- parameter drawn: relation or none, the numbers of the drawn records; none draws classes
-- parameter one_in: integer, one person, or one class, in this many is drawn
-- parameter all_people: integer, the people behind the records
{% set places = range(attributes) %}
WITH classes AS (
    SELECT {% if not by_record %}MIN(person) AS first, MAX(person) AS last,
        {% endif %}CAST({% if weighted %}SUM(people){% else %}COUNT(*){% endif %} AS BIGINT) AS class_size
    FROM {{ known | relation }} AS known
{% if drawn %}
    WHERE hash({{ places | each("h{x}") }}) IN (
        SELECT hash({{ places | each("h{x}") }}) FROM {{ drawn | relation }} AS drawn
    )
{% else %}
    WHERE hash({{ places | each("h{x}") }}) % {{ one_in }} = 0
{% endif %}
    GROUP BY hash({{ places | each("h{x}") }})
),
found AS (
    SELECT
        MIN(class_size) AS smallest_class_at_most,
{% if by_record %}
        COUNT(CASE WHEN class_size = 1 THEN 1 END) AS x,
{% else %}
        COUNT(DISTINCT CASE WHEN first = last AND first % {{ one_in }} = 0 THEN first END) AS x,
{% endif %}
        CAST({{ one_in }} AS DOUBLE) AS f,
        CAST({{ all_people | literal }} AS BIGINT) AS everybody
    FROM classes
),
numbers AS (
    SELECT
        -- Who is alone with several records has a class of one person.
        CASE WHEN x > 0 THEN 1 ELSE smallest_class_at_most END AS smallest_class_at_most,
        everybody,
        LEAST(everybody, CAST(x * f AS BIGINT)) AS people,
        LEAST(everybody, CAST(FLOOR(f * (x + 1.9208 - 1.96 * SQRT(x + 0.9604))) AS BIGINT)) AS lower,
        LEAST(everybody, CAST(CEIL(f * (x + 1.9208 + 1.96 * SQRT(x + 0.9604))) AS BIGINT)) AS upper
    FROM found
)
SELECT
    smallest_class_at_most,
    people,
    CAST(people AS DOUBLE) / NULLIF(everybody, 0) AS share,
    CAST(GREATEST(0, lower) AS DOUBLE) / NULLIF(everybody, 0) AS share_lower,
    CAST(upper AS DOUBLE) / NULLIF(everybody, 0) AS share_upper
FROM numbers

-- name: column_values
-- Stores the different values of a column.
--
-- runs: wide
--
-- takes: source, table, column
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT {{ column | identifier }}
FROM {{ source | relation }}
GROUP BY {{ column | identifier }}

-- name: numbered_values
-- Stores the number of each different value of a column in its published form.
--
-- definition: that of fact_columns
-- runs: wide
--
-- takes: table, column
-- parameter values: column, the table of the different values
-- parameter attribute: attribute, the published form
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT {{ column | identifier }} AS own, {{ attribute | number }} AS number
FROM {{ values | identifier }} AS different

-- name: mapped_columns
-- The records with the numbers of their published values.
--
-- definition: a column m0, m1, ... for each table
-- runs: wide
--
-- takes: source
-- parameter tables: columns, the tables of numbers
-- parameter columns: columns, their columns
(
    SELECT records.*{% for table in tables %}, map{{ loop.index0 }}.number AS m{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }} AS records
{% for table in tables %}
    LEFT JOIN {{ table | identifier }} AS map{{ loop.index0 }}
        ON map{{ loop.index0 }}.own IS NOT DISTINCT FROM records.{{ columns[loop.index0] | identifier }}
{% endfor %}
)
