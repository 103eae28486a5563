-- attribute_sets
-- Distinction, separation and uniqueness of each small attribute set.
--
-- idea: sets of high attributes are examined by size; all sets of low ones are added to each as the bits of one
--   number. A class of one group on the high attributes is also one with all low ones, and is counted once. For sets
--   with many classes a sample is counted, picked by a hash of their values.
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007; the walk is our own
-- runs: finish
-- reads: agreeing_sizes, combinations, lattice_low, lattice_part, lattice_places
-- makes: set_figures, set_hashes, set_open, set_parts, set_small
--
-- parameter by_user: flag, a person is a user, who can have several combinations

-- name: attribute_sets
-- Distinction, separation and uniqueness of each small attribute set.
--
-- definition: records that agree on the set are a class: distinction is classes / records, separation the share of
--   the pairs of records in different classes; a record is singled out if its class has no other. Enumerates every
--   set of up to max_size of at most 20 attributes. `duckrisk assess` shares their work, samples, and supports users.
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: a distinction of 1 is a key; the sets of each size come with those first that single out most
-- instead: set_listed
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter max_size: integer, attributes of a set at most
--
-- column attributes: VARCHAR[], names, of the set
-- column classes: BIGINT, classes, of records that agree on the set
-- column distinction: DOUBLE, ratio, classes / records
-- column separation: DOUBLE, share of pairs, in different classes; NULL where there is one record
-- column singled_out: BIGINT, records, alone in their class
-- column share_singled_out: DOUBLE, share of records, singled_out / records
-- column smallest_class: BIGINT, records, in the smallest class
-- include: coded_combinations, record: 1
-- include: counted_sets
SELECT
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (counted.mask & attributes.bit) <> 0) AS attributes,
    classes,
    classes / records AS distinction,
    1 - (squares - records) / NULLIF(records * (records - 1), 0) AS separation,
    singled AS singled_out,
    singled / records AS share_singled_out,
    smallest AS smallest_class
FROM counted
ORDER BY BIT_COUNT(mask), singled DESC, classes DESC, mask

-- name: set_begin
-- Creates the table of the counts of each attribute set.
CREATE OR REPLACE TEMP TABLE set_parts (
    mask BIGINT, records HUGEINT, classes HUGEINT, singled HUGEINT, squares HUGEINT, smallest BIGINT
)

-- name: set_hashes
-- The combinations with a hash of each of their values, for samples of classes.
--
-- definition: the hash is 60 bits of the MD5 of the attribute's index and the value's text, so that it is the same
--   wherever it is computed, and equal values of two attributes have different ones
--
-- parameter tables: texts, the tables with the numbered values
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter masks: integers, the bits of each field in its word
CREATE OR REPLACE TEMP TABLE set_hashes AS
WITH
{% for table in tables %}
hashed{{ loop.index0 }} AS (
    SELECT code, CAST(md5_number('{{ loop.index0 }} ' || CAST(value AS VARCHAR)) & 1152921504606846975 AS BIGINT) AS h
    FROM {{ table | identifier }}
){{ loop | between }}
{% endfor %}
SELECT
    CAST(rows.records AS INTEGER) AS records
{% for word in range(words | max + 1) %}
    , rows.p{{ word }}
{% endfor %}
{% for table in tables %}
    , COALESCE(hashed{{ loop.index0 }}.h, CAST(md5_number('{{ loop.index0 }}') & 1152921504606846975 AS BIGINT))
        AS h{{ loop.index0 }}
{% endfor %}
FROM combinations AS rows
{% for table in tables %}
LEFT JOIN hashed{{ loop.index0 }}
    ON hashed{{ loop.index0 }}.code = (rows.p{{ words[loop.index0] }} & {{ masks[loop.index0] }})
    >> {{ shifts[loop.index0] }}
{% endfor %}

-- name: set_sampled
-- Counts a sample of the classes of one attribute set, picked by a hash of their values.
--
-- definition: a class is picked with all its records or not at all, so counts are exact for the picked classes. The
--   hashes of the values are combined by exclusive or: they depend on the attribute, so they do not cancel, and any
--   two classes are picked independently
--
-- parameter mask: integer, the set
-- parameter positions: integers, its attributes
-- parameter words: integers, the words that hold their fields
-- parameter fields: integers, the bits of these fields, word by word
-- parameter one_in: integer, one class in this many is picked, a power of two
INSERT INTO set_parts BY NAME
WITH picked AS (
    SELECT records{% for word in words %}, p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% endfor %}

    FROM set_hashes
    WHERE ({% for position in positions[1:] %}xor({% endfor %}h{{ positions[0] }}{% for position in positions[1:] %},
        h{{ position }}){% endfor %} & {{ one_in - 1 }}) = 0
),
classes AS (
    SELECT SUM(records) AS records
    FROM picked
    GROUP BY {{ words | each("k{x}") }}

)
SELECT {{ mask | literal }} AS mask, COUNT(*) AS classes, COUNT(CASE WHEN records = 1 THEN 1 END) AS singled
FROM classes

-- name: agreeing_counted
-- Counts the records that some attribute sets single out, where a missing value agrees with all.
--
-- definition: classes overlap, so that there is no number of them; "squares" are the ordered pairs of records that
--   agree, each with itself too
INSERT INTO set_parts
SELECT
    mask,
    SUM(records) AS records,
    NULL AS classes,
    COUNT(DISTINCT CASE WHEN alone THEN id END) AS singled,
    SUM(CAST(records AS HUGEINT) * agreeing) AS squares,
    MIN(agreeing) AS smallest
FROM agreeing_sizes
GROUP BY mask

-- name: set_small
-- Counts the classes of sets of high attributes with low ones, in the small classes of the high ones.
--
-- definition: a group is alone on a set of low attributes that contains, for each other group of its class, an
--   attribute in which the two differ. It is the first of a class if this holds for each previous group; the number
--   of first groups is the number of classes
-- read: where nobody is singled out the smallest class is not known from pairs of groups, and the set is left out
-- missing: where it reveals nothing, a missing value differs from all
--
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
-- parameter holding: integers, the sets that hold each low attribute, as bits
-- parameter ignore_missing: flag, a missing value reveals nothing
CREATE OR REPLACE TEMP TABLE set_small AS
WITH small AS NOT MATERIALIZED (
    SELECT * FROM lattice_places WHERE small
),
pairs AS MATERIALIZED (
    SELECT
        one.number, one.place, other.place AS earlier, one.records * other.records AS pairs,
-- include: sets_that_differ
            AS apart
    FROM small AS one
    JOIN small AS other ON other.class = one.class AND other.place < one.place
    WHERE NOT one.alone AND NOT other.alone
),
settled AS (
    SELECT place, BIT_AND(apart) AS alone, BIT_AND(before) AS first
    FROM (
        SELECT place, apart, apart AS before FROM pairs
        UNION ALL
        SELECT earlier AS place, apart, NULL AS before FROM pairs
    ) AS either
    GROUP BY place
),
alike AS (
    SELECT number, apart, SUM(pairs) AS pairs
    FROM pairs
    GROUP BY number, apart
),
agreeing AS (
    SELECT alike.number, low.number AS low, SUM(alike.pairs) AS pairs
    FROM alike
    JOIN lattice_low AS low ON (alike.apart & low.bit) = 0
    GROUP BY alike.number, low.number
),
-- Many groups have the same bits; a group without comparisons has no row in "settled" and is alone, and first.
patterns AS (
    SELECT
        small.number,
        small.shut,
        CASE WHEN small.records = 1 THEN COALESCE(settled.alone, ~CAST(0 AS UBIGINT)) ELSE CAST(0 AS UBIGINT) END
            AS alone,
        COALESCE(settled.first, ~CAST(0 AS UBIGINT)) AS first,
        COUNT(*) AS groups,
        SUM(small.records) AS records,
        SUM(CAST(small.records AS HUGEINT) * small.records) AS squares
    FROM small
    LEFT JOIN settled ON settled.place = small.place
    GROUP BY ALL
),
counted AS (
    SELECT
        patterns.number,
        low.number AS low,
        ANY_VALUE(low.bit) AS bit,
        SUM(patterns.records) AS records,
        SUM(CASE WHEN (patterns.first & low.bit) <> 0 THEN patterns.groups ELSE 0 END) AS classes,
        SUM(CASE WHEN (patterns.alone & low.bit) <> 0 THEN patterns.groups ELSE 0 END) AS singled,
        SUM(patterns.squares) AS squares
    FROM patterns
    JOIN lattice_low AS low ON (patterns.shut & low.bit) = 0
    GROUP BY patterns.number, low.number
)
SELECT
    counted.number, counted.low, counted.bit, counted.records, counted.classes, counted.singled,
    counted.squares + 2 * COALESCE(agreeing.pairs, 0) AS squares
FROM counted
LEFT JOIN agreeing ON agreeing.number = counted.number AND agreeing.low = counted.low
WHERE counted.singled > 0

-- name: set_open
-- The groups left to be counted, and the sets of low attributes that each does not count with.
--
-- definition: the key "k" has the fields of the low attributes, above them room for the number of a set of these,
--   then the class and the number of the set of high ones
--
-- takes: by_user
-- parameter shift: integer, bits of a set of low attributes and its fields
-- parameter class_bits: integer, bits of the number of a class
-- parameter sets: integer, number of sets of low attributes
CREATE OR REPLACE TEMP TABLE set_open AS
WITH counted AS (
    SELECT number, BIT_OR(bit) AS bits
    FROM set_small
    GROUP BY number
)
SELECT *
FROM (
    SELECT
        (((places.number << {{ class_bits }}) | places.class) << {{ shift }}) | places.low AS k,
{% if by_user %}
        places.id,
{% endif %}
        places.records,
        places.shut | CASE WHEN places.small THEN COALESCE(counted.bits, 0) ELSE 0 END AS shut
    FROM lattice_places AS places
    LEFT JOIN counted ON counted.number = places.number
) AS left_over
WHERE shut <> {{ 2 ** sets - 1 }}

-- name: set_counted_small
-- Adds the counts of small classes.
INSERT INTO set_parts
SELECT
    part.high | low.mask AS mask,
    counted.records, counted.classes, counted.singled, counted.squares, 1 AS smallest
FROM set_small AS counted
JOIN lattice_part AS part ON part.number = counted.number
JOIN lattice_low AS low ON low.number = counted.low

-- name: set_large
-- Counts the classes of sets of high attributes with some of the sets of low ones.
-- takes: by_user
-- parameter low: integers, the sets of low attributes
-- parameter low_bits: integer, bits of the word of low attributes
-- parameter sets: integer, number of sets of low attributes
-- parameter above: integer, bits below the number of a set of high attributes
INSERT INTO set_parts
WITH keyed AS (
    SELECT
        (open.k & low.kept) | low.above AS k,
{% if by_user %}
        open.id,
{% endif %}
        CAST(open.records AS DOUBLE) AS records
    FROM set_open AS open, lattice_low AS low
    WHERE low.number IN {{ low | literal }}
        AND (open.shut & low.bit) = 0
),
classes AS (
    SELECT
        k,
{% if by_user %}
        CASE WHEN COUNT(id) = COUNT(*) AND MIN(id) = MAX(id) THEN MIN(id) END AS id,
{% endif %}
        CAST(SUM(records) AS BIGINT) AS records
    FROM keyed
    GROUP BY k
),
counted AS (
    SELECT
        k >> {{ above }} AS number,
        (k >> {{ low_bits }}) & {{ sets - 1 }} AS low,
        SUM(records) AS records,
        COUNT(*) AS classes,
        {% if by_user %}COUNT(DISTINCT id){% else %}COUNT(CASE WHEN records = 1 THEN 1 END){% endif %} AS singled,
        SUM(CAST(records AS HUGEINT) * records) AS squares,
        MIN(records) AS smallest
    FROM classes
    GROUP BY ALL
)
SELECT
    part.high | low.mask AS mask,
    counted.records, counted.classes, counted.singled, counted.squares, counted.smallest
FROM counted
JOIN lattice_part AS part ON part.number = counted.number
JOIN lattice_low AS low ON low.number = counted.low

-- name: set_forget
-- Removes the counts of sets of high attributes, with all sets of low ones.
-- parameter high: integer, the high attributes as bits
-- parameter sets: integers, the sets
DELETE FROM set_parts
WHERE (mask & {{ high }}) IN {{ sets | literal }}

-- name: set_figures
-- Distinction, separation and uniqueness of each examined attribute set.
--
-- definition: of n records with all attributes of the set, n_c are in class c: distinction is classes / n; separation
--   the share of the n (n - 1) / 2 pairs in different classes; singled out are the records, or in a history the
--   users, with a class of their own
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007
--
-- parameter persons: integer, number of all persons
-- parameter one_in: integer, count the classes of one hash value in this many; 1 counts all
CREATE OR REPLACE TEMP TABLE set_figures AS
WITH summed AS (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        CAST(SUM(classes) AS DOUBLE) AS classes,
        CAST(SUM(singled) AS DOUBLE) AS singled,
        CAST(SUM(squares) AS DOUBLE) AS squares,
        MIN(smallest) AS smallest
    FROM set_parts
    GROUP BY mask
)
SELECT
    mask,
    BIT_COUNT(mask) AS size,
    CAST(classes * {{ one_in }} AS BIGINT) AS classes,
    classes * {{ one_in }} / NULLIF({% if one_in > 1 %}{{ persons }}{% else %}records{% endif %}, 0) AS distinction,
{% if one_in > 1 %}
    CAST(NULL AS DOUBLE) AS separation,
{% else %}
    1 - (squares - records) / NULLIF(records * (records - 1), 0) AS separation,
{% endif %}
    CAST(singled * {{ one_in }} AS BIGINT) AS singled_out,
    LEAST(1, singled * {{ one_in }} / NULLIF({{ persons }}, 0)) AS share_singled_out,
{% if one_in > 1 %}
    LEAST(1, GREATEST(0, (singled - 1.959963984540054 * SQRT(singled * (1 - 1 / {{ one_in }}) + 1)) * {{ one_in }}
        / {{ persons }})) AS lower,
    LEAST(1, (singled + 1.959963984540054 * SQRT(singled * (1 - 1 / {{ one_in }}) + 1) + 1) * {{ one_in }}
        / {{ persons }}) AS upper,
    CAST(NULL AS BIGINT) AS smallest_class
{% else %}
    CAST(NULL AS DOUBLE) AS lower,
    CAST(NULL AS DOUBLE) AS upper,
    smallest AS smallest_class
{% endif %}
FROM summed

-- name: set_implied
-- Adds the sets with an attribute and another that it determines: their figures equal those without the latter.
--
-- definition: where values correspond one to one to those of another attribute, a set has the figures of the set with
--   that attribute
--
-- parameter attributes: integer, number of attributes
-- parameter size: integer, attributes of a set at most
-- parameter pairs: integers, pairs of attributes; the first determines the second
-- parameter twins: integers, pairs of a skipped attribute and the one that it corresponds to one to one
INSERT INTO set_figures BY NAME
WITH kept0 AS (
    SELECT
        mask,
        (mask{% for twin, other in twins %} & ~{{ 2 ** twin }}{% endfor %}){% for twin, other in twins %}
            | (((mask >> {{ twin }}) & 1) << {{ other }}){% endfor %} AS kept
    FROM RANGE(1, {{ 2 ** attributes }}) AS sets (mask)
    WHERE BIT_COUNT(mask) <= {{ size | literal }}
)
{% for first, second in pairs %}
, kept{{ loop.index }} AS (
    SELECT mask,
        CASE WHEN ((kept >> {{ first }}) & (kept >> {{ second }}) & 1) = 1 THEN kept - {{ 2 ** second }}
        ELSE kept END AS kept
    FROM kept{{ loop.index0 }}
)
{% endfor %}
SELECT figures.* REPLACE (wanted.mask AS mask, BIT_COUNT(wanted.mask) AS size)
FROM kept{{ pairs | length }} AS wanted
JOIN set_figures AS figures ON figures.mask = wanted.kept
WHERE wanted.kept <> wanted.mask

-- name: set_listed
-- The attribute sets ordered by size, then by the number of records singled out.
-- parameter most: integer, largest number of sets to list
-- parameter best_only: flag, list only the best set of each size
WITH ranked AS (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY size ORDER BY singled_out DESC, classes DESC, mask) AS place,
        COUNT(*) OVER ({% if best_only %}PARTITION BY size{% endif %}) AS total,
        COUNT(*) OVER ({% if best_only %}PARTITION BY size {% endif %}ORDER BY size, singled_out DESC, classes DESC)
            AS reached
    FROM set_figures
)
SELECT mask, size, classes, distinction, separation, singled_out, share_singled_out, lower, upper, smallest_class,
    total, reached
FROM ranked
{% if best_only %}
WHERE place = 1
{% endif %}
ORDER BY size, place
LIMIT {{ most | literal }}
