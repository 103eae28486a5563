-- writing
-- Writes the treated records in the order of the source, with types that the target supports.
--
-- source: our own
-- runs: finish
--
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records

-- name: beyond_decimals
-- Counts the values of integer columns with more than the 38 digits of a decimal.
--
-- takes: source, columns
SELECT [{{ columns |
    each("COUNT(CASE WHEN {x.identifier} IS NOT NULL
        AND TRY_CAST({x.identifier} AS DECIMAL(38, 0)) IS NULL THEN 1 END)") }}] AS cells
FROM {{ source | relation }}

-- name: typed_records
-- The treated records with types that Parquet supports; text columns with few distinct values become ENUMs.
--
-- definition: a left join with the labels, each text once, keeps all records
--
-- takes: source, columns
-- parameter name: column, the view
-- parameter labelled: columns, those that are written as labels
-- parameter labels: columns, the tables of their labels
-- parameter selected: expression, the selected columns, and the record number at the end
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT *
FROM (
    SELECT {{ selected | expression }}
    FROM (
        SELECT
{% for column in columns %}
{% if column in labelled %}
            {{ labels[labelled.index(column)] | identifier }}.label AS {{ column | identifier }},
{% else %}
            treated.{{ column | identifier }},
{% endif %}
{% endfor %}
            treated.record
        FROM {{ source | relation }} AS treated
{% for column in labelled %}
        LEFT JOIN {{ labels[loop.index0] | identifier }}
            ON {{ labels[loop.index0] | identifier }}.value = treated.{{ column | identifier }}
{% endfor %}
    ) AS chosen
) AS typed({% for column in columns %}{{ column | identifier }}, {% endfor %}record)

-- name: copy_release
-- Writes the treated records under the original column names.
--
-- definition: the order is that of the source's records. An ORDER BY here would resolve names to the renamed columns.
--
-- takes: source, columns
-- parameter names: columns, the original names
-- parameter order: expression or none, sort key of the records; none keeps their order
-- parameter path: text, the file
-- parameter options: expression, of the file's format
-- parameter group_bytes: integer or none, the size from which a row group is written
COPY (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{{ loop | between }}
{% endfor %}
{% if order is not none %}
    FROM (SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}{{ order | expression }} AS in_order
        FROM {{ source | relation }} AS records) AS treated
    ORDER BY treated.in_order
{% else %}
    FROM {{ source | relation }} AS treated
{% endif %}
) TO {{ path | literal }} (
    {{ options | expression }}{% if group_bytes is not none %},
    ROW_GROUP_SIZE_BYTES {{ group_bytes | literal }}{% endif %}, USE_TMP_FILE FALSE)
