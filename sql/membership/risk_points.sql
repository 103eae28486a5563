-- risk_points
-- Makes the table of records whose distances can be told: scaled numbers, and words of packed codes.
--
-- definition: a word as of neighbour_records
-- missing: a missing number stands 3 ranges from the least, further than a range from every number; a missing category is one
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records with codes
-- parameter keys: columns, that are kept as they are
-- parameter numeric: integers, the attributes of numbers
-- parameter tables: texts, the values of each of these
-- parameter categories: integers, the others
-- parameter words: integers, for each of the latter the number of its word
-- parameter places: integers, for each of these the number that its code is multiplied with
-- parameter unit: integer, so many parts a range has
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for key in keys %}
    {% if not loop.first %}, {% endif %}records.{{ key | identifier }}
{% endfor %}
{% for place in numeric %}
    , COALESCE(values{{ place }}.scaled, 3 * CAST({{ unit | literal }} AS BIGINT)) AS n{{ place }}
{% endfor %}
{% for word in range(words | max + 1 if words else 0) %}
    , CAST(0 AS BIGINT){% for place in categories %}{% if words[loop.index0] == word %} + records.c{{ place }} * CAST({{ places[loop.index0] | literal }} AS BIGINT){% endif %}{% endfor %} AS p{{ word + 1 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for place in numeric %}
LEFT JOIN {{ tables[loop.index0] | relation }} AS values{{ place }} ON values{{ place }}.code = records.c{{ place }}
{% endfor %}
