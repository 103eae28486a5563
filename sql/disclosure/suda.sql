-- suda
-- Special uniques by level: the minimal attribute sets on which a record is unique.
--
-- idea: sets of high attributes are examined by size. A record that is unique on a smaller set need not be examined
--   on a larger one and shares no class there, so fewer and fewer records take part; sets of low attributes are added
--   to each, as the bits of one number. Where a missing value agrees with all, agreeing_uniques examines the sets.
-- source: Elliot, Manning and Ford, 2002; Elliot, 2002, as in sdcMicro; the walk is our own
-- runs: finish
-- reads: agreeing_sizes, lattice_low, lattice_part, lattice_places, lattice_rows
-- makes: suda_found, suda_known, suda_new, suda_uniques
--
-- parameter by_user: flag, a person is a user, who can have several combinations
-- parameter ignore_missing: flag, a missing value reveals nothing
-- parameter lacking: integers, the sets that lack each low attribute, as bits

-- name: suda
-- Special uniques: for each record that is unique on a small attribute set, its score and the smallest such set.
--
-- definition: a minimal unique is a minimal attribute set on which no other record has the same values; one of s of m
--   attributes scores (m - s) (m - s - 1) ... (m - M), with M = max_size, at most m - 1; the score of a record is the
--   sum. With U records unique on all attributes, P in classes of two, the fraction d, Q = 1 + (8 - m) / 20, D = U d
--   / (U d + P (1 - d)) and A = the sum of score ^ -Q, dis = 1 / (1 + (U / D - U) / (score ^ Q A)). Enumerates every
--   set of up to max_size of at most 20 attributes. `duckrisk assess` prunes the search and also supports users.
-- source: Elliot, Manning and Ford, 2002; Elliot, 2002, as in sdcMicro
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: a high score means that few attributes are enough, or many sets of them; dis is the chance that a match of
--   the record with the population is right
-- instead: suda_totals, suda_records
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter max_size: integer, attributes of a set at most
-- parameter sampling_fraction: number, the share of the population that the records are
--
-- column record: BIGINT, number, of the record in the order of the source
-- column score: BIGINT, score, 1 or more
-- column dis: DOUBLE, probability, by data intrusion simulation
-- column minimal_uniques: BIGINT, sets, minimal uniques of the record
-- column attributes: VARCHAR[], names, its smallest minimal unique; of several the first as a binary number
-- include: coded_combinations, record: ROW_NUMBER() OVER ()
uniques AS MATERIALIZED (
    SELECT mask, ANY_VALUE(record) AS record
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask{% for column in columns %},
        CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

    HAVING COUNT(*) = 1 AND COUNT(record) = 1
),
larger AS (
    SELECT DISTINCT uniques.record, uniques.mask | attributes.bit AS mask
    FROM uniques
    JOIN attributes ON (uniques.mask & attributes.bit) = 0
),
weights AS (
    SELECT
        size,
        LIST_REDUCE(
            LIST_PREPEND(
                CAST(1 AS HUGEINT),
                [CAST({{ columns | length }} - one AS HUGEINT) FOR one
                IN RANGE(size, LEAST({{ max_size | literal }}, {{ columns | length }} - 1) + 1)]),
            lambda product, factor: product * factor
        ) AS weight
    FROM (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS size) AS numbers
),
scores AS MATERIALIZED (
    SELECT
        minimal.record,
        CAST(SUM(weights.weight) AS BIGINT) AS score,
        COUNT(*) AS minimal_uniques,
        ARG_MIN(minimal.mask, (BIT_COUNT(minimal.mask), minimal.mask)) AS mask
    FROM (
        SELECT uniques.record, uniques.mask
        FROM uniques
        WHERE NOT EXISTS (SELECT 1 FROM larger WHERE larger.record = uniques.record AND larger.mask = uniques.mask)
    ) AS minimal
    JOIN weights ON weights.size = BIT_COUNT(minimal.mask)
    GROUP BY minimal.record
),
weighed AS (
    SELECT score, COUNT(*) AS n, POWER(CAST(score AS DOUBLE), 1 + (8 - {{ columns | length }}) / 20) AS weight
    FROM scores
    GROUP BY score
),
totals AS (
    SELECT
        alone,
        alone * {{ sampling_fraction | literal }}
            / (alone * {{ sampling_fraction | literal }} + paired * (1 - {{ sampling_fraction | literal }})) AS matched,
        (SELECT SUM(n / weight ORDER BY score) FROM weighed) AS spread
    FROM (
        SELECT
            CAST(COUNT(CASE WHEN records = 1 THEN 1 END) AS DOUBLE) AS alone,
            CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS DOUBLE) AS paired
        FROM combinations
    ) AS counted
)
SELECT
    scores.record,
    scores.score,
    1 / (1 + (totals.alone / totals.matched - totals.alone) / (weighed.weight * totals.spread)) AS dis,
    scores.minimal_uniques,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (scores.mask & attributes.bit) <> 0) AS attributes
FROM scores
JOIN weighed ON weighed.score = scores.score
CROSS JOIN totals
ORDER BY scores.score DESC, scores.record

-- name: suda_begin
-- Creates the table of minimal uniques.
CREATE OR REPLACE TEMP TABLE suda_uniques (member INTEGER, mask BIGINT)

-- name: agreeing_uniques
-- Adds the minimal uniques among some attribute sets of one size, where a missing value agrees with all.
INSERT INTO suda_uniques
WITH alone AS (
    SELECT UNNEST(members) AS member, mask
    FROM agreeing_sizes
    WHERE alone
)
SELECT alone.member, alone.mask
FROM alone
WHERE NOT EXISTS (
    SELECT 1
    FROM suda_uniques AS smaller
    WHERE smaller.member = alone.member AND (smaller.mask & alone.mask) = smaller.mask
)

-- name: suda_tables
-- Creates a table of uniques by combination and set of high attributes, with the sets of low ones as bits.
-- parameter table: column, its name
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (high BIGINT, member INTEGER, bits UBIGINT)

-- name: suda_known
-- The uniques on smaller sets of high attributes, which are uniques on the larger ones.
-- parameter bits: integers, the bit of each high attribute
-- parameter before: column, the table of uniques with one attribute less
-- parameter high_only: flag, list only uniques without low attributes
CREATE OR REPLACE TEMP TABLE suda_known AS
WITH smaller AS (
    SELECT part.high, part.high & ~attributes.bit AS before
    FROM lattice_part AS part
    JOIN (SELECT UNNEST(CAST({{ bits | literal }} AS BIGINT[])) AS bit) AS attributes
        ON (part.high & attributes.bit) <> 0
)
SELECT smaller.high, earlier.member, BIT_OR(earlier.bits) AS bits
FROM {{ before | identifier }} AS earlier
JOIN smaller ON smaller.before = earlier.high
{% if high_only %}
WHERE (earlier.bits & 1) = 1
{% endif %}
GROUP BY smaller.high, earlier.member

-- name: suda_last
-- Adds the minimal uniques of sets of high attributes of the largest size.
--
-- definition: no low attribute is added, so a unique is minimal unless known from a smaller set
--
-- takes: by_user, ignore_missing
-- parameter words: integer, words of high attributes
INSERT INTO suda_uniques
WITH single AS (
    SELECT part.number, {% if by_user %}UNNEST(LIST(rows.member)){% else %}ANY_VALUE(rows.member){% endif %} AS member
    FROM lattice_rows AS rows, lattice_part AS part
{% if ignore_missing %}
    WHERE (rows.missing & part.high) = 0
{% endif %}
    GROUP BY part.number{% for word in range(words) %}, rows.h{{ word }} & part.f{{ word }}{% endfor %}

    HAVING {% if by_user %}COUNT(rows.id) = COUNT(*) AND MIN(rows.id) = MAX(rows.id){% else %}COUNT(*) = 1
        AND COUNT(rows.id) = 1{% endif %}

)
SELECT single.member, part.high AS mask
FROM single
JOIN lattice_part AS part ON part.number = single.number
LEFT JOIN suda_known AS known ON known.high = part.high AND known.member = single.member
WHERE known.bits IS NULL OR (known.bits & 1) = 0

-- name: suda_small
-- Creates the list of uniques on a set of high attributes: alone, or with sets of low ones in a small class.
--
-- definition: a group is unique on a set of low attributes that holds, for each other group of its class, one
--   attribute in which the two differ; the sets that hold an attribute are constant bits
-- missing: where it reveals nothing, a missing value differs from all
--
-- takes: by_user, ignore_missing
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
-- parameter holding: integers, the sets that hold each low attribute, as bits
CREATE OR REPLACE TEMP TABLE suda_found AS
SELECT place, CAST(1 AS UBIGINT) AS bits
FROM lattice_places
WHERE alone
UNION ALL
SELECT
    one.place,
    BIT_AND(
-- include: sets_that_differ
    ) & ~one.shut AS bits
FROM lattice_places AS one
JOIN lattice_places AS other ON other.class = one.class
    AND {% if by_user %}(other.id IS DISTINCT FROM one.id){% else %}other.place <> one.place{% endif %}

WHERE one.small AND other.small AND one.id IS NOT NULL
GROUP BY one.place, one.shut
HAVING bits <> 0

-- name: suda_count
-- Counts the groups in large classes.
SELECT COUNT(*) AS large FROM lattice_places WHERE NOT alone AND NOT small

-- name: suda_large
-- Adds the uniques on a set of high attributes with some of the sets of low ones, in large classes.
-- takes: by_user
-- parameter low: integers, the sets of low attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter sets: integer, number of sets of low attributes
-- parameter shift: integer, bits of a set of low attributes and its fields
INSERT INTO suda_found
WITH keyed AS (
    SELECT
        places.place,
        places.id,
        ((places.class << {{ shift }}) | (places.low & low.fields)) | low.above AS k
    FROM lattice_places AS places, lattice_low AS low
    WHERE NOT places.alone AND NOT places.small
        AND low.number IN {{ low | literal }}
        AND (places.shut & low.bit) = 0
),
single AS (
    SELECT
        {% if by_user %}UNNEST(LIST(place)){% else %}ANY_VALUE(place){% endif %} AS place,
        (k >> {{ low_bits }}) & {{ sets - 1 }} AS number
    FROM keyed
    GROUP BY k
    HAVING {% if by_user %}COUNT(id) = COUNT(*) AND MIN(id) = MAX(id){% else %}COUNT(*) = 1
        AND COUNT(id) = 1{% endif %}

)
SELECT single.place, BIT_OR(low.bit) AS bits
FROM single
JOIN lattice_low AS low ON low.number = single.number
GROUP BY single.place

-- name: suda_new
-- The uniques found, by combination.
-- takes: by_user
CREATE OR REPLACE TEMP TABLE suda_new AS
WITH found AS (
    SELECT place, BIT_OR(bits) AS bits
    FROM suda_found
    GROUP BY place
)
SELECT part.high, {% if by_user %}UNNEST(places.members){% else %}places.member{% endif %} AS member, found.bits
FROM found
JOIN lattice_places AS places ON places.place = found.place
JOIN lattice_part AS part ON part.number = places.number

-- name: suda_minimal
-- Adds the minimal ones of the uniques found, a row for each combination and set.
--
-- definition: uniques on a smaller set of high attributes were not searched for, so only the sets with one low
--   attribute less are compared
--
-- takes: lacking
INSERT INTO suda_uniques
WITH minimal AS (
    SELECT
        high, member,
        bits & ~({% for sets in lacking %}((bits & {{ sets }}) << {{ 2 ** loop.index0 }})
            | {% endfor %}CAST(0 AS UBIGINT)) AS bits
    FROM suda_new
)
SELECT minimal.member, minimal.high | low.mask AS mask
FROM minimal
JOIN lattice_low AS low ON (minimal.bits & low.bit) <> 0
WHERE minimal.bits <> 0

-- name: suda_next
-- Adds the uniques on these sets of high attributes, for the larger sets.
-- takes: lacking
-- parameter after: column, the table of uniques on sets of this size
INSERT INTO {{ after | identifier }}
WITH b AS (
    SELECT high, member, bits FROM suda_new
)
{% for sets in lacking %}
, b{{ loop.index0 }} AS (
    SELECT high, member, bits | ((bits & {{ sets }}) << {{ 2 ** loop.index0 }}) AS bits
    FROM {% if loop.first %}b{% else %}b{{ loop.index0 - 1 }}{% endif %}

)
{% endfor %}
SELECT high, member, bits FROM suda_known
UNION ALL
SELECT high, member, bits FROM b{% if lacking %}{{ lacking | length - 1 }}{% endif %}

-- name: suda_twins
-- Adds the minimal uniques with a skipped attribute that corresponds one to one to another attribute.
-- parameter twin: integer, the bit of the attribute
-- parameter other: integer, the bit of the other
INSERT INTO suda_uniques
SELECT member, (mask - {{ other }}) + {{ twin }} AS mask
FROM suda_uniques
WHERE (mask & {{ other }}) <> 0
