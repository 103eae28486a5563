{#- No column has values that name people by themselves; without a list all columns are looked at. -#}
{% test no_direct_identifiers(model, columns=none, column_name=none) %}
    {%- set columns = dbt_duckrisk.as_list(column_name if columns is none else columns) -%}
    {%- set records = dbt_duckrisk.read_records(model, columns) -%}
    {%- if not columns and dbt_duckrisk.is_running() -%}
        {%- set columns = dbt_duckrisk.list_columns() -%}
    {%- endif -%}
    {%- set statement -%}
        SELECT
            column_name || ': ' || valid_cells || ' of ' || present_cells || ' values are of the kind '
            || ARRAY_TO_STRING(kinds, ' or ') || '.' AS message
        FROM duckrisk.identifying_columns({{ records }}, {{ dbt_duckrisk.texts(columns) }})
        WHERE LEN(kinds) > 0
    {%- endset -%}
    {{ dbt_duckrisk.show_failures(statement) }}
{% endtest %}
