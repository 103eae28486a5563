-- kmeans_combinations
-- Makes the table of the combinations of the numbers of blocks that records have.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter cells: relation, the records that differ
-- parameter blocks: integer, how many blocks there are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {% for block in range(blocks) %}{% if not loop.first %}, {% endif %}b{{ block }}{% endfor %}

FROM {{ cells | relation }} AS cells
GROUP BY {% for block in range(blocks) %}{% if not loop.first %}, {% endif %}b{{ block }}{% endfor %}

