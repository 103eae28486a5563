-- release_tuples
-- Collapses the records of a release to the different combinations of their cells, packed as those of the original.
--
-- definition: "f" are the bits of the cells and "m" those to compare, "s" how many values each cell covers; "false_cells"
--   has a bit for each attribute whose cell covers nothing, "repeated" one for each whose cell has a row before this
--   one, "again" one for each whose run of neighbours has
-- missing: a missing cell is a value like another, or covers everything where the original has none
-- portable: no
--
-- parameter source: relation, the release
-- parameter columns: columns, the attributes that the release has
-- parameter tables: texts, the table with the bits of the cells of each
-- parameter numbers: integers, the number of each among the attributes of the original
-- parameter leaves: integers, how many values each attribute of the original has
-- parameter words: integers, all words
-- parameter uses: integers, pairs of a word and an attribute of the release that has a field there
-- parameter ranges: integers, the attributes, of those that the release has, that are compared by ranges
-- parameter rows: integer, 1 to keep every record, with its number or key as "record"
-- parameter key: column or none, what a record is told by where it is kept; none goes by the order of the records
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS v{{ loop.index0 }},
{% endfor %}
        {% if rows and key %}CAST({{ key | identifier }} AS VARCHAR){% elif rows %}ROW_NUMBER() OVER (){% else %}0{% endif %} AS record
    FROM {{ source | relation }}
),
packed AS (
    SELECT
        records.record,
{% for word in words %}
        0{% for i in range(tables | length) %}{% if [word, i] in uses %} | t{{ i }}.f{{ word }}{% endif %}{% endfor %} AS f{{ word }},
        0{% for i in range(tables | length) %}{% if [word, i] in uses %} | t{{ i }}.m{{ word }}{% endif %}{% endfor %} AS m{{ word }},
{% endfor %}
{% for i in range(tables | length) %}
        t{{ i }}.size AS s{{ numbers[i] }},
{% endfor %}
{% for i in ranges %}
        t{{ i }}.first AS first{{ numbers[i] }},
        t{{ i }}.last AS last{{ numbers[i] }},
{% endfor %}
        CAST(0{% for i in range(tables | length) %} | CASE WHEN t{{ i }}.size = 0 THEN {{ 2 ** numbers[i] }} ELSE 0 END{% endfor %} AS BIGINT) AS false_cells,
        CAST(0{% for i in ranges %} | CASE WHEN t{{ i }}.repeated THEN {{ 2 ** numbers[i] }} ELSE 0 END{% endfor %} AS BIGINT) AS repeated,
        CAST(0{% for i in ranges %} | CASE WHEN t{{ i }}.again THEN {{ 2 ** numbers[i] }} ELSE 0 END{% endfor %} AS BIGINT) AS again
    FROM records
{% for name in tables %}
    JOIN {{ name | identifier }} AS t{{ loop.index0 }} ON t{{ loop.index0 }}.value IS NOT DISTINCT FROM records.v{{ loop.index0 }}
{% endfor %}
)
{% if rows %}
SELECT
    record,
{% for word in words %}
    f{{ word }},
    m{{ word }},
{% endfor %}
{% for i in ranges %}
    first{{ numbers[i] }},
    last{{ numbers[i] }},
    s{{ numbers[i] }},
{% endfor %}
    false_cells
FROM packed
{% else %}
SELECT
{% for word in words %}
    f{{ word }},
    m{{ word }},
{% endfor %}
{% for i in range(leaves | length) %}
    {% if i not in numbers %}{{ leaves[i] }}{% elif numbers.index(i) in ranges %}s{{ i }}{% else %}MIN(s{{ i }}){% endif %} AS s{{ i }},
{% endfor %}
{% for i in ranges %}
    first{{ numbers[i] }},
    last{{ numbers[i] }},
{% endfor %}
    false_cells,
    repeated,
    again,
    COUNT(*) AS records
FROM packed
GROUP BY {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}{% for i in ranges %}first{{ numbers[i] }}, last{{ numbers[i] }}, s{{ numbers[i] }}, {% endfor %}false_cells, repeated, again
{% endif %}
