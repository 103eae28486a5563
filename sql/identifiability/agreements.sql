-- agreements
-- Finds the persons that large sets single out, by the common attributes of their combinations with others.
--
-- idea: if few persons are open, the combinations that agree with them in required attributes are listed once; the
--   persons that a set singles out are then read off these agreements.
-- source: our own
-- runs: finish
-- reads: open_persons, searched_attributes
-- makes: agreements, anchored, hits
--
-- parameter words: integer, words of a combination
-- parameter table: column, the combinations
-- parameter questions: flag, open entries are questions; else persons

-- name: count_unbound
-- Counts the open combinations without required attributes: each agrees with any other in all that it requires.
SELECT COUNT(*) AS combinations FROM open_persons WHERE required = 0

-- name: anchors
-- Anchors of each open combination: attributes in which every relevant combination agrees with it, and their values.
--
-- definition: its anchor are those of the attributes it requires that have most values. "r" are the fields of all that
--   it requires
--
-- takes: words
-- parameter ranks: integers, the rank of each attribute by number of values, largest first
-- parameter size: integer, attributes of an anchor at most
CREATE OR REPLACE TEMP TABLE anchored AS
WITH asked AS (
    SELECT DISTINCT required FROM open_persons
),
ranked AS (
    SELECT
        asked.required, attribute.bit{% for word in range(words) %}, attribute.f{{ word }}{% endfor %},
        ROW_NUMBER() OVER (
            PARTITION BY asked.required
            ORDER BY list_extract({{ ranks | literal }}, attribute.position + 1)
        ) AS place
    FROM asked
    JOIN searched_attributes AS attribute ON (attribute.bit & asked.required) <> 0
),
anchors AS (
    SELECT
        required, BIT_OR(bit) FILTER (place <= {{ size | literal }}) AS anchor
{% for word in range(words) %}
        , BIT_OR(f{{ word }}) FILTER (place <= {{ size | literal }}) AS f{{ word }}, BIT_OR(f{{ word }}) AS r{{ word }}
{% endfor %}
    FROM ranked
    GROUP BY required
)
SELECT
    open.*, COALESCE(anchor, 0) AS anchor
{% for word in range(words) %}
    , COALESCE(f{{ word }}, 0) AS f{{ word }}, COALESCE(r{{ word }}, 0) AS r{{ word }}
    , open.p{{ word }} & COALESCE(f{{ word }}, 0) AS k{{ word }}
{% endfor %}
FROM open_persons AS open
LEFT JOIN anchors USING (required)

-- name: count_anchors
-- Counts the anchors, and the pairs of an open combination and one that agrees with its anchor, in a sample.
-- takes: table, words
-- parameter share: integer, one combination in this many is examined
WITH anchors AS (
    SELECT DISTINCT anchor{% for word in range(words) %}, f{{ word }}{% endfor %} FROM anchored
),
wanted AS (
    SELECT anchor{% for word in range(words) %}, k{{ word }}{% endfor %}, COUNT(*) AS combinations
    FROM anchored
    GROUP BY ALL
),
sample AS (
    SELECT *
    FROM {{ table | identifier }}
    WHERE hash({{ range(words) | each("p{x}") }}) % {{ share | literal }} = 0
),
keyed AS (
    SELECT anchor{% for word in range(words) %}, p{{ word }} & f{{ word }} AS k{{ word }}{% endfor %}
    FROM sample, anchors
)
SELECT
    (SELECT COUNT(*) FROM anchors) AS anchors,
    CAST(COALESCE(SUM(wanted.combinations), 0) AS BIGINT) AS pairs
FROM keyed
JOIN wanted USING (anchor{% for word in range(words) %}, k{{ word }}{% endfor %})

-- name: agreements
-- The large sets of attributes in which each open combination agrees with one of another person.
--
-- definition: a set singles a combination out if it is part of none of these. This pays for few open persons and many
--   sets. Sets without an attribute that the person requires are irrelevant. Sets within one of the 16 largest are
--   left out. All fields of a word are compared at once: adding a field's lower bits to themselves, as they differ,
--   carries into its highest bit. A combination without required attributes is compared with all others, one after
--   the other: no join, and groups stay in the cache.
--
-- takes: table, questions
-- parameter positions: integers, the attributes that sets are made of
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each field in its word
-- parameter used: integers, the words that hold fields of the attributes that sets are made of
-- parameter tops: integers, the highest bits of these fields, by word
-- parameter lows: integers, their other bits, by word
CREATE OR REPLACE TEMP TABLE agreements AS
WITH anchors AS (
    SELECT DISTINCT anchor{% for word in range(words | max + 1) %}, f{{ word }}{% endfor %} FROM anchored
    WHERE anchor <> 0
),
near AS (
    SELECT
        anchor, id
{% for word in range(words | max + 1) %}
        , p{{ word }}, p{{ word }} & f{{ word }} AS k{{ word }}
{% endfor %}
    FROM {{ table | identifier }}, anchors
),
unbound AS (
    SELECT * FROM anchored WHERE anchor = 0
),
pairs AS (
{% for bound in [1, 0] %}
    SELECT DISTINCT
        open.number
{% for word in used %}
        , {{ tops[loop.index0] }}
            & ~(((XOR(open.p{{ word }}, near.p{{ word }}) & {{ lows[loop.index0] }}) + {{ lows[loop.index0] }})
            | XOR(open.p{{ word }}, near.p{{ word }})) AS equal{{ word }}
{% endfor %}
{% if bound %}
    FROM near
    JOIN anchored AS open USING (anchor{% for word in range(words | max + 1) %}, k{{ word }}{% endfor %})
    WHERE near.id IS DISTINCT
        FROM open.id{% for word in used %} AND (XOR(near.p{{ word }}, open.p{{ word }}) & open.r{{ word }})
        = 0{% endfor %}

    UNION ALL
{% else %}
    FROM unbound AS open, {{ table | identifier }} AS near
    WHERE near.id IS DISTINCT FROM open.id
{% endif %}
{% endfor %}
),
sets AS (
    SELECT
        number,
        {% for i in positions %}(
            CASE WHEN (equal{{ words[i] }} & {{ masks[i] }}) <> 0 THEN CAST({{ 2 ** i }} AS BIGINT)
            ELSE 0 END){{ loop | between(" | ") }}{% endfor %} AS mask
    FROM pairs
),
fitting AS MATERIALIZED (
{% if questions %}
    SELECT DISTINCT sets.number, sets.mask & ~anchored.barred AS mask
    FROM sets
    JOIN anchored USING (number)
{% else %}
    SELECT number, mask FROM sets
{% endif %}
),
-- The attributes that agree are counted above the bits of the set.
largest AS (
    SELECT number, UNNEST(MAX((CAST(BIT_COUNT(mask) AS HUGEINT) << 64) | mask, 16)) AS largest_set
    FROM fitting
    GROUP BY number
),
large AS MATERIALIZED (
    SELECT number, CAST(largest_set & {{ 2 ** 63 - 1 }} AS BIGINT) AS mask FROM largest
)
SELECT one.number, one.mask
FROM fitting AS one
ANTI JOIN large ON large.number = one.number AND large.mask <> one.mask AND (one.mask & ~large.mask) = 0

-- name: examine_agreements
-- Finds the open persons that sets single out, by the agreements of their combinations with others.
-- takes: questions
-- parameter sets: column, the table of the sets
-- parameter first: integer, the first set of the batch
-- parameter last: integer, the last set of the batch
-- parameter several_tiers: flag, the sets belong to several tiers; the easiest tier of a person counts
-- parameter ignore_missing: flag, a missing value reveals nothing; else it is a value
-- parameter found: column, the table that the persons are put in, or the questions
-- parameter replace: flag, create the table instead of appending
{% if replace %}
CREATE OR REPLACE TEMP TABLE {{ found | identifier }} AS
{% else %}
INSERT INTO {{ found | identifier }} BY NAME
{% endif %}
WITH tried AS (
    SELECT open.number, open.id, sets.tier, sets.mask
    FROM {{ sets | identifier }} AS sets, open_persons AS open
    WHERE sets.number BETWEEN {{ first | literal }} AND {{ last | literal }}
        AND ((open.required & ~sets.mask){% if questions %}
            | (open.barred & sets.mask){% endif %}{% if ignore_missing %} | (open.missing & sets.mask){% endif %}) = 0
{% if questions %}
        AND (open.tier < sets.tier OR (open.tier = sets.tier AND (open.needed & sets.mask) <> 0))
{% endif %}
)
SELECT {% if questions %}tried.number{% else %}DISTINCT tried.id{% endif %}, tried.tier, tried.mask
FROM tried
ANTI JOIN agreements ON agreements.number = tried.number AND (tried.mask & ~agreements.mask) = 0
{% if several_tiers %}
QUALIFY tried.tier = MIN(tried.tier) OVER (PARTITION BY tried.id)
{% endif %}
