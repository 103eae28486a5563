-- guess_cells
-- The lines of a guess: a user and a cell for each period.
--
-- definition: a line of the file is a user's; they are numbered from 1
-- missing: an empty cell is empty
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the lines
-- parameter columns: columns, the user first, then the periods
-- parameter number: column or none, the number of a line; none numbers them as they come
-- parameter skipped: integer, 1 where the first line is none of them
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    {% if number is not none %}{{ number | identifier }} - {{ skipped }}{% else %}ROW_NUMBER() OVER (){% endif %} AS record
    , {{ columns[0] | identifier }} AS user_id
{% for column in columns[1:] %}
    , NULLIF(NULLIF({{ column | identifier }}, ''), 'DEL') AS p{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS lines
{% if skipped %}
WHERE record > {{ skipped }}
{% endif %}
