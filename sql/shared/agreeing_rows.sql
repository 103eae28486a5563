-- agreeing_rows
-- One side of the pairs of rows that are compared over the attributes both have.

<side> AS (
    SELECT
        rows.member,
        rows.id,
        pairs.mine,
        pairs.theirs
{% for column in columns %}
        , rows.{{ column | identifier }} & pairs.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
    FROM lattice_rows AS rows
    JOIN pairs ON pairs.<side> = rows.missing & {{ mask | literal }}
),
