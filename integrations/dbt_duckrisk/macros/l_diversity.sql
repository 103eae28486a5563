{#- Records that agree on the quasi-identifiers have at least l different values of each sensitive column. -#}
{% test l_diversity(model, l, quasi_identifiers, sensitive) %}
    {%- set columns = dbt_duckrisk.columns_of('quasi_identifiers', quasi_identifiers) -%}
    {%- set sensitive = dbt_duckrisk.columns_of('sensitive', sensitive) -%}
    {%- set l = dbt_duckrisk.number('l', l) -%}
    {%- set records = dbt_duckrisk.read_records(model, columns + sensitive) -%}
    {%- set statement -%}
        {%- for column in sensitive %}
        SELECT
            {{ dbt_duckrisk.text('l of ' ~ column ~ ' is ') }} || distinct_l || ', below {{ l }}: '
            || homogeneous_classes || ' of ' || classes
            || {{ dbt_duckrisk.text(' classes that agree on ' ~ columns | join(', ') ~ ' have one value for all their ') }}
            || homogeneous_records || ' records.' AS message
        FROM duckrisk.attribute_disclosure(
            {{ records }}, {{ dbt_duckrisk.text(column) }}, {{ dbt_duckrisk.texts(columns) }}
        )
        WHERE distinct_l < {{ l }}
        {%- if not loop.last %} UNION ALL {%- endif -%}
        {%- endfor -%}
    {%- endset -%}
    {{ dbt_duckrisk.show_failures(statement) }}
{% endtest %}
