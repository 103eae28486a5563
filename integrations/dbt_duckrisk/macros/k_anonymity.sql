{#- Each record shares the quasi-identifiers with at least k - 1 others; with a user, each person the whole history. -#}
{% test k_anonymity(model, k, quasi_identifiers, user=none) %}
    {%- set columns = dbt_duckrisk.columns_of('quasi_identifiers', quasi_identifiers) -%}
    {%- set k = dbt_duckrisk.number('k', k) -%}
    {%- set records = dbt_duckrisk.read_records(model, columns, user) -%}
    {%- set measured -%}
        {%- if user is none -%}
            duckrisk.class_sizes({{ records }}, {{ dbt_duckrisk.texts(columns) }})
        {%- else -%}
            duckrisk.class_sizes_users({{ records }}, {{ dbt_duckrisk.text(user) }}, {{ dbt_duckrisk.texts(columns) }})
        {%- endif -%}
    {%- endset -%}
    {%- set statement -%}
        SELECT
            'k is ' || MIN(class_size) || ', below {{ k }}: '
            || SUM(records) FILTER (class_size < {{ k }}) || ' of ' || SUM(records)
            || {{ dbt_duckrisk.text(
                (' records' if user is none else ' people') ~ ' share ' ~ columns | join(', ')
                ~ ' with fewer than ' ~ (k - 1) ~ ' others.'
            ) }} AS message
        FROM {{ measured }}
        HAVING MIN(class_size) < {{ k }}
    {%- endset -%}
    {{ dbt_duckrisk.show_failures(statement) }}
{% endtest %}
