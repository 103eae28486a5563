-- blurred_columns
-- Whether a text column, read as a number or a moment, would make different values equal.
--
-- definition: DOUBLE keeps 15 digits of an integer and 17 of a fraction, times keep microseconds
-- portable: no
--
-- parameter source: relation, the records, all columns as text
-- parameter numbers: columns, to be read as DOUBLE
-- parameter moments: columns, to be read as a time or a timestamp
-- parameter most: integer or none, look at so many records at most
SELECT
{% for column in numbers %}
    BOOL_OR(
        REGEXP_MATCHES({{ column | identifier }}, '^\s*[-+]?0*[1-9][0-9]{15,}\s*$')
        OR LENGTH(LTRIM(REGEXP_REPLACE(SPLIT_PART(LOWER({{ column | identifier }}), 'e', 1), '[^0-9]', '', 'g'), '0')) > 17
    ) AS {{ column | identifier }}{% if moments or not loop.last %},{% endif %}

{% endfor %}
{% for column in moments %}
    BOOL_OR(REGEXP_MATCHES({{ column | identifier }}, '[.][0-9]{6}0*[1-9]')) AS {{ column | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM (
    SELECT * FROM {{ source | relation }}
{% if most is not none %}
    LIMIT {{ most | literal }}
{% endif %}
)
