{#-
    No set of up to "known" columns singles out more than a share of the people. Only the smallest sets are listed: what
    is added to them singles out as many.
-#}
{% test singled_out(model, max_share, columns, user=none, known=3) %}
    {%- set columns = dbt_duckrisk.columns_of('columns', columns) -%}
    {%- set most, known = dbt_duckrisk.number('max_share', max_share), dbt_duckrisk.number('known', known) -%}
    {%- set records = dbt_duckrisk.read_records(model, columns, user) -%}
    {%- set statement -%}
        WITH exceeding AS MATERIALIZED (
            SELECT attributes, people, share
            FROM duckrisk.uniqueness(
                {{ records }}, {{ dbt_duckrisk.text(user) }}, {{ dbt_duckrisk.texts(columns) }}, max_size := {{ known }}
            )
            WHERE share > {{ most }}
        )
        SELECT
            people || ' people are singled out by ' || ARRAY_TO_STRING(attributes, ', ') || ': a share of '
            || {{ dbt_duckrisk.figure('share') }} || ', at most {{ most }}.' AS message
        FROM exceeding AS sets
        WHERE NOT EXISTS (
            FROM exceeding AS others
            WHERE LEN(others.attributes) < LEN(sets.attributes) AND LIST_HAS_ALL(sets.attributes, others.attributes)
        )
        ORDER BY share DESC, attributes
    {%- endset -%}
    {{ dbt_duckrisk.show_failures(statement) }}
{% endtest %}
