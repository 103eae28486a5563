-- make_master
-- Makes the table of the users with what is known of each.
--
-- missing: an empty text is missing
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records of the master table
-- parameter columns: columns, the user first
-- parameter names: columns, what they are called in the table
-- parameter skipped: integer, 1 where the first record is none
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for column in columns %}
    NULLIF(CAST({{ column | identifier }} AS VARCHAR), '') AS {{ names[loop.index0] | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }} AS source
{% if skipped %}
WHERE record > 1
{% endif %}
