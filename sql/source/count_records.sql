-- count_records
-- How many records there are, or can be read of a text file.
--
-- portable: no
--
-- parameter source: relation, the records, with a column c0
-- parameter most: integer or none, read so many at most
SELECT COUNT(*) AS records
FROM (
    SELECT c0 FROM {{ source | relation }}
{% if most is not none %}
    LIMIT {{ most | literal }}
{% endif %}
)
