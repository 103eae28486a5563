-- suppress_cells
-- The records with cells of one column suppressed where somebody's condition holds.
--
-- missing: a condition that is neither true nor false keeps the cell
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter names: columns, what people call them, and a free name for the number of the record at the end
-- parameter column: column, the one whose cells are suppressed
-- parameter where: expression, the condition
-- parameter emptied: integer, 1 to leave the cell missing and the type as it is, 0 to write *
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    {{ names[-1] | identifier }} AS record
{% for each in columns %}
{% if each == column and emptied %}
    , CASE WHEN ({{ where | expression }}
    ) THEN NULL ELSE {{ names[loop.index0] | identifier }} END AS {{ column | identifier }}
{% elif each == column %}
    , CASE WHEN ({{ where | expression }}
    ) THEN '*' ELSE CAST({{ names[loop.index0] | identifier }} AS VARCHAR) END AS {{ column | identifier }}
{% else %}
    , {{ names[loop.index0] | identifier }} AS {{ each | identifier }}
{% endif %}
{% endfor %}
FROM (
    SELECT
{% for each in columns %}
        {{ each | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened
