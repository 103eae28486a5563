-- feature_columns
-- Features of records: numbers, and categories as 0 or 1.

{% for column in columns %}
{% if category_ids[loop.index0] is none %}
    , CAST(GREATEST(LEAST(records.{{ column | identifier }}, 3e38), -3e38) AS FLOAT) AS f{{ loop.index0 }}
{% else %}
    , CAST(CASE WHEN records.{{ column | identifier }} = known.{{ column | identifier }}[{{
        category_ids[loop.index0] }}]
        THEN 1 ELSE 0 END AS TINYINT) AS f{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
CROSS JOIN {{ category_lists | relation }} AS known
