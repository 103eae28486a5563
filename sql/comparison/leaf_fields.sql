-- leaf_fields
-- The bits of each value of the original: its own number, and the number of its cell in each way of generalising.
--
-- definition: 0 where no cell of that way covers the value
-- portable: no
--
-- parameter leaves: column, the numbered values of the original
-- parameter reach: column or none, the cell of each value in each way
-- parameter words: integers, the words that the fields are in
-- parameter leaf_word: integer, the word of the value's own number
-- parameter leaf_shift: integer, where it begins there
-- parameter layers: texts, the ways with a field, each as often as it is needed
-- parameter field_words: integers, the word of each of these fields
-- parameter shifts: integers, where it begins there
-- parameter table: column, the table that is made
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
    , CAST({% if reach is not none and layers %}COALESCE(reached.bits{{ word }}, 0){% else %}0{% endif %}{% if word == leaf_word %} + (leaves.code << {{ leaf_shift }}){% endif %} AS BIGINT) AS f{{ word }}
{% endfor %}
FROM {{ leaves | identifier }} AS leaves
{% if reach is not none and layers %}
LEFT JOIN reached ON reached.code = leaves.code
{% endif %}
