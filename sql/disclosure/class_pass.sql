-- class_pass
-- Counts the classes of one of several parts of the records; the parts are made of whole classes.
--
-- missing: a missing cell is a value of its own; "incomplete" counts the records that have one
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
-- parameter passes: integer, how many parts there are
-- parameter part: integer, the number of this one, from 0
INSERT INTO class_frequencies
WITH records AS (
    SELECT {% for attribute in attributes %}{{ attribute | value }} AS v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
classes AS (
    SELECT
        COUNT(*) AS class_size,
        {% for attribute in attributes %}v{{ loop.index0 }} IS NULL{% if not loop.last %} OR {% endif %}{% endfor %} AS incomplete
    FROM records
{% if passes > 1 %}
    WHERE HASH({% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ passes }} = {{ part }}
{% endif %}
    GROUP BY {% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT
    'value' AS missing,
    'record' AS unit,
    class_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records,
    CAST(SUM(CASE WHEN incomplete THEN class_size ELSE 0 END) AS BIGINT) AS incomplete
FROM classes
GROUP BY class_size
