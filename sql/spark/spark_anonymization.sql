-- spark_anonymization
-- The steps of a treatment in Spark SQL.
--
-- idea: a step is a view of the previous step, as in DuckDB; records have no numbers in Spark, so random values of a
--   record depend on its values and its index among equal records
-- source: as the statements without spark__
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter name: column, the view or the table
-- parameter column: expression, the value

-- name: spark__number_records
-- The records, which Spark cannot number: as number_records.
-- takes: name, source, columns
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    CAST(NULL AS STRING) AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: spark_named_records
-- The records with a unique text each, independent of the partitions of the engine.
--
-- definition: a number for the values, in which missing values differ from others, and the index among equal records
-- missing: missing values are equal
--
-- takes: name, source, columns
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    CONCAT(
        CAST(XXHASH64({{ columns | each("{x.identifier}, CAST({x.identifier} IS NULL AS INT)") }}) AS STRING),
        ' ',
        CAST(ROW_NUMBER() OVER (PARTITION BY {{ columns | identifiers }} ORDER BY {{ columns[0] | identifier }})
            AS STRING)
    ) AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: spark__drawn_number
-- A random integer below 2 to the power of 64 for a record: as drawn_number, from other bits.
--
-- definition: a hash of 64 bits of both keys and of the text of the record
--
-- parameter first: text, a key, a whole number below 2 to the power of 64
-- parameter second: text, another one
(CAST(XXHASH64(CONCAT({{ first | literal }}, ' ', {{ second | literal }}, ' ', record)) AS DECIMAL(20,0))
    + 9223372036854775808)

-- name: spark__pseudonyms
-- Creates the table of users and their pseudonyms, one for all time or one per period: as pseudonyms.
--
-- takes: name, source
-- parameter column: column, of the users
-- parameter period: expression or none, the first day of a record's period; none for one pseudonym for all time
-- parameter label: expression or none, the period as people write it, from its first day
-- parameter secret: text, secret key
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH pairs AS (
    SELECT DISTINCT
        {{ column | identifier }} AS person,
        {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS period
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
),
numbered AS (
    SELECT
        person,
        period,
        CAST(ROW_NUMBER() OVER (ORDER BY person, period NULLS LAST) AS BIGINT) AS number
    FROM pairs
)
SELECT
    person,
    period,
    {% if label is not none %}{{ label | expression }}{% else %}CAST(NULL AS STRING){% endif %} AS period_text,
    CONCAT('P', LPAD(
        CAST(ROW_NUMBER() OVER (ORDER BY LEFT(SHA2(CONCAT({{ secret | literal }}, CAST(number AS STRING)), 256), 16),
            number) AS STRING),
        CAST(LENGTH(CAST(COUNT(*) OVER () AS STRING)) AS INT),
        '0'
    )) AS pseudonym
FROM numbered

-- name: spark__moment_cell
-- The day, ISO week, month, quarter or year of a moment, as text: as moment_cell.
--
-- missing: stays missing
--
-- takes: column
-- parameter format: text or none, of the unit; none for the quarter
{% if format == '%G-W%V' %}
CONCAT(LPAD(
    CAST(YEAR(DATE_ADD(
        CAST({{ column | expression }} AS DATE),
        3 - PMOD(DATEDIFF(CAST({{ column | expression }} AS DATE), DATE '1970-01-05'), 7)
    )) AS STRING),
    4, '0'), '-W', LPAD(CAST(EXTRACT(WEEK FROM CAST({{ column | expression }} AS TIMESTAMP)) AS STRING), 2, '0'))
{% else %}
CONCAT(LPAD(CAST(EXTRACT(YEAR FROM CAST({{ column | expression }} AS TIMESTAMP)) AS STRING), 4, '0')
{% if format is none %}
, '-Q', CAST(EXTRACT(QUARTER FROM CAST({{ column | expression }} AS TIMESTAMP)) AS STRING)
{% elif format != '%Y' %}
, '-', LPAD(CAST(EXTRACT(MONTH FROM CAST({{ column | expression }} AS TIMESTAMP)) AS STRING), 2, '0')
{% if format == '%Y-%m-%d' %}
, '-', LPAD(CAST(EXTRACT(DAY FROM CAST({{ column | expression }} AS TIMESTAMP)) AS STRING), 2, '0')
{% endif %}
{% endif %}
)
{% endif %}

-- name: spark__interval_real
-- The interval of a floating-point number, as text: as interval_real, with numbers in DuckDB's format.
--
-- missing: stays missing
--
-- takes: column
-- parameter multiple: expression, the multiple of the width that the interval begins at
-- parameter numerator: number, of the width
-- parameter denominator: number, of the width
CASE
    WHEN {{ column | expression }} IS NULL THEN NULL
    WHEN ISNAN({{ column | expression }}) THEN 'nan'
    WHEN {{ column | expression }} = CAST('Infinity' AS DOUBLE) THEN 'inf'
    WHEN {{ column | expression }} = CAST('-Infinity' AS DOUBLE) THEN '-inf'
    WHEN ABS(CAST({{ column | expression }} AS DOUBLE)) / ({{ numerator | literal }} / {{ denominator | literal }})
        >= 4503599627370496 THEN CAST({{ column | expression }} AS STRING)
    ELSE CONCAT(
        '[',
{% for end in [0, 1] %}
        (CASE
            WHEN ({{ multiple | expression }} + {{ end }}) * {{ numerator | literal }} / {{ denominator | literal }} = 0
                THEN '0.0'
            WHEN ABS(({{ multiple | expression }} + {{ end }}) * {{ numerator | literal }}
                / {{ denominator | literal }}) BETWEEN 1e-4 AND 1e15
            THEN REGEXP_REPLACE(
                CAST(CAST(CAST(
                ({{ multiple | expression }} + {{ end }}) * {{ numerator | literal }}
                / {{ denominator | literal }} AS STRING) AS DECIMAL(38,20)) AS STRING), '([.][0-9]+?)0*$', '$1')
            ELSE CAST(({{ multiple | expression }} + {{ end }}) * {{ numerator | literal }}
                / {{ denominator | literal }} AS STRING)
        END),
        {% if not loop.last %}', '{% else %}'['{% endif %}{{ loop | between }}
{% endfor %}
    )
END

-- name: spark_release
-- The treated records under the original column names.
--
-- takes: source, columns
-- parameter names: columns, the original names
SELECT
{% for column in columns %}
    {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{{ loop | between }}
{% endfor %}
FROM {{ source | relation }} AS treated
