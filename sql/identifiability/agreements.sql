-- agreements
-- For each open combination the large sets of attributes in which it agrees with somebody else's.
--
-- definition: a set singles a combination out where it is part of none of these. It pays where few persons are open and
--   many sets are left. Of sets that lack an attribute that the person requires none matters. Sets within one of
--   the 16 largest are left out.
--   All fields of a word are compared at once: adding a field's lower bits to themselves, as they differ, carries into
--   its highest. Who requires nothing meets everybody, one after the other: no join, and groups stay in the cache.
-- portable: no
--
-- parameter table: column, the combinations
-- parameter positions: integers, the attributes that sets are made of
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each field in its word
-- parameter used: integers, the words that hold fields of the attributes that sets are made of
-- parameter tops: integers, the highest bits of these fields, by word
-- parameter lows: integers, their other bits, by word
CREATE OR REPLACE TEMP TABLE agreements AS
WITH anchors AS (
    SELECT DISTINCT anchor{% for word in range(words | max + 1) %}, f{{ word }}{% endfor %} FROM anchored WHERE anchor <> 0
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
        open.number,
        open.required
{% for word in used %}
        , {{ tops[loop.index0] }} & ~(((XOR(open.p{{ word }}, near.p{{ word }}) & {{ lows[loop.index0] }}) + {{ lows[loop.index0] }}) | XOR(open.p{{ word }}, near.p{{ word }})) AS equal{{ word }}
{% endfor %}
{% if bound %}
    FROM near
    JOIN anchored AS open USING (anchor{% for word in range(words | max + 1) %}, k{{ word }}{% endfor %})
    WHERE near.id IS DISTINCT FROM open.id
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
        required,
        {% for i in positions %}(CASE WHEN (equal{{ words[i] }} & {{ masks[i] }}) <> 0 THEN CAST({{ 2 ** i }} AS BIGINT) ELSE 0 END){% if not loop.last %} | {% endif %}{% endfor %} AS mask
    FROM pairs
),
ranked AS MATERIALIZED (
    SELECT number, mask, ROW_NUMBER() OVER (PARTITION BY number ORDER BY BIT_COUNT(mask) DESC, mask) AS place
    FROM sets
    WHERE (required & ~mask) = 0
),
large AS MATERIALIZED (
    SELECT number, mask FROM ranked WHERE place <= 16
)
SELECT one.number, one.mask
FROM ranked AS one
ANTI JOIN large ON large.number = one.number AND large.mask <> one.mask AND (one.mask & ~large.mask) = 0
