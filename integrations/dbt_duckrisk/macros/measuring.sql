{#- What all tests of this package share. Each calls a macro of duckrisk.duckdb, and returns a row for each failure. -#}

{#- Whether the tests run now; else dbt compiles them, and nothing is measured. -#}
{%- macro is_running() -%}
    {{ return(execute and flags.WHICH in ('test', 'build')) }}
{%- endmacro -%}

{#- A text, and a list of texts, as literals; a single text is a list of one. -#}
{%- macro text(value) -%}
    {{ return('NULL' if value is none else "'" ~ (value | string | replace("'", "''")) ~ "'") }}
{%- endmacro -%}

{%- macro texts(values) -%}
    {%- set written = [] -%}
    {%- for value in dbt_duckrisk.as_list(values) -%}
        {%- do written.append(dbt_duckrisk.text(value)) -%}
    {%- endfor -%}
    {{ return('[' ~ written | join(', ') ~ ']') }}
{%- endmacro -%}

{%- macro as_list(values) -%}
    {{ return([values] if values is string else values or []) }}
{%- endmacro -%}

{#- The columns of an argument that needs some. -#}
{%- macro columns_of(name, values) -%}
    {%- if not values and dbt_duckrisk.is_running() -%}
        {{ dbt_duckrisk.refuse(name ~ ' has to name a column.') }}
    {%- endif -%}
    {{ return(dbt_duckrisk.as_list(values)) }}
{%- endmacro -%}

{#- A number, as it is. What is none is refused when its test runs, and not where dbt reads all tests. -#}
{%- macro number(name, value) -%}
    {%- if value is number -%}
        {{ return(value) }}
    {%- elif dbt_duckrisk.is_running() -%}
        {{ dbt_duckrisk.refuse(name ~ ' has to be a number.') }}
    {%- endif -%}
    {{ return(0) }}
{%- endmacro -%}

{#- A figure as people write it: 5, or 0.0833. -#}
{%- macro figure(column) -%}
    {{ return("PRINTF('%.15g', ROUND(" ~ column ~ ", 4))") }}
{%- endmacro -%}

{%- macro refuse(sentence) -%}
    {{ exceptions.raise_compiler_error('duckrisk: ' ~ sentence) }}
{%- endmacro -%}

{#- The model that the running test belongs to. -#}
{%- macro tested() -%}
    {{ return((model.attached_node or model.name).split('.') | last) }}
{%- endmacro -%}

{#-
    The records as a text that the macros take. A view of this connection stands for them, so that any name and the
    config "where" are the same to the macros. Columns, and that there are records, are looked for first.
-#}
{%- macro read_records(relation, columns, user=none) -%}
    {%- if not dbt_duckrisk.is_running() -%}
        {{ return(dbt_duckrisk.text(relation)) }}
    {%- endif -%}
    {%- set name = dbt_duckrisk.tested() -%}
    {%- if '__dbt__cte__' in relation | string -%}
        {{ dbt_duckrisk.refuse(name ~ ' is ephemeral, and in no database: materialize it as a view or a table.') }}
    {%- endif -%}
    {%- if not run_query("SELECT 1 FROM duckdb_databases() WHERE database_name = 'duckrisk'") -%}
        {{ dbt_duckrisk.refuse('attach duckrisk.duckdb under the alias duckrisk in profiles.yml.') }}
    {%- endif -%}
    {%- do run_query('CREATE OR REPLACE TEMP VIEW duckrisk_records AS SELECT * FROM ' ~ relation) -%}
    {%- set there = dbt_duckrisk.list_columns() -%}
    {%- set written = there | map('lower') | list -%}
    {%- for column in columns + ([] if user is none else [user]) if column | string | lower not in written -%}
        {{ dbt_duckrisk.refuse(name ~ ' has no column "' ~ column ~ '", but ' ~ there | join(', ') ~ '.') }}
    {%- endfor -%}
    {%- if not run_query('SELECT 1 FROM temp.main.duckrisk_records LIMIT 1') -%}
        {{ dbt_duckrisk.refuse(name ~ ' has no records, so there is nothing to measure.') }}
    {%- endif -%}
    {%- if user is not none and not run_query(
        'SELECT 1 FROM temp.main.duckrisk_records WHERE ' ~ '"' ~ user | string | replace('"', '""') ~ '" IS NOT NULL LIMIT 1'
    ) -%}
        {{ dbt_duckrisk.refuse('no record of ' ~ name ~ ' has a person in ' ~ user ~ '.') }}
    {%- endif -%}
    {{ return("'temp.main.duckrisk_records'") }}
{%- endmacro -%}

{#- The names of the columns of the records. -#}
{%- macro list_columns() -%}
    {{ return(run_query('DESCRIBE temp.main.duckrisk_records').columns[0].values() | list) }}
{%- endmacro -%}

{#-
    The rows of a test. dbt prints how many there are; what they say is printed here. The measurement runs once: the
    statement of the test is what it found.
-#}
{%- macro show_failures(statement) -%}
    {%- if not dbt_duckrisk.is_running() -%}
        {{ return(statement) }}
    {%- endif -%}
    {%- set messages = run_query(statement).columns[0].values() | list -%}
    {%- set rows = [] -%}
    {%- for message in messages -%}
        {%- do log(dbt_duckrisk.tested() ~ ': ' ~ message, info=true) -%}
        {%- do rows.append('(' ~ dbt_duckrisk.text(message) ~ ')') -%}
    {%- endfor -%}
    {%- if rows -%}
        {{ return('SELECT message FROM (VALUES ' ~ rows | join(', ') ~ ') AS failures (message)') }}
    {%- endif -%}
    {{ return("SELECT '' AS message WHERE FALSE") }}
{%- endmacro -%}
