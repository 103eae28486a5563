-- genetic_child
-- Makes the table of a child.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter parent: relation, the table of its parent
-- parameter moves: relation, what the children get
-- parameter child: integer, which of them
-- parameter columns: columns, of the records, but their number
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    parent.record
{% for column in columns %}
    , CASE WHEN moved.position IS NULL THEN parent.{{ column | identifier }} ELSE moved.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ parent | relation }} AS parent
LEFT JOIN (SELECT * FROM {{ moves | relation }} AS moves WHERE proposal = {{ child }}) AS moved
    ON moved.position = parent.record
