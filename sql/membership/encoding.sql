-- encoding
-- Encodes the records of the contest's tables: numbers as doubles, categories as texts, and dummies.
--
-- source: PWS Cup 2020
-- runs: finish
--
-- parameter source: relation, the records
-- parameter numeric: columns, those of numbers
-- parameter name: column, the table
-- parameter dummies: relation, the list of dummies

-- name: count_missing
-- The number of values of each column that are missing or not finite numbers.
--
-- missing: missing values are counted
--
-- takes: source, numeric
-- parameter columns: columns, to look at
-- parameter largest: number, no number is further from 0
SELECT
    COUNT(*) AS records
{% for column in columns %}
    , CAST(COUNT(
        CASE WHEN {{ column | identifier }} IS NULL{% if column in numeric %}
        OR NOT (ABS(CAST({{ column | identifier }} AS DOUBLE)) <= {{ largest | literal }}){% endif %} THEN 1 END)
        AS BIGINT) AS missing{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: count_categories
-- The number of distinct values of several tables in each categorical column, before encoding.
--
-- definition: values are counted by their MD5 sums, which take 16 bytes each however long the texts are
--
-- parameter tables: expressions, the relation of each table
-- parameter bindings: columns, the columns of categories of each table, as lists
SELECT
    CAST(UNNEST(RANGE({{ bindings[0] | length }})) AS INTEGER) AS category,
    UNNEST([{{ bindings[0] | each("COUNT(DISTINCT v{i})") }}]) AS categories
FROM (
{% for table in tables %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ bindings[loop.index0] | each("MD5_NUMBER(CAST({x.identifier} AS VARCHAR)) AS v{i}") }}

    FROM {{ table | expression }} AS records
{% endfor %}
) AS sums
ORDER BY category

-- name: encoded_records
-- Creates the standard table of records: numbers as doubles, categories as texts, in the order of the source.
--
-- definition: record is the index in the source, from 0
-- missing: there are no missing values; they were refused before
--
-- takes: name, source
-- parameter bindings: columns, of the source
-- parameter columns: columns, the names in the standard table
-- parameter numeric: columns, those of the latter that are numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
    , CAST({{ bindings[loop.index0] | identifier }} AS {% if column in numeric %}DOUBLE{% else %}VARCHAR{% endif %})
        AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
ORDER BY record

-- name: dummies
-- Creates the list of dummies: one for each numeric attribute, one for each value of a category.
--
-- definition: full one-hot, no value left out; numbered from 0 by attribute, then by value as text
-- source: PWS Cup 2020
-- missing: a dummy of numbers has no value
--
-- takes: name, numeric
-- parameter tables: texts, the encoded tables whose values are listed
-- parameter columns: columns, of the encoded tables, in the order of the attributes
-- parameter listed: columns, categories whose values are given
-- parameter values: texts, a list of values for each of these
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
{% set place = loop.index0 %}
{% if column in numeric %}
    SELECT {{ place }} AS attribute, CAST(NULL AS VARCHAR) AS value
{% elif column in listed %}
    SELECT {{ place }} AS attribute, UNNEST({{ values[listed.index(column)] | literal }}) AS value
{% else %}
    SELECT {{ place }} AS attribute, value
    FROM (
{% for table in tables %}
{% if not loop.first %}
        UNION
{% endif %}
        SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records
        GROUP BY {{ column | identifier }}
{% endfor %}
    ) AS values_of_{{ place }}
{% endif %}
{% endfor %}
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY attribute, value) - 1 AS INTEGER) AS dummy
    , CAST(attribute AS INTEGER) AS attribute
    , value
FROM found
ORDER BY dummy

-- name: category_lists
-- Creates the table of one row with the categories of each attribute as a list, in the order of their dummies.
--
-- definition: the n-th element is the value of the n-th dummy of the attribute, from 1. Statements name categories by
--   their indexes in these lists, so no value of a record occurs in their text
--
-- takes: name, dummies
-- parameter columns: columns, of the categories
-- parameter attributes: integers, index of the attribute of each of these
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    COUNT(*) AS dummies
{% for column in columns %}
    , LIST(value ORDER BY dummy) FILTER (WHERE attribute = {{ attributes[loop.index0] }}) AS {{ column | identifier }}
{% endfor %}
FROM {{ dummies | relation }} AS dummies

-- name: number_limits
-- Creates the table of one row with the minimum and the maximum of each numeric attribute.
--
-- takes: name, source, numeric
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    COUNT(*) AS records
{% for column in numeric %}
    , [MIN({{ column | identifier }}), MAX({{ column | identifier }})] AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: dummy_places
-- The first dummy of each attribute, and the number of its dummies.
--
-- takes: dummies
SELECT
    attribute
    , MIN(dummy) AS first
    , COUNT(*) AS dummies
FROM {{ dummies | relation }} AS dummies
GROUP BY attribute
ORDER BY attribute

-- name: list_dummies
-- The attribute and the category of each dummy, in order.
--
-- takes: dummies
SELECT attribute, value
FROM {{ dummies | relation }} AS dummies
ORDER BY dummy
