-- coloured_records
-- Drawn vectors made to have the means and covariances of the records: each component a linear form.
--
-- definition: z = matrix y + shift; the matrix whitens with the moments of what was drawn and colours with those of the records
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the drawn vectors
-- parameter matrix: texts, its rows, each the text of a list of numbers, which is read without a rounding before
-- parameter shift: texts, a number for each component, as text
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for row in matrix %}
    , ARRAY_INNER_PRODUCT(y, CAST({{ row | literal }} AS DOUBLE[{{ shift | length }}])) + CAST({{ shift[loop.index0] | literal }} AS DOUBLE) AS z{{ loop.index0 }}
{% endfor %}
FROM (
    SELECT
        record
        , ARRAY_VALUE({% for row in matrix %}CAST(y{{ loop.index0 }} AS DOUBLE){% if not loop.last %}, {% endif %}{% endfor %}) AS y
    FROM {{ source | relation }} AS drawn
) AS vectors
