-- set_hashes
-- The combinations with a hash of each of their values, for samples of classes.
--
-- definition: the hash is 60 bits of the MD5 of a value's text, so that it is the same wherever it is computed; a missing
--   value has 0
-- portable: no
--
-- parameter tables: texts, the tables with the numbered values
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter masks: integers, the bits of each field in its word
CREATE OR REPLACE TEMP TABLE set_hashes AS
WITH
{% for table in tables %}
hashed{{ loop.index0 }} AS (
    SELECT code, CAST(md5_number(CAST(value AS VARCHAR)) & 1152921504606846975 AS BIGINT) AS h
    FROM {{ table | identifier }}
){% if not loop.last %},{% endif %}

{% endfor %}
SELECT
    CAST(rows.records AS INTEGER) AS records
{% for word in range(words | max + 1) %}
    , rows.p{{ word }}
{% endfor %}
{% for table in tables %}
    , COALESCE(hashed{{ loop.index0 }}.h, 0) AS h{{ loop.index0 }}
{% endfor %}
FROM combinations AS rows
{% for table in tables %}
LEFT JOIN hashed{{ loop.index0 }} ON hashed{{ loop.index0 }}.code = (rows.p{{ words[loop.index0] }} & {{ masks[loop.index0] }}) >> {{ shifts[loop.index0] }}
{% endfor %}
