-- distances
-- Distances of two records.
--
-- source: Gower, A general coefficient of similarity, 1971; PWS Cup 2020; Anonymeter
-- runs: finish
--
-- parameter left: column, the one table
-- parameter right: column, the other
-- parameter numeric: columns, those of numbers
-- parameter words: columns, of packed codes
-- parameter filled: integers, for each word all its fields full
-- parameter marks: integers, for each word the bits above the fields
-- parameter weight: number, what a category that differs adds
-- parameter unit: integer, so many parts a range has

-- name: record_distance
-- The squared distance of two records: the squared differences of numbers, and a weight a category that differs.
--
-- source: PWS Cup 2020, sample attack by distance
--
-- takes: right, numeric, words, filled, marks, weight
-- parameter left: column, the one table of records with codes
({% for column in numeric %}({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }}) * ({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }}) + {% endfor %}
CAST({{ weight | literal }} AS DOUBLE) * ({% for column in words %}BIT_COUNT((XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }}) + {{ filled[loop.index0] | literal }}) & {{ marks[loop.index0] | literal }}) + {% endfor %}0))

-- name: box_distance
-- A number that no squared distance of a record and those of a block is below.
--
-- definition: as record_distance, in the same order, so that rounding cannot put it above; by CASE, for GREATEST of three
--   takes twice as long
--
-- takes: numeric, weight
-- parameter record: column, the table of records with codes
-- parameter box: column, the table of boxes
-- parameter categories: columns, the others
({% for column in numeric %}
CASE
    WHEN {{ record | identifier }}.{{ column | identifier }} < {{ box | identifier }}.{{ ('least_' ~ column) | identifier }} THEN ({{ box | identifier }}.{{ ('least_' ~ column) | identifier }} - {{ record | identifier }}.{{ column | identifier }}) * ({{ box | identifier }}.{{ ('least_' ~ column) | identifier }} - {{ record | identifier }}.{{ column | identifier }})
    WHEN {{ record | identifier }}.{{ column | identifier }} > {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }} THEN ({{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }}) * ({{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }})
    ELSE 0
END + {% endfor %}
CAST({{ weight | literal }} AS DOUBLE) * ({% for column in categories %}CAST({{ record | identifier }}.{{ column | identifier }} NOT BETWEEN {{ box | identifier }}.{{ ('least_' ~ column) | identifier }} AND {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }} AS INTEGER) + {% endfor %}0))

-- name: risk_part
-- What one attribute adds to the distance of two records.
--
-- missing: a missing value is a range away from all but another missing one
--
-- takes: left, right, unit
-- parameter place: integer, the attribute
-- parameter numeric: integer, 1 for one of numbers
{% if numeric %}
LEAST(ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}), CAST({{ unit | literal }} AS BIGINT))
{% else %}
CASE WHEN {{ left | identifier }}.c{{ place }} <> {{ right | identifier }}.c{{ place }} THEN CAST({{ unit | literal }} AS BIGINT) ELSE 0 END
{% endif %}

-- name: risk_distance
-- The distance of two records, in whole parts of a range: the differences of numbers, and a range for each category that differs.
--
-- definition: numbers by their share of the range of all tables; a distance after Gower, without its weights
-- source: Anonymeter; Gower, A general coefficient of similarity, Biometrics 1971
-- missing: a missing value is a range away from all but another missing one
--
-- takes: left, right, words, filled, marks, unit
-- parameter numeric: integers, the attributes of numbers
-- parameter gaps: integers, those of them that have missing values
({% for place in numeric %}{% if place in gaps %}LEAST(ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}), CAST({{ unit | literal }} AS BIGINT)){% else %}ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}){% endif %} + {% endfor %}
CAST({{ unit | literal }} AS BIGINT) * ({% for column in words %}CAST(BIT_COUNT((XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }}) + {{ filled[loop.index0] | literal }}) & {{ marks[loop.index0] | literal }}) AS BIGINT) + {% endfor %}0))
