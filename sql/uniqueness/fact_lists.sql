-- fact_lists
-- Uniqueness by single facts, for few records with very many attributes.
--
-- idea: each record keeps its numbers as one list. A statement with an expression for each of thousands of attributes
--   takes longer to plan than to run.
-- source: as in uniqueness
-- runs: finish
-- makes: fact_lists

-- name: fact_lists
-- Creates a table with the hashes of all attributes of each record in one list.
--
-- definition: the numbers are those of fact_columns. Attributes that differ in nothing but their columns have their
--   numbers from one expression: to plan one for each takes a time that grows with the square of the columns.
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter forms: attributes, one for each group of attributes, of the column "value" if it has several
-- parameter columns: columns, the columns of each group that has several, as lists
CREATE OR REPLACE TEMP TABLE fact_lists AS
SELECT
    {% if user %}{{ user | number }}{% else %}HASH(NULL){% endif %} AS person,
    LIST_CONCAT(
        CAST([] AS UBIGINT[])
{% for form in forms %}
        , {% if columns[loop.index0] %}LIST_TRANSFORM(
            [{{ columns[loop.index0] | identifiers }}],
            LAMBDA "value": {{ form | number }}){% else %}[{{ form | number }}]{% endif %}

{% endfor %}
    ) AS numbers
FROM {{ source | relation }}
{% if user %}
WHERE {{ user | person }} IS NOT NULL
{% endif %}

-- name: listed_facts
-- The hashes of some attributes, from the lists of all of them.
--
-- parameter attribute_indexes: integers, the indices of the attributes
-- parameter elements: integers, the index of each of them in a list, from 1
(
    SELECT person{% for place in attribute_indexes %}, numbers[{{ elements[loop.index0] }}] AS h{{ place }}{% endfor %}

    FROM fact_lists
)

-- name: facts_of_lists
-- Counts missing values, and the people singled out by single attributes, from the lists of all attributes.
--
-- definition: as in missing_facts and facts_known
--
-- parameter attributes: integer, number of attributes to count: the first ones
-- parameter by_record: flag, each record is a person
-- parameter attribute_indexes: integers, the indices of the attributes in the order of a list
-- parameter missing_is_value: flag, a missing value is a value of its own
WITH known AS (
    SELECT person, UNNEST({{ attribute_indexes | literal }}) AS place, UNNEST(numbers) AS number
    FROM fact_lists
),
classes AS (
    SELECT
        place,
        number = HASH(NULL) AS missing,
        {% if missing_is_value %}TRUE{% else %}number <> HASH(NULL){% endif %} AS counted,
        COUNT(*) AS records,
        {% if by_record %}COUNT(*) = 1{% else %}MIN(person) = MAX(person){% endif %} AS alone,
        MIN(person) AS person
    FROM known
    WHERE place < {{ attributes }}
    GROUP BY place, number
)
SELECT
    place,
    COUNT(*) FILTER (WHERE counted) AS classes,
    COUNT({% if by_record %}*{% else %}DISTINCT person{% endif %}) FILTER (WHERE counted AND alone) AS people,
    CAST(COALESCE(SUM(records) FILTER (WHERE counted AND alone), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(records) FILTER (WHERE missing), 0) AS BIGINT) AS missing,
    CAST(SUM(COALESCE(SUM(records) FILTER (WHERE missing), 0)) OVER () AS BIGINT) AS missing_cells
FROM classes
GROUP BY place
ORDER BY place
