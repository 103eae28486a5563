-- minimal_keys
-- The smallest attribute sets that identify: keys, sets that single out a share of records, sets with a small class.
--
-- idea: a set is a key if it contains, for every two records, an attribute in which they differ. The smallest sets
--   that hit all known differences are tried; records that one of them does not distinguish are a further difference.
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007; the walk is our own
-- runs: finish
-- reads: agreeing_sizes, combinations, set_figures

-- name: minimal_keys
-- The smallest attribute sets that identify: keys, sets singling out a share of records, sets with a small class.
--
-- definition: each set is listed that reaches it while no set within it does: all records have a class of their own
--   (a key); a share of them has; the smallest class is below k. It examines all sets of up to max_size of at most 20
--   attributes, one by one, and so finds no larger key; duckrisk assess finds keys of any size, and users.
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: the attributes of a key identify every record; a table with two equal records has no key
-- instead: set_listed, key_check
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter max_size: integer, attributes of a set at most
-- parameter share: number, of the records that are singled out at least
-- parameter k: integer, a smaller class is too small
--
-- column kind: VARCHAR, name, key, singles_out or below_k
-- column attributes: VARCHAR[], names, of the set
-- column singled_out: BIGINT, records, alone in their class
-- column share_singled_out: DOUBLE, share of records, singled_out / records
-- column smallest_class: BIGINT, records, in the smallest class
-- include: coded_combinations, record: 1
-- include: counted_sets
, reached AS MATERIALIZED (
    SELECT 1 AS place, 'key' AS kind, mask FROM counted WHERE singled = records
    UNION ALL
    SELECT 2, 'singles_out', mask FROM counted WHERE singled / records >= {{ share | literal }}
    UNION ALL
    SELECT 3, 'below_k', mask FROM counted WHERE smallest < {{ k | literal }}
),
larger AS (
    SELECT DISTINCT reached.place, reached.mask | attributes.bit AS mask
    FROM reached
    JOIN attributes ON (reached.mask & attributes.bit) = 0
)
SELECT
    reached.kind,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (counted.mask & attributes.bit) <> 0) AS attributes,
    counted.singled AS singled_out,
    counted.singled / counted.records AS share_singled_out,
    counted.smallest AS smallest_class
FROM reached
JOIN counted ON counted.mask = reached.mask
WHERE NOT EXISTS (SELECT 1 FROM larger WHERE larger.place = reached.place AND larger.mask = reached.mask)
ORDER BY reached.place, BIT_COUNT(counted.mask), counted.singled DESC, counted.mask

-- name: agreeing_duplicates
-- Counts the records that agree with one of another person on all attributes, a missing value agreeing with all.
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    COALESCE(CAST(SUM(LEN(members)) AS BIGINT), 0) AS combinations
FROM agreeing_sizes
WHERE NOT alone

-- name: key_duplicates
-- Counts the records that are equal to one of another person.
--
-- definition: without users these are the records that another one equals on all attributes; where users are counted,
--   those that a record of another user equals
--
-- parameter by_user: flag, count users; else records
WITH alike AS (
    SELECT records FROM combinations WHERE {% if by_user %}id IS NULL{% else %}records > 1{% endif %}

)
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, COUNT(*) AS combinations
FROM alike

-- name: key_differences
-- The attributes in which each two combinations of different people differ.
-- parameter words: integers, the word that holds the field of each attribute
-- parameter fields: integers, the bits of the field of each attribute
-- parameter wildcard: flag, a missing value agrees with every value and never differs
SELECT DISTINCT
    CAST({% for word in words %}(
        CASE WHEN (xor(a.p{{ word }}, b.p{{ word }}) & {{ fields[loop.index0] }}) <> 0
        THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT){% if wildcard %}
        & ~CAST(a.missing | b.missing AS BIGINT){% endif %} AS mask
FROM combinations AS a
JOIN combinations AS b ON a.rowid < b.rowid AND a.id <> b.id

-- name: key_check
-- Finds combinations that an attribute set does not distinguish, and the attributes in which they differ.
-- parameter words: integers, the words that hold fields of the set
-- parameter fields: integers, the bits of these fields
-- parameter all_words: integers, the word that holds the field of each attribute
-- parameter all_fields: integers, the bits of the field of each attribute
-- parameter by_user: flag, a person is a user, who can have several combinations
-- parameter most: integer, largest number of pairs to examine
WITH pairs AS (
{% if by_user %}
    SELECT ARG_MIN(rowid, id) AS one, ARG_MAX(rowid, id) AS other
{% else %}
    SELECT MIN(rowid) AS one, MAX(rowid) AS other
{% endif %}
    FROM combinations
    GROUP BY {% for word in words %}p{{ word }}
        & {{ fields[loop.index0] }}{{ loop | between(", ") }}{% else %}id IS NULL{% endfor %}

    HAVING {% if by_user %}MIN(id) <> MAX(id){% else %}COUNT(*) > 1{% endif %}

    LIMIT {{ most | literal }}
)
SELECT DISTINCT
    CAST({% for word in all_words %}(
        CASE WHEN (xor(a.p{{ word }}, b.p{{ word }}) & {{ all_fields[loop.index0] }}) <> 0
        THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT) AS mask
FROM pairs
JOIN combinations AS a ON a.rowid = pairs.one
JOIN combinations AS b ON b.rowid = pairs.other

-- name: key_reached
-- The sets of one size that single out enough people, or have a class that is too small.
-- parameter size: integer, attributes of the sets
-- parameter share: number, of the people that are singled out at least
-- parameter k: integer, a smaller class is too small
SELECT
    mask, classes, singled_out, share_singled_out, smallest_class,
    COALESCE(share_singled_out >= {{ share | literal }}, FALSE) AS singles_out,
    COALESCE(smallest_class < {{ k | literal }}, FALSE) AS below_k
FROM set_figures
WHERE size = {{ size | literal }}
    AND (share_singled_out >= {{ share | literal }} OR smallest_class < {{ k | literal }})
ORDER BY singled_out DESC, classes DESC, mask
