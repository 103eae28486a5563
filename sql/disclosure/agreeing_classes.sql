-- agreeing_classes
-- The classes of some attribute sets, a missing cell being a value, each with the attributes that it lacks.
--
-- definition: "id" is the person whom alone a class belongs to
-- portable: no
--
-- parameter sets: integers, the attribute sets
-- parameter columns: columns, the words with the fields of the attributes
-- parameter words: columns, the word of each attribute
-- parameter fields: integers, the bits of the field of each attribute in its word
CREATE OR REPLACE TEMP TABLE agreeing_classes AS
WITH sets AS (
    SELECT
        mask
{% for column in columns %}
        , CAST({% for word in words %}{% if word == column %}(CASE WHEN ((mask) >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ fields[loop.index0] }} AS BIGINT) ELSE 0 END) | {% endif %}{% endfor %}0 AS BIGINT) AS {{ column | identifier }}
{% endfor %}
    FROM (SELECT UNNEST(CAST({{ sets | literal }} AS BIGINT[])) AS mask) AS listed
),
placed AS (
    SELECT
        sets.mask,
        rows.missing & sets.mask AS missing,
        rows.member,
        rows.id,
        rows.records
{% for column in columns %}
        , rows.{{ column | identifier }} & sets.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
    FROM lattice_rows AS rows, sets
)
SELECT
    mask,
    missing{% for column in columns %}, {{ column | identifier }}{% endfor %},
    ROW_NUMBER() OVER () AS class,
    CASE WHEN COUNT(id) = COUNT(*) AND MIN(id) = MAX(id) THEN MIN(id) END AS id,
    LIST(member) AS members,
    CAST(SUM(records) AS BIGINT) AS records
FROM placed
GROUP BY mask, missing{% for column in columns %}, {{ column | identifier }}{% endfor %}

