-- neighbour_records
-- Makes a table of records with their categories as codes, and the codes packed into words.
--
-- definition: a category takes a field of a word: its code, and above it a bit that is 0. Of two words that are the
--   same but for some fields, (xor + (highest code of each field)) has that bit set in these fields alone.
-- missing: there are no missing values; they were refused before
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter codes: relation, the table of codes
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter words: integers, for each category the number of its word
-- parameter places: integers, for each category the number that its code is multiplied with
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in numeric %}
    , records.{{ column | identifier }} + 0.0 AS {{ column | identifier }}
{% endfor %}
{% for column in categories %}
    , CAST(codes{{ loop.index0 }}.code AS INTEGER) AS {{ column | identifier }}
{% endfor %}
{% for word in range(words | max + 1 if words else 0) %}
    , CAST(0 AS BIGINT){% for column in categories %}{% if words[loop.index0] == word %} + codes{{ loop.index0 }}.code * {{ places[loop.index0] | literal }}{% endif %}{% endfor %} AS p{{ word + 1 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for column in categories %}
JOIN {{ codes | relation }} AS codes{{ loop.index0 }}
    ON codes{{ loop.index0 }}.place = {{ loop.index0 }} AND codes{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endfor %}
