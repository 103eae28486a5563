-- neighbour_boxes
-- Makes the table of boxes: the least and the greatest of each attribute in each block.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the candidates in blocks
-- parameter columns: columns, the attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    block
{% for column in columns %}
    , MIN({{ column | identifier }}) AS {{ ('least_' ~ column) | identifier }}
    , MAX({{ column | identifier }}) AS {{ ('greatest_' ~ column) | identifier }}
{% endfor %}
FROM {{ source | relation }} AS candidates
GROUP BY block
