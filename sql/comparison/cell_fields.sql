-- cell_fields
-- The bits of each cell of a release, the bits to compare of a value of the original, and what the cell covers.
--
-- definition: a value is covered where its bits, of those to compare, are those of the cell, and its number is in the
--   range of the cell where the column is compared so. Then a cell has a row for each run of neighbours that it
--   covers, and, unless that is wide, for each value that the high bits of their numbers have: these are
--   compared first. All rows but the first of a cell are "repeated", all but the first of a run "again".
-- portable: no
--
-- parameter cells: column, the cells with what they cover
-- parameter words: integers, the words that the fields are in
-- parameter layers: texts, the ways of generalising with a field
-- parameter field_words: integers, the word of each of these fields
-- parameter shifts: integers, where it begins there
-- parameter masks: integers, its bits
-- parameter own: integer, 1 where the field of a value that stayed itself holds its number in the original
-- parameter runs: column or none, the runs of cells where the column is compared by ranges
-- parameter bucket_bits: integer or none, the low bits of the number of a value that are not compared at first
-- parameter bucket_word: integer or none, the word of the number
-- parameter bucket_shift: integer or none, where it begins there
-- parameter bucket_mask: integer or none, its high bits
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH pieces AS (
{% if runs is none %}
    SELECT cell, first, last, 1 AS run, CAST(NULL AS BIGINT) AS bucket
    FROM {{ cells | identifier }}
{% elif bucket_bits is none %}
    SELECT cell, first, last, run, CAST(NULL AS BIGINT) AS bucket
    FROM {{ runs | identifier }}
{% else %}
    SELECT cell, first, last, run, UNNEST(RANGE(first >> {{ bucket_bits }}, (last >> {{ bucket_bits }}) + 1)) AS bucket
    FROM {{ runs | identifier }}
    WHERE last - first < {{ 2 ** bucket_bits }}
    UNION ALL
    SELECT cell, first, last, run, CAST(NULL AS BIGINT)
    FROM {{ runs | identifier }}
    WHERE last - first >= {{ 2 ** bucket_bits }}
{% endif %}
)
SELECT
    cells.value,
    cells.cell,
    cells.layer,
    cells.size,
    COALESCE(pieces.first, 0) AS first,
    COALESCE(pieces.last, -1) AS last,
{% if bucket_bits is not none %}
    COALESCE(pieces.run > 1 OR bucket > (pieces.first >> {{ bucket_bits }}), FALSE) AS repeated,
    COALESCE(bucket > (pieces.first >> {{ bucket_bits }}), FALSE) AS again
{% else %}
    COALESCE(pieces.run > 1, FALSE) AS repeated,
    FALSE AS again
{% endif %}
{% for word in words %}
    , CAST(CASE WHEN FALSE THEN 0
{% for i in range(layers | length) if field_words[i] == word %}
        WHEN cells.layer = {{ layers[i] | literal }} THEN {% if own and layers[i] == "value" %}cells.first{% else %}cells.cell{% endif %} << {{ shifts[i] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | COALESCE(bucket << {{ bucket_shift + bucket_bits }}, 0){% endif %} AS BIGINT) AS f{{ word }}
    , CAST(CASE WHEN FALSE THEN 0
{% for i in range(layers | length) if field_words[i] == word %}
        WHEN cells.layer = {{ layers[i] | literal }} THEN {{ masks[i] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | CASE WHEN bucket IS NULL THEN 0 ELSE {{ bucket_mask }} END{% endif %} AS BIGINT) AS m{{ word }}
{% endfor %}
FROM {{ cells | identifier }} AS cells
LEFT JOIN pieces ON pieces.cell = cells.cell
