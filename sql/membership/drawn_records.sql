-- drawn_records
-- Makes one-hot vectors whose components are drawn each on its own, as often as they are in the records.
--
-- definition: a dummy where the number drawn for it is small enough; a number is one of the records, in another order or any
--   of them, and what is drawn from a normal distribution of the bandwidth is added: (x - least + bandwidth g) / unit, rounded
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the encoded table
-- parameter records: integer, how many are drawn
-- parameter members: integer, how many the encoded table has
-- parameter columns: columns, of the encoded table, one for each component
-- parameter dummies: expressions, whether a record gets the dummy of a component, none for numbers
-- parameter places: expressions, what the records are put in order by for numbers
-- parameter picks: expressions, the number of the record that is taken; none takes one after another
-- parameter noise: expressions, what is drawn for numbers from the standard normal distribution
-- parameter bandwidth: number, of what is added
-- parameter least: texts, what is subtracted from numbers
-- parameter units: texts, what they are divided by
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    made.record
{% for dummy in dummies %}
{% if dummy is none %}
    , CAST(ROUND((place{{ loop.index0 }}.number - CAST({{ least[loop.index0] | literal }} AS DOUBLE){% if bandwidth > 0 %} + {{ bandwidth | literal }} * {{ noise[loop.index0] | expression }}{% endif %}) / CAST({{ units[loop.index0] | literal }} AS DOUBLE)) AS BIGINT) AS y{{ loop.index0 }}
{% else %}
    , {{ dummy | expression }} AS y{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM (SELECT range AS record FROM RANGE({{ records }})) AS made
{% for dummy in dummies %}
{% if dummy is none %}
JOIN (
    SELECT ROW_NUMBER() OVER (ORDER BY {{ places[loop.index0] | expression }}, record) - 1 AS place, {{ columns[loop.index0] | identifier }} AS number
    FROM {{ source | relation }} AS records
) AS place{{ loop.index0 }}
    ON place{{ loop.index0 }}.place = {% if picks[loop.index0] is none %}made.record{% else %}CAST({{ picks[loop.index0] | expression }} % {{ members }} AS BIGINT){% endif %}

{% endif %}
{% endfor %}
