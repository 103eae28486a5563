-- open_view
-- Opens a relation under a name, with its columns renamed by position.
--
-- portable: no
--
-- parameter name: column, the view's name
-- parameter source: relation, the records
-- parameter names: columns, one new name a column
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT *
FROM {{ source | relation }} AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
