-- changed_cells
-- The cells that a treatment publishes that differs from the one before in the form of one column, or in none.
--
-- portable: no
--
-- parameter source: relation, the cells of the treatment before
-- parameter columns: integer, how many columns have numbered values
-- parameter count: integer, words of a combination
-- parameter column: integer or none, the column whose form differs
-- parameter before: column, the table with its form before
-- parameter after: column or none, the table with its form now; none leaves it out
-- parameter leaves: integer, how many values it has
-- parameter told: integer, 1 where it is information
-- parameter word: integer, the word that holds its field
-- parameter shift: integer, where in its word the field begins
-- parameter others: integer, the bits of the others in that word
CREATE OR REPLACE TEMP TABLE treated_cells AS
SELECT
    cells.tuple,
    cells.present,
    cells.records,
{% for i in range(columns) %}
    cells.c{{ i }},
{% endfor %}
{% for each in range(count) %}
    {% if column is not none and each == word %}(cells.q{{ each }} & {{ others }}){% if after is not none %} | (CAST(after.cell AS BIGINT) << {{ shift }}){% endif %}{% else %}cells.q{{ each }}{% endif %} AS q{{ each }},
{% endfor %}
    cells.spread{% if column is not none and told %} - LOG2(before.leaves) + LOG2({% if after is not none %}after.leaves{% else %}{{ leaves }}{% endif %}){% endif %} AS spread
FROM {{ source | relation }} AS cells
{% if column is not none %}
JOIN {{ before | identifier }} AS before ON before.code = cells.c{{ column }}
{% if after is not none %}
JOIN {{ after | identifier }} AS after ON after.code = cells.c{{ column }}
{% endif %}
{% endif %}
