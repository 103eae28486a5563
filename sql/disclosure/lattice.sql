-- lattice
-- All sets of a source's attributes, in the portions in which they are examined.
--
-- idea: the records are collapsed to their distinct combinations. A few attributes that distinguish least, the low
--   ones, are examined together: all sets of them are the bits of one number. Sets of the others, the high ones, are
--   examined one by one, and each shares its work among the sets of low attributes added to it.
-- source: our own
-- runs: finish
-- reads: combinations
-- makes: lattice_classes, lattice_groups, lattice_low, lattice_part, lattice_places, lattice_rows
--
-- parameter high: integers, the high attributes
-- parameter words: integer, words of high attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter ignore_missing: flag, a missing value reveals nothing
-- parameter uniques: column or none, the table of uniques on smaller sets, to examine the others; none counts records

-- name: lattice_rows
-- The combinations with the fields of the low attributes in a word of their own, and all others in further words.
--
-- takes: high, ignore_missing
-- parameter words: integers, the word of a combination that holds the field of each attribute
-- parameter shifts: integers, where in its word that field begins
-- parameter masks: integers, the bits of that field in its word
-- parameter low: integers, the low attributes
-- parameter places: integers, shift of the field of each in its word
-- parameter high_words: integers, the word that holds the field of each then
-- parameter high_places: integers, where it begins
CREATE OR REPLACE TEMP TABLE lattice_rows AS
SELECT
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS member,
    id,
    records,
{% if ignore_missing %}
    CAST(missing AS BIGINT) AS missing,
    CAST({% for position in low %}(((missing >> {{ position }}) & 1) << {{ loop.index0 }}) | {% endfor %}0 AS INTEGER)
        AS low_missing,
{% endif %}
    CAST({% for position in low %}(
        ((p{{ words[position] }} & {{ masks[position] }}) >> {{ shifts[position] }}) << {{ places[loop.index0] }})
        | {% endfor %}0 AS BIGINT) AS low
{% for word in range((high_words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if high_words[i] == word %}(
        ((p{{ words[high[i]] }} & {{ masks[high[i]] }}) >> {{ shifts[high[i]] }}) << {{ high_places[i] }})
        | {% endfor %}0 AS BIGINT) AS h{{ word }}
{% endfor %}
FROM combinations
ORDER BY h0, low

-- name: lattice_low
-- Lists the sets of low attributes, by number: the bit of each, its fields, and its number above all fields.
-- takes: low_bits
-- parameter positions: integers, the low attributes
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
CREATE OR REPLACE TEMP TABLE lattice_low AS
WITH listed AS (
    SELECT
        CAST(number AS INTEGER) AS number,
        BIT_COUNT(number) AS size,
        CAST({% for field in fields %}(
            CASE WHEN (number >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ field }} AS BIGINT) ELSE 0 END) | {% endfor %}0
            AS BIGINT) AS fields,
        CAST({% for position in positions %}(((number >> {{ loop.index0 }}) & 1) << {{ position }}) | {% endfor %}0
            AS BIGINT) AS mask
    FROM range({{ 2 ** (fields | length) }}) AS numbers (number)
)
SELECT
    number,
    CAST(size AS INTEGER) AS size,
    mask,
    fields,
    fields | ~CAST({{ 2 ** low_bits - 1 }} AS BIGINT) AS kept,
    CAST(number AS BIGINT) << {{ low_bits }} AS above,
    CAST(1 AS UBIGINT) << CAST(number AS UBIGINT) AS bit
FROM listed

-- name: lattice_part
-- Lists sets of high attributes to examine together, with the sets of low ones that need not be added.
-- takes: high
-- parameter sets: integers, the sets
-- parameter closed: integers, for each the sets of low attributes not to add, as bits
-- parameter words: integers, the word that holds the field of each
-- parameter masks: integers, the bits of that field
CREATE OR REPLACE TEMP TABLE lattice_part AS
WITH listed AS (
    SELECT
        UNNEST(range({{ sets | length }})) AS number,
        UNNEST(CAST({{ sets | literal }} AS BIGINT[])) AS high,
        UNNEST(CAST({{ closed | literal }} AS UBIGINT[])) AS closed
)
SELECT
    number,
    high,
    closed
{% for word in range((words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if words[i] == word %}(
        CASE WHEN (high >> {{ high[i] }}) & 1 = 1 THEN CAST({{ masks[i] }} AS BIGINT) ELSE 0 END) | {% endfor %}0
        AS BIGINT) AS f{{ word }}
{% endfor %}
FROM listed

-- name: lattice_groups
-- The distinct combinations on each set of high attributes with all low ones.
--
-- definition: "low" has the fields of the low attributes, and above them the number of the set of high ones; "id" is
--   the only person of a group; "shut" has the sets of low attributes that the group is not examined with: too large,
--   missing in it, or those on which it is known to be unique. A combination that is unique on a smaller set of high
--   attributes alone shares no class, and is left out.
--
-- takes: words, low_bits, ignore_missing, uniques
-- parameter by_user: flag, a person is a user, who can have several combinations
-- parameter with_low: flag, add low attributes; else the sets of high attributes are large enough
-- parameter without: integers, for each pattern of missing low attributes the sets that hold one, as bits
CREATE OR REPLACE TEMP TABLE lattice_groups AS
WITH placed AS (
    SELECT
        (part.number << {{ low_bits }}){% if with_low %} | rows.low{% endif %} AS low,
        rows.id,
        {% if uniques is none %}rows.records{% else %}rows.member, part.high{% endif %},
        part.closed{% if ignore_missing and with_low %}
            | CAST({{ without | literal }} AS UBIGINT[])[rows.low_missing + 1]{% endif %} AS closed
{% for word in range(words) %}
        , rows.h{{ word }} & part.f{{ word }} AS k{{ word }}
{% endfor %}
    FROM lattice_rows AS rows, lattice_part AS part
{% if ignore_missing %}
    WHERE (rows.missing & part.high) = 0
{% endif %}
)
SELECT
    placed.low,
{% for word in range(words) %}
    placed.k{{ word }},
{% endfor %}
{% if by_user %}
    CASE WHEN COUNT(placed.id) = COUNT(*) AND MIN(placed.id) = MAX(placed.id) THEN MIN(placed.id) END AS id,
{% elif uniques is not none %}
    CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(placed.id) END AS id,
{% endif %}
{% if uniques is none %}
    CAST(SUM(placed.records) AS BIGINT) AS records,
    ANY_VALUE(placed.closed) AS shut
FROM placed
{% else %}
    {% if by_user %}LIST(placed.member) AS members{% else %}ANY_VALUE(placed.member) AS member{% endif %},
    ANY_VALUE(COALESCE(known.bits, 0) | placed.closed) AS shut
FROM placed
LEFT JOIN {{ uniques | identifier }} AS known ON known.high = placed.high AND known.member = placed.member
WHERE known.bits IS NULL OR (known.bits & 1) = 0
{% endif %}
GROUP BY placed.low{% for word in range(words) %}, placed.k{{ word }}{% endfor %}

-- name: lattice_classes
-- The classes of each set of high attributes: their groups, and for uniques those of one person.
-- takes: words, low_bits, uniques
CREATE OR REPLACE TEMP TABLE lattice_classes AS
SELECT
    low >> {{ low_bits }} AS number{% for word in range(words) %}, k{{ word }}{% endfor %},
    ROW_NUMBER() OVER () AS class,
    COUNT(*) AS groups,
{% if uniques is none %}
    COUNT(*) = 1 AS alone
{% else %}
    COUNT(id) = COUNT(*) AND MIN(id) = MAX(id) AS alone,
    COUNT(id) AS live
{% endif %}
FROM lattice_groups
GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

-- name: lattice_places
-- The groups with their class, each with a number, ordered by class for comparison.
--
-- definition: in a small class every two groups are compared; in a large one its groups are counted for each set of
--   low attributes. Classes without possible uniques are left out.
--
-- takes: words, low_bits, uniques
-- parameter low_only: flag, the set has no high attributes: nobody is unique on these alone
-- parameter small: integer, the most groups of a small class
CREATE OR REPLACE TEMP TABLE lattice_places AS
SELECT
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS place,
    classes.number,
    classes.class,
    groups.* EXCLUDE (low{% for word in range(words) %}, k{{ word }}{% endfor %}),
    groups.low & {{ 2 ** low_bits - 1 }} AS low,
    {% if low_only %}FALSE{% else %}classes.alone{% endif %} AS alone,
    {% if uniques is not none %}NOT classes.alone AND {% endif %}classes.groups <= {{ small | literal }} AS small
FROM lattice_groups AS groups
JOIN lattice_classes AS classes ON classes.number = groups.low >> {{ low_bits }}
{% for word in range(words) %}
    AND classes.k{{ word }} = groups.k{{ word }}
{% endfor %}
{% if uniques is not none %}
WHERE classes.live > 0
{% endif %}
ORDER BY class
