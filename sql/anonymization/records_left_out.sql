-- records_left_out
-- Lists the records whose combination of cells is not left.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter left: relation, the combinations that are left
-- parameter columns: columns, whose cells are combined
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.record
FROM {{ source | relation }} AS records
WHERE NOT EXISTS (
    SELECT 1
    FROM {{ left | relation }} AS combinations
    WHERE {% for column in columns %}(combinations.{{ column | identifier }} IS NOT DISTINCT FROM records.{{ column | identifier }}){% if not loop.last %} AND {% endif %}{% endfor %}

)
