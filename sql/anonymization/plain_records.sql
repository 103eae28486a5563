-- plain_records
-- The records without the lists of all possible values that types of their columns have.
--
-- definition: the same texts; an ENUM is written with all its values, also those of records that were left out
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter listing: columns, those whose types list values
-- parameter kinds: expressions, these types with a text in place of every list
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for each in columns %}
{% if each in listing %}
    , CAST({{ each | identifier }} AS {{ kinds[listing.index(each)] | expression }}) AS {{ each | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
