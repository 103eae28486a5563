-- agreement
-- Agreement of records where a missing value agrees with every value, for each attribute set.
--
-- idea: records that agree with a third one need not agree with each other, so there are no classes to count once. For
--   each set the records that lack the same attributes are compared with those that lack the same others, by the
--   attributes that neither lacks.
-- source: our own
-- runs: finish
-- reads: lattice_rows
-- makes: agreeing_classes, agreeing_sizes
--
-- parameter columns: columns, the words with the fields of the attributes
-- parameter words: columns, the word of each attribute
-- parameter fields: integers, the bits of the field of each attribute in its word

-- name: agreeing_patterns
-- Counts the patterns of missing values.
SELECT COUNT(DISTINCT missing) AS patterns FROM lattice_rows

-- name: agreeing_classes
-- The classes of some attribute sets, a missing value being a value, with the missing attributes of each.
--
-- definition: "id" is the only person of a class, if there is one
--
-- takes: columns, words, fields
-- parameter sets: integers, the attribute sets
CREATE OR REPLACE TEMP TABLE agreeing_classes AS
WITH sets AS (
    SELECT
        mask
-- include: fields_of_set, mask: mask
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

-- name: agreeing_sizes
-- The records that agree with each class where a missing value agrees with all, and whether they are of one person.
--
-- definition: two records agree on a set where each of its attributes is equal in both or missing in either; a class
--   agrees with itself
--
-- takes: columns, words, fields
CREATE OR REPLACE TEMP TABLE agreeing_sizes AS
WITH patterns AS (
    SELECT DISTINCT mask, missing FROM agreeing_classes
),
pairs AS (
    SELECT
        mine.mask,
        mine.missing AS mine,
        theirs.missing AS theirs
-- include: fields_of_set, mask: mine.mask & ~(mine.missing | theirs.missing)
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
    GROUP BY pairs.mask, pairs.mine,
        pairs.theirs{% for column in columns %},
        classes.{{ column | identifier }} & pairs.{{ column | identifier }}{% endfor %}

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

-- name: agreeing_check
-- Finds agreeing combinations on an attribute set, a missing value agreeing with all, and where they differ.
-- takes: columns, words, fields
-- parameter mask: integer, the attribute set
-- parameter most: integer, largest number of pairs to examine
WITH patterns AS (
    SELECT DISTINCT missing & {{ mask }} AS missing FROM lattice_rows
),
pairs AS (
    SELECT
        mine.missing AS mine,
        theirs.missing AS theirs
-- include: fields_of_set, mask: CAST({{ mask | literal }} AS BIGINT) & ~(mine.missing | theirs.missing)
    FROM patterns AS mine
    JOIN patterns AS theirs ON mine.missing <= theirs.missing
),
-- include: agreeing_rows, side: mine
-- include: agreeing_rows, side: theirs
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
    CAST({% for word in words %}(
        CASE WHEN (xor(one.{{ word | identifier }}, other.{{ word | identifier }}) & {{ fields[loop.index0] }}) <> 0
        THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT)
        & ~(one.missing | other.missing) AS mask
FROM found
JOIN lattice_rows AS one ON one.member = found.one
JOIN lattice_rows AS other ON other.member = found.other
