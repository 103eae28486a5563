-- single_conditions
-- Makes the table of predicates of one condition that one record of the release meets, in an order that is drawn.
--
-- definition: equal to a value that one record has, at most the least number, or at least the largest, where one record has it
-- source: Anonymeter, univariate singling out
-- missing: a missing value is a value here: one record alone without it is singled out
-- portable: yes
--
-- parameter name: column, the table
-- parameter release_values: relation, the values of the release
-- parameter numeric: integers, the places of the attributes of numbers
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH known AS (
    SELECT
        place,
        code,
        number,
        records,
        MIN(CASE WHEN code > 0 THEN code END) OVER (PARTITION BY place) AS least,
        MAX(CASE WHEN code > 0 THEN code END) OVER (PARTITION BY place) AS most
    FROM {{ release_values | relation }} AS release_values
),
conditions AS (
    SELECT place, 'eq' AS op, code, number FROM known WHERE records = 1
{% if numeric %}
    UNION ALL
    SELECT place, 'le' AS op, code, number FROM known WHERE records = 1 AND code = least AND place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %})
    UNION ALL
    SELECT place, 'ge' AS op, code, number FROM known WHERE records = 1 AND code = most AND place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %})
{% endif %}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':single:', place, op, number)), place, op, code) - 1 AS predicate,
    place,
    op,
    code
FROM conditions
