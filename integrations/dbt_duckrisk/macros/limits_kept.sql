{#-
    The limits of a policy, but for direct identifiers, which no_direct_identifiers looks for. A limit that SQL cannot
    judge fails as well: a gate takes no open verdict.
-#}
{% test limits_kept(model, policy, user=none, quasi_identifiers=none, sensitive=none) %}
    {%- set sensitive = dbt_duckrisk.as_list(sensitive) -%}
    {%- set columns = dbt_duckrisk.as_list(quasi_identifiers) -%}
    {%- set records = dbt_duckrisk.read_records(model, columns + sensitive, user) -%}
    {%- set others = sensitive if user is none else [user] + sensitive -%}
    {%- set of = columns | join(', ') if columns else 'all columns' ~ (' but ' ~ others | join(', ') if others else '') -%}
    {%- set statement -%}
        SELECT
            name || {{ dbt_duckrisk.text(' of the policy ' ~ policy ~ ' ') }} || CASE
                WHEN kept IS NULL THEN 'is open: ' || why_open
                ELSE 'is exceeded: ' || {{ dbt_duckrisk.figure('figure') }} || ', ' || rule || ' '
                    || {{ dbt_duckrisk.figure('bound') }} || '.'
            END || {{ dbt_duckrisk.text(' Looked at: ' ~ of ~ '.') }} AS message
        FROM duckrisk.limits(
            {{ records }},
            user := {{ dbt_duckrisk.text(user) }},
            quasi_identifiers := {{ 'NULL' if quasi_identifiers is none else dbt_duckrisk.texts(columns) }},
            sensitive := {{ dbt_duckrisk.texts(sensitive) }},
            policy := {{ dbt_duckrisk.text(policy) }}
        )
        WHERE name <> 'identifying_columns' AND kept IS DISTINCT FROM TRUE
    {%- endset -%}
    {{ dbt_duckrisk.show_failures(statement) }}
{% endtest %}
