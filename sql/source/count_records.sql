-- count_records
-- How many of the first records of a text file can be read, all of its fields as text.
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
