-- cell_fields
-- The bits of each cell of a release, the bits to compare of a value of the original, and what the cell covers.
--
-- definition: a value is covered where its bits, of those to compare, are those of the cell, and its number is in the
--   range of the cell where the column is compared so. There the high bits of the number are compared first: a
--   cell has a row for each that its values have, unless it is wide; all but the first are "repeated".
-- portable: no
--
-- parameter cells: column, the cells with what they cover
-- parameter words: integers, the words that the fields are in
-- parameter layers: texts, the ways of generalising with a field
-- parameter field_words: integers, the word of each of these fields
-- parameter shifts: integers, where it begins there
-- parameter masks: integers, its bits
-- parameter own: integer, 1 where the field of a value that stayed itself holds its number in the original
-- parameter bucket_bits: integer or none, the low bits of the number of a value that are not compared so; none compares
--   none of them
-- parameter bucket_word: integer or none, the word of the number
-- parameter bucket_shift: integer or none, where it begins there
-- parameter bucket_mask: integer or none, its high bits
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    value,
    name,
    cell,
    layer,
    size,
    first,
    last,
    {% if bucket_bits is not none %}COALESCE(bucket > (first >> {{ bucket_bits }}), FALSE){% else %}FALSE{% endif %} AS repeated
{% for word in words %}
    , CAST(CASE WHEN FALSE THEN 0
{% for layer in layers if field_words[loop.index0] == word %}
        WHEN layer = {{ layer | literal }} THEN {% if own and layer == "value" %}first{% else %}cell{% endif %} << {{ shifts[layers.index(layer)] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | COALESCE(bucket << {{ bucket_shift + bucket_bits }}, 0){% endif %} AS BIGINT) AS f{{ word }}
    , CAST(CASE WHEN FALSE THEN 0
{% for layer in layers if field_words[loop.index0] == word %}
        WHEN layer = {{ layer | literal }} THEN {{ masks[layers.index(layer)] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | CASE WHEN bucket IS NULL THEN 0 ELSE {{ bucket_mask }} END{% endif %} AS BIGINT) AS m{{ word }}
{% endfor %}
FROM {{ cells | identifier }}
{% if bucket_bits is not none %}
LEFT JOIN (
    SELECT cell AS covering, UNNEST(RANGE(first >> {{ bucket_bits }}, (last >> {{ bucket_bits }}) + 1)) AS bucket
    FROM {{ cells | identifier }}
    WHERE size BETWEEN 1 AND {{ 2 ** bucket_bits }}
) AS buckets ON covering = cell
{% endif %}
