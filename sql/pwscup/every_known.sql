-- every_known
-- Makes the table of the records that any of several attackers knows.
--
-- definition: a record that several know is there several times
-- portable: no
--
-- parameter name: column, the table
-- parameter tables: columns, the standard histories of what each knows
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{% for table in tables %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT user_id, period
FROM {{ table | identifier }}
{% endfor %}
