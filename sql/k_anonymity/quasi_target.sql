-- quasi_target
-- All columns of the records, with the cells of their classes where a quasi-identifier changed.
--
-- definition: a quasi-identifier that changed in any class becomes text, every other column stays as it is
-- portable: no
--
-- parameter source: relation, the records with their number `record`
-- parameter names: columns, all columns of the records
-- parameter places: integers, for each column the quasi-identifier that takes its place, or -1
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT record AS number{% for name in names %}, {{ name | identifier }} AS value{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
)
SELECT
{% for name in names %}
    {% if places[loop.index0] >= 0 %}cells.cell{{ places[loop.index0] }}{% else %}records.value{{ loop.index0 }}{% endif %} AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM records
JOIN quasi_members AS members ON members.record = records.number
JOIN quasi_cells AS cells ON cells.class = members.class
