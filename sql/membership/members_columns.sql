-- members_columns
-- The members with their columns in the order and by the names of the population's.
--
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the members
-- parameter columns: columns, of the members
-- parameter names: columns, what the population calls each
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
{% for column in columns %}
    {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }} AS members
