-- make_labels
-- Makes the empty table of a hierarchy that somebody wrote down.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter height: integer, the levels above the value
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (
    level0 VARCHAR
{% for level in range(1, height + 1) %}
    , level{{ level }} VARCHAR
{% endfor %}
)
