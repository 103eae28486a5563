-- packed_records
-- The records of the original and of a release as packed words, so that coverage is a test of equality.
--
-- idea: each attribute has a field of bits for the number of its value, and one for the cell that it has in each way of
--   generalising. The fields of all attributes fill words of 60 bits, and both tables are collapsed to their different
--   combinations of words.
-- source: our own
-- runs: finish
-- makes: classes, original_rows, originals, release_rows, releases
--
-- parameter table: column, the table that is made
-- parameter words: integers, the words that the fields are in
-- parameter field_words: integers, the word of each of these fields
-- parameter shifts: integers, where it begins there
-- parameter key: column or none, the key of a kept record; none takes the order of the records

-- name: leaf_fields
-- The bits of each value of the original: its own number, and the number of its label in each generalisation.
--
-- definition: 0 where no cell of that way covers the value
--
-- takes: words, field_words, shifts, table
-- parameter leaves: column, the numbered values of the original
-- parameter reach: column or none, the cell of each value in each way
-- parameter leaf_word: integer, the word of the value's own number
-- parameter leaf_shift: integer, where it begins there
-- parameter layers: texts, the ways with a field, each as often as it is needed
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if reach is not none and layers %}
WITH reached AS (
    SELECT
        code
{% for word in words %}
        , SUM(CASE WHEN FALSE THEN 0
{% for i in range(layers | length) if field_words[i] == word %}
            WHEN layer = {{ layers[i] | literal }} THEN cell << {{ shifts[i] }}
{% endfor %}
            ELSE 0 END) AS bits{{ word }}
{% endfor %}
    FROM {{ reach | identifier }}
    GROUP BY code
)
{% endif %}
SELECT
    leaves.value,
    leaves.code
{% for word in words %}
    , CAST({% if reach is not none and layers %}COALESCE(reached.bits{{ word }},
        0){% else %}0{% endif %}{% if word == leaf_word %} + (leaves.code << {{ leaf_shift }}){% endif %} AS BIGINT)
        AS f{{ word }}
{% endfor %}
FROM {{ leaves | identifier }} AS leaves
{% if reach is not none and layers %}
LEFT JOIN reached ON reached.code = leaves.code
{% endif %}

-- name: cell_fields
-- The bits of each value of a release, the mask of bits to compare, and the number of values covered.
--
-- definition: a value is covered where its bits, of those to compare, are those of the cell, and its number is in the
--   range of the cell where the column is compared so. Then a cell has a row for each run of neighbours that it
--   covers, and, unless that is wide, for each value that the high bits of their numbers have: these are
--   compared first. All rows but the first of a cell are "repeated", all but the first of a run "again".
--
-- takes: words, field_words, shifts, table
-- parameter cells: column, the values of the release with their coverage
-- parameter layers: texts, the ways of generalising with a field
-- parameter masks: integers, its bits
-- parameter original_number: flag, the field of an unchanged value holds its number in the original
-- parameter runs: column or none, the runs of cells where the column is compared by ranges
-- parameter bucket_bits: integer or none, the low bits of the number of a value that are not compared at first
-- parameter bucket_word: integer or none, the word of the number
-- parameter bucket_shift: integer or none, where it begins there
-- parameter bucket_mask: integer or none, its high bits
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
        WHEN cells.layer = {{ layers[i] | literal }}
            THEN {% if original_number and layers[i] == "value" %}cells.first{% else %}cells.cell{% endif %}
            << {{ shifts[i] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | COALESCE(bucket << {{ bucket_shift + bucket_bits }}, 0){% endif %}
            AS BIGINT) AS f{{ word }}
    , CAST(CASE WHEN FALSE THEN 0
{% for i in range(layers | length) if field_words[i] == word %}
        WHEN cells.layer = {{ layers[i] | literal }} THEN {{ masks[i] }}
{% endfor %}
        ELSE 0 END{% if bucket_word == word %} | CASE WHEN bucket IS NULL THEN 0 ELSE {{ bucket_mask }} END{% endif %}
            AS BIGINT) AS m{{ word }}
{% endfor %}
FROM {{ cells | identifier }} AS cells
LEFT JOIN pieces ON pieces.cell = cells.cell

-- name: original_tuples
-- The distinct combinations of values of the original, packed into words of 60 bits.
--
-- definition: each attribute has a field for its value's number, and one for the cell it has in each way of
--   generalising
-- missing: a missing value is a value like another
--
-- takes: words, key, table
-- parameter keep_records: flag, keep every record, with its number or key as "record"
-- parameter source: relation, the original
-- parameter columns: columns, the attributes
-- parameter tables: texts, the table with the bits of the values of each attribute
-- parameter uses: integers, pairs of a word and an attribute that has a field there
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
{% if keep_records %}
        {% if key %}CAST({{ key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record,
{% endif %}
{% for column in columns %}
        {{ column | identifier }} AS v{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for name in tables %}
missing{{ loop.index0 }} AS (
    SELECT * FROM {{ name | identifier }} WHERE value IS NULL
),
{% endfor %}
packed AS (
    SELECT
{% if keep_records %}
        records.record,
{% endif %}
{% for word in words %}
        0{% for i in range(tables | length) %}{% if [word, i] in uses %}
            | COALESCE(t{{ i }}.f{{ word }}, (SELECT MIN(f{{ word }}) FROM missing{{ i }})){% endif %}{% endfor %}
            AS w{{ word }}{{ loop | between }}
{% endfor %}
    FROM records
{% for name in tables %}
    LEFT JOIN {{ name | identifier }} AS t{{ loop.index0 }} ON t{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
)
{% if keep_records %}
SELECT record, {{ words | each("w{x}") }} FROM packed
{% else %}
SELECT
{% for word in words %}
    w{{ word }},
{% endfor %}
    COUNT(*) AS records
FROM packed
GROUP BY {{ words | each("w{x}") }}
{% endif %}

-- name: release_classes
-- The distinct combinations of cells of a release with their records: its classes.
--
-- definition: "cell" is the number of a cell of an attribute and "s" the number of values that it covers; an attribute
--   that the release lacks covers all. "false_cells" has a bit for each attribute whose cell covers nothing
-- missing: a missing cell is a value like another, or covers everything where the original has none
--
-- parameter source: relation, the release
-- parameter columns: columns, the attributes that the release has
-- parameter tables: texts, the table with the cells of each
-- parameter numbers: integers, the number of each among the attributes of the original
-- parameter leaves: integers, number of values of each attribute of the original
CREATE OR REPLACE TEMP TABLE classes AS
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS v{{ loop.index0 }}, {% endfor %}1 AS one
    FROM {{ source | relation }}
)
SELECT
{% for i in range(leaves | length) %}
{% if i in numbers %}
    t{{ numbers.index(i) }}.cell AS cell{{ i }},
    CAST(MIN(t{{ numbers.index(i) }}.size) AS BIGINT) AS s{{ i }},
{% else %}
    CAST({{ leaves[i] }} AS BIGINT) AS s{{ i }},
{% endif %}
{% endfor %}
    CAST(0{% for i in numbers %} | CASE WHEN MIN(t{{ loop.index0 }}.size) = 0 THEN {{ 2 ** i }} ELSE 0 END{% endfor %}
        AS BIGINT) AS false_cells,
    COUNT(*) AS records
FROM records
{% for name in tables %}
JOIN {{ name | identifier }} AS t{{ loop.index0 }}
    ON t{{ loop.index0 }}.value IS NOT DISTINCT FROM records.v{{ loop.index0 }}
{% endfor %}
GROUP BY records.one{% for name in tables %}, t{{ loop.index0 }}.cell{% endfor %}

-- name: release_rows
-- The cells of each record of a release.
--
-- takes: key, table
-- parameter source: relation, the release
-- parameter columns: columns, the attributes that the release has
-- parameter tables: texts, the table with the cells of each
-- parameter numbers: integers, the number of each among the attributes of the original
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if key %}CAST({{ key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record{% for
        column in columns %},
        {{ column | identifier }} AS v{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
)
SELECT records.record{% for i in numbers %}, t{{ loop.index0 }}.cell AS cell{{ i }}{% endfor %}

FROM records
{% for name in tables %}
JOIN {{ name | identifier }} AS t{{ loop.index0 }}
    ON t{{ loop.index0 }}.value IS NOT DISTINCT FROM records.v{{ loop.index0 }}
{% endfor %}

-- name: release_tuples
-- The classes of a release, packed as the combinations of the original.
--
-- definition: "f" are the bits of the cells and "m" the mask of bits to compare, "s" the number of covered values;
--   "repeated" has a bit for each attribute whose cell has a previous row, "again" one for each whose run of
--   neighbours has one
--
-- takes: words, table
-- parameter tables: texts, the table with the bits of the cells of each attribute that is packed
-- parameter numbers: integers, the number of each among the attributes of the original
-- parameter sizes: integers, the numbers of all attributes of the original
-- parameter uses: integers, pairs of a word and a packed attribute that has a field there
-- parameter ranges: integers, the attributes, of those that are packed, that are compared by ranges
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH packed AS (
    SELECT
{% for word in words %}
        0{% for i in range(tables | length) %}{% if [word, i] in uses %} | t{{ i }}.f{{ word }}{% endif %}{% endfor %}
            AS f{{ word }},
        0{% for i in range(tables | length) %}{% if [word, i] in uses %} | t{{ i }}.m{{ word }}{% endif %}{% endfor %}
            AS m{{ word }},
{% endfor %}
{% for i in sizes %}
        classes.s{{ i }},
{% endfor %}
{% for i in ranges %}
        t{{ i }}.first AS first{{ numbers[i] }},
        t{{ i }}.last AS last{{ numbers[i] }},
{% endfor %}
        classes.false_cells,
        CAST(0{% for i in ranges %} | CASE WHEN t{{ i }}.repeated THEN {{ 2 ** numbers[i] }} ELSE 0 END{% endfor %}
            AS BIGINT) AS repeated,
        CAST(0{% for i in ranges %} | CASE WHEN t{{ i }}.again THEN {{ 2 ** numbers[i] }} ELSE 0 END{% endfor %}
            AS BIGINT) AS again,
        classes.records
    FROM classes
{% for name in tables %}
    JOIN {{ name | identifier }} AS t{{ loop.index0 }}
        ON t{{ loop.index0 }}.cell = classes.cell{{ numbers[loop.index0] }}
{% endfor %}
)
SELECT
{% for word in words %}
    f{{ word }},
    m{{ word }},
{% endfor %}
{% for i in sizes %}
    {% if i in numbers and numbers.index(i) in ranges %}s{{ i }}{% else %}MIN(s{{ i }}) AS s{{ i }}{% endif %},
{% endfor %}
{% for i in ranges %}
    first{{ numbers[i] }},
    last{{ numbers[i] }},
{% endfor %}
    false_cells,
    repeated,
    again,
    CAST(SUM(records) AS BIGINT) AS records
FROM packed
GROUP BY {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}{% for i in ranges %}first{{ numbers[i] }},
    last{{ numbers[i] }}, s{{ numbers[i] }}, {% endfor %}false_cells, repeated, again
