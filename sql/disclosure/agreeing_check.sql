-- agreeing_check
-- Looks for combinations that agree on an attribute set where a missing cell agrees with all, and in which attributes these differ.
--
-- portable: no
--
-- parameter mask: integer, the attribute set
-- parameter columns: columns, the words with the fields of the attributes
-- parameter words: columns, the word of each attribute
-- parameter fields: integers, the bits of the field of each attribute in its word
-- parameter most: integer, look at so many pairs at most
WITH patterns AS (
    SELECT DISTINCT missing & {{ mask }} AS missing FROM lattice_rows
),
pairs AS (
    SELECT
        mine.missing AS mine,
        theirs.missing AS theirs
{% for column in columns %}
        , CAST({% for word in words %}{% if word == column %}(CASE WHEN ((CAST({{ mask | literal }} AS BIGINT) & ~(mine.missing | theirs.missing)) >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ fields[loop.index0] }} AS BIGINT) ELSE 0 END) | {% endif %}{% endfor %}0 AS BIGINT) AS {{ column | identifier }}
{% endfor %}
    FROM patterns AS mine
    JOIN patterns AS theirs ON mine.missing <= theirs.missing
),
mine AS (
    SELECT
        rows.member,
        rows.id,
        pairs.mine,
        pairs.theirs
{% for column in columns %}
        , rows.{{ column | identifier }} & pairs.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
    FROM lattice_rows AS rows
    JOIN pairs ON pairs.mine = rows.missing & {{ mask | literal }}
),
theirs AS (
    SELECT
        rows.member,
        rows.id,
        pairs.mine,
        pairs.theirs
{% for column in columns %}
        , rows.{{ column | identifier }} & pairs.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
    FROM lattice_rows AS rows
    JOIN pairs ON pairs.theirs = rows.missing & {{ mask | literal }}
),
found AS (
    SELECT mine.member AS one, theirs.member AS other
    FROM mine
    JOIN theirs
        ON theirs.mine = mine.mine AND theirs.theirs = mine.theirs
{% for column in columns %}
        AND theirs.{{ column | identifier }} = mine.{{ column | identifier }}
{% endfor %}
    WHERE theirs.id <> mine.id
    LIMIT {{ most | literal }}
)
SELECT DISTINCT
    CAST({% for word in words %}(CASE WHEN (xor(one.{{ word | identifier }}, other.{{ word | identifier }}) & {{ fields[loop.index0] }}) <> 0 THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT) & ~(one.missing | other.missing) AS mask
FROM found
JOIN lattice_rows AS one ON one.member = found.one
JOIN lattice_rows AS other ON other.member = found.other
