-- distances
-- Distances between two records.
--
-- source: Gower, A general coefficient of similarity, 1971; PWS Cup 2020; Anonymeter; Meeus et al., 2023
-- runs: finish
--
-- parameter left: column, the first table
-- parameter right: column, the second table
-- parameter numeric: columns, those of numbers
-- parameter words: columns, of packed codes
-- parameter filled: integers, the mask of all fields of each word
-- parameter marks: integers, the mask of the bits above the fields of each word
-- parameter weight: number, distance of two different categories
-- parameter unit: integer, parts of the range of an attribute

-- name: record_distance
-- The squared distance between two records: squared differences of numbers, and a weight for each different category.
--
-- source: PWS Cup 2020, sample attack by distance
--
-- takes: right, numeric, words, filled, marks, weight
-- parameter left: column, the first table of records with codes
(
{% for column in numeric %}
    ({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }})
    * ({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }}) +
{% endfor %}
    CAST({{ weight | literal }} AS DOUBLE) * (
{% for column in words %}
        BIT_COUNT((
            XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }})
            + {{ filled[loop.index0] | literal }}
        ) & {{ marks[loop.index0] | literal }}) +
{% endfor %}
        0
    )
)

-- name: mixed_distance
-- The distance between two records with the weight of categories and numbers by their columns, from 0 to 1.
--
-- definition: c / (c + d) (1 - equal categories / c) + d / (c + d) (1 - cosine of the d numbers)
-- source: Meeus, Guepin, Cretu and de Montjoye, Achilles' Heels, ESORICS 2023
--
-- takes: left, right
-- parameter categories: integer, number of columns c0, c1, ... of codes
-- parameter numbers: integer, number of columns u0, u1, ... of a vector of length 1; z is 1 where it has none
((
    {{ categories }}
{% for place in range(categories) %}
    - CAST({{ left | identifier }}.c{{ place }} = {{ right | identifier }}.c{{ place }} AS INTEGER)
{% endfor %}
{% if numbers %}
    + {{ numbers }} * (1
{% for place in range(numbers) %}
    - {{ left | identifier }}.u{{ place }} * {{ right | identifier }}.u{{ place }}
{% endfor %}
    - {{ left | identifier }}.z * {{ right | identifier }}.z)
{% endif %}
) / CAST({{ categories + numbers }} AS DOUBLE))

-- name: box_distance
-- A lower bound of the squared distances between a record and the records of a block.
--
-- definition: record_distance to the nearest point of the block's box. Its summands have the same order, so that
--   rounding cannot put the bound above a distance; with CASE, because GREATEST of three takes twice as long
--
-- takes: numeric, weight
-- parameter record: column, the table of records with codes
-- parameter box: column, the table of boxes
-- parameter categories: columns, the others
(
{% for column in numeric %}
{% set least, greatest = ('least_' ~ column) | identifier, ('greatest_' ~ column) | identifier %}
    CASE
        WHEN {{ record | identifier }}.{{ column | identifier }} < {{ box | identifier }}.{{ least }}
        THEN ({{ box | identifier }}.{{ least }} - {{ record | identifier }}.{{ column | identifier }})
            * ({{ box | identifier }}.{{ least }} - {{ record | identifier }}.{{ column | identifier }})
        WHEN {{ record | identifier }}.{{ column | identifier }} > {{ box | identifier }}.{{ greatest }}
        THEN ({{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ greatest }})
            * ({{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ greatest }})
        ELSE 0
    END +
{% endfor %}
    CAST({{ weight | literal }} AS DOUBLE) * (
{% for column in categories %}
{% set least, greatest = ('least_' ~ column) | identifier, ('greatest_' ~ column) | identifier %}
        CAST({{ record | identifier }}.{{ column | identifier }}
            NOT BETWEEN {{ box | identifier }}.{{ least }} AND {{ box | identifier }}.{{ greatest }} AS INTEGER) +
{% endfor %}
        0
    )
)

-- name: risk_part
-- The distance between two records in one attribute.
--
-- missing: a missing value has the largest distance from all but another missing one
--
-- takes: left, right, unit
-- parameter place: integer, index of the attribute
-- parameter numeric: flag, its values are numbers
{% if numeric %}
LEAST(
    ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}),
    CAST({{ unit | literal }} AS BIGINT)
)
{% else %}
CASE
    WHEN {{ left | identifier }}.c{{ place }} <> {{ right | identifier }}.c{{ place }}
    THEN CAST({{ unit | literal }} AS BIGINT) ELSE 0
END
{% endif %}

-- name: risk_distance
-- The distance between two records in parts of a range: differences of numbers, and a range for a different category.
--
-- definition: the difference of numbers is relative to their range in all tables, as Gower's, without weights
-- source: Anonymeter; Gower, A general coefficient of similarity, Biometrics 1971
-- missing: a missing value has the largest distance from all but another missing one
--
-- takes: left, right, words, filled, marks, unit
-- parameter numeric: integers, indices of the attributes of numbers
-- parameter gaps: integers, indices of those of them that have missing values
(
{% for place in numeric %}
{% if place in gaps %}
    LEAST(
        ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}),
        CAST({{ unit | literal }} AS BIGINT)
    ) +
{% else %}
    ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}) +
{% endif %}
{% endfor %}
    CAST({{ unit | literal }} AS BIGINT) * (
{% for column in words %}
        CAST(BIT_COUNT((
            XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }})
            + {{ filled[loop.index0] | literal }}
        ) & {{ marks[loop.index0] | literal }}) AS BIGINT) +
{% endfor %}
        0
    )
)
