-- target_features
-- What the classifiers learn from: numbers and dummies of each target and of the records beside it.
--
-- definition: slot is -1 for the target itself; f0, f1, … in the order of dummies
-- source: the small experiment of the report on PWS Cup 2020
-- portable: yes
--
-- parameter targets: relation or none, the targets and the records beside them; none: the records as they are
-- parameter source: relation, the records
-- parameter columns: columns, the column of each feature
-- parameter values: texts or none, the category that a feature is 1 for; no category (NULL) for a number
SELECT
    {% if targets is none %}records.record{% else %}targets.target, targets.slot, targets.record, targets.member{% endif %}

{% for column in columns %}
{% if values[loop.index0] is none %}
    , CAST(GREATEST(LEAST(records.{{ column | identifier }}, 3e38), -3e38) AS FLOAT) AS f{{ loop.index0 }}
{% else %}
    , CAST(CASE WHEN records.{{ column | identifier }} = {{ values[loop.index0] | literal }} THEN 1 ELSE 0 END AS TINYINT) AS f{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
{% if targets is none %}
ORDER BY records.record
{% else %}
JOIN {{ targets | relation }} AS targets ON targets.record = records.record
ORDER BY targets.target, targets.slot
{% endif %}
