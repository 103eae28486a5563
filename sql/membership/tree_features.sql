-- tree_features
-- What a decision tree learns from: the numbers and the dummies of the attributes but the target, and the target.
--
-- definition: positive is 1 where the target has the positive value; f0, f1, … in the order of dummies
-- source: PWS Cup 2020, equation 3
-- portable: yes
--
-- parameter source: relation, the records
-- parameter columns: columns, the column of each feature
-- parameter values: texts or none, the category that a feature is 1 for; no category (NULL) for a number
-- parameter target: column, the target
-- parameter positive: text, its positive value
SELECT
    CAST(CASE WHEN {{ target | identifier }} = {{ positive | literal }} THEN 1 ELSE 0 END AS TINYINT) AS positive
{% for column in columns %}
{% if values[loop.index0] is none %}
    , CAST(GREATEST(LEAST({{ column | identifier }}, 3e38), -3e38) AS FLOAT) AS f{{ loop.index0 }}
{% else %}
    , CAST(CASE WHEN {{ column | identifier }} = {{ values[loop.index0] | literal }} THEN 1 ELSE 0 END AS TINYINT) AS f{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
ORDER BY record
