-- fields_of_set
-- The bits of the fields of an attribute set, a column for each word.

{% for column in columns %}
        , CAST({% for word in words %}{% if word == column %}(
            CASE WHEN ((<mask>) >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ fields[loop.index0] }} AS BIGINT) ELSE 0 END)
            | {% endif %}{% endfor %}0 AS BIGINT) AS {{ column | identifier }}
{% endfor %}
