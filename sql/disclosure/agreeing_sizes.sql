-- agreeing_sizes
-- How many records agree with each class where a missing cell agrees with all, and whether these are one person's.
--
-- definition: two records agree on a set where each of its attributes is equal in both or missing in either; a class agrees
--   with itself
-- portable: no
--
-- parameter columns: columns, the words with the fields of the attributes
-- parameter words: columns, the word of each attribute
-- parameter fields: integers, the bits of the field of each attribute in its word
CREATE OR REPLACE TEMP TABLE agreeing_sizes AS
WITH patterns AS (
    SELECT DISTINCT mask, missing FROM agreeing_classes
),
pairs AS (
    SELECT
        mine.mask,
        mine.missing AS mine,
        theirs.missing AS theirs
{% for column in columns %}
        , CAST({% for word in words %}{% if word == column %}(CASE WHEN ((mine.mask & ~(mine.missing | theirs.missing)) >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ fields[loop.index0] }} AS BIGINT) ELSE 0 END) | {% endif %}{% endfor %}0 AS BIGINT) AS {{ column | identifier }}
{% endfor %}
    FROM patterns AS mine
    JOIN patterns AS theirs ON theirs.mask = mine.mask
),
theirs AS (
    SELECT
        pairs.mask,
        pairs.mine,
        pairs.theirs
{% for column in columns %}
        , classes.{{ column | identifier }} & pairs.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
        , CASE WHEN COUNT(classes.id) = COUNT(*) AND MIN(classes.id) = MAX(classes.id) THEN MIN(classes.id) END AS id,
        SUM(classes.records) AS records
    FROM agreeing_classes AS classes
    JOIN pairs ON pairs.mask = classes.mask AND pairs.theirs = classes.missing
    GROUP BY pairs.mask, pairs.mine, pairs.theirs{% for column in columns %}, classes.{{ column | identifier }} & pairs.{{ column | identifier }}{% endfor %}

),
mine AS (
    SELECT
        classes.class,
        pairs.mask,
        pairs.mine,
        pairs.theirs
{% for column in columns %}
        , classes.{{ column | identifier }} & pairs.{{ column | identifier }} AS {{ column | identifier }}
{% endfor %}
    FROM agreeing_classes AS classes
    JOIN pairs ON pairs.mask = classes.mask AND pairs.mine = classes.missing
),
sizes AS (
    SELECT
        mine.class,
        CAST(SUM(theirs.records) AS BIGINT) AS agreeing,
        COUNT(theirs.id) = COUNT(*) AND MIN(theirs.id) = MAX(theirs.id) AS alone
    FROM mine
    JOIN theirs
        ON theirs.mask = mine.mask AND theirs.mine = mine.mine AND theirs.theirs = mine.theirs
{% for column in columns %}
        AND theirs.{{ column | identifier }} = mine.{{ column | identifier }}
{% endfor %}
    GROUP BY mine.class
)
SELECT classes.mask, classes.members, classes.id, classes.records, sizes.agreeing, sizes.alone
FROM agreeing_classes AS classes
JOIN sizes ON sizes.class = classes.class
