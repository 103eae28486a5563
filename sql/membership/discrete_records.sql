-- discrete_records
-- Makes records of vectors: the category whose component is largest, numbers within what was seen.
--
-- definition: the first of equal components; numbers are clipped to the smallest and largest, then rounded half to even where
--   the attribute has whole numbers; matched, the number of rank r of n is that of rank (r + 1/2) m / n of the m in the source
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the vectors
-- parameter columns: columns, of the encoded table that is made
-- parameter components: texts, the components of each column, a list
-- parameter values: texts, the values of these for a category, none for numbers
-- parameter limits: texts, the smallest and the largest number, or the only value of a column without components
-- parameter whole: columns, those of whole numbers
-- parameter matched: relation or none, the encoded table whose numbers are taken by their ranks
-- parameter members: integer, how many records that has
-- parameter records: integer, how many are made
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    vectors.record
{% for column in columns %}
{% set place = loop.index0 %}
{% if components[place] | length == 0 %}
    , CAST({{ limits[place][0] | literal }} AS {% if values[place] is none %}DOUBLE{% else %}VARCHAR{% endif %}) AS {{ column | identifier }}
{% elif values[place] is none and matched is not none %}
    , known{{ place }}.number AS {{ column | identifier }}
{% elif values[place] is none %}
    , {% if column in whole %}ROUND_EVEN({% endif %}LEAST(GREATEST(z{{ components[place][0] }}, CAST({{ limits[place][0] | literal }} AS DOUBLE)), CAST({{ limits[place][1] | literal }} AS DOUBLE)){% if column in whole %}, 0){% endif %} AS {{ column | identifier }}
{% else %}
    , {{ values[place] | literal }}[LIST_POSITION([{% for z in components[place] %}z{{ z }}{% if not loop.last %}, {% endif %}{% endfor %}], GREATEST({% for z in components[place] %}z{{ z }}{% if not loop.last %}, {% endif %}{% endfor %}))] AS {{ column | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS vectors
{% for column in columns %}
{% set place = loop.index0 %}
{% if matched is not none and values[place] is none and components[place] %}
JOIN (
    SELECT record, ROW_NUMBER() OVER (ORDER BY z{{ components[place][0] }}, record) - 1 AS place
    FROM {{ source | relation }} AS vectors
) AS ranked{{ place }}
    ON ranked{{ place }}.record = vectors.record
JOIN (
    SELECT {{ column | identifier }} AS number, ROW_NUMBER() OVER (ORDER BY {{ column | identifier }}) - 1 AS place
    FROM {{ matched | relation }} AS members
) AS known{{ place }}
    ON known{{ place }}.place = CAST((2 * ranked{{ place }}.place + 1) * CAST({{ members }} AS HUGEINT) // {{ 2 * records }} AS BIGINT)
{% endif %}
{% endfor %}
ORDER BY vectors.record
