-- people_start
-- The records with what is published of them: every column as it is, or nothing at all.
--
-- definition: "class" is one number for all published cells, "spread" log2 of how many combinations of values they cover
-- portable: no
--
-- parameter columns: integer, how many columns there are
-- parameter whole: integer, 1 where every column is published as it is, 0 where none is
-- parameter spread: number, log2 of all combinations of values
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if whole and columns %}
SELECT
    * EXCLUDE ({% for start in range(0, columns, 64) %}x{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}),
    {% for start in range(0, columns, 64) %}{% if loop.index0 %}xor({% endif %}{% endfor %}x0{% for start in range(0, columns, 64) %}{% if loop.index0 %}, x{{ loop.index0 }}){% endif %}{% endfor %} AS class,
    CAST(0 AS DOUBLE) AS spread
FROM (
    SELECT
        *
{% for start in range(0, columns, 64) %}
        , {% for place in range(start, [start + 64, columns] | min) %}{% if loop.index0 %}xor({% endif %}{% endfor %}hash(xor(h{{ start }}, hash({{ start }}))){% for place in range(start + 1, [start + 64, columns] | min) %}, hash(xor(h{{ place }}, hash({{ place }})))){% endfor %} AS x{{ loop.index0 }}
{% endfor %}
    FROM people_records
) AS parts
{% else %}
SELECT *, CAST(0 AS UBIGINT) AS class, CAST({{ spread | literal }} AS DOUBLE) AS spread
FROM people_records
{% endif %}
