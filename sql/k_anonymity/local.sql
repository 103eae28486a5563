-- local
-- Local recoding from the top down: every group is cut in two where that saves most width, a level at once.
--
-- idea: a group has a box: the interval of each number, the set of each category. Each quasi-identifier proposes cuts
--   by its own width; the few best are measured over all quasi-identifiers, with boxes that shrink to what is left.
--   Groups of many tuples are measured on a sample, and what was cut is counted in full.
-- source: Fung et al., Top-down specialization for information and privacy preservation, ICDE 2005; Xu et al.,
--   Utility-based anonymization using local recoding, KDD 2006 (NCP); square root and choice of cuts are our own
-- runs: finish
-- reads: local_disclosing, quasi_classes, quasi_tuples
-- makes: local_best, local_candidates, local_chosen, local_open, local_parts, local_sided, local_sides, local_sizes,
--   local_work
--
-- parameter columns: columns, the quasi-identifiers
-- parameter sets: integers, 1 where a quasi-identifier is a set of bits, 0 where it is a range
-- parameter weights: numbers, the weight of each quasi-identifier
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter k: integer, the least records or people of a class
-- parameter people: flag, classes count people
-- parameter sample: integer, tuples of a group that are measured

-- name: local_begin
-- Starts with all tuples as one group.
--
-- definition: the place of a range is its share of the range of all, 2 or -2 for what is infinite; a missing value is
--   at -1. Draws are hashes of the person, or of the tuple.
--
-- takes: columns, sets, leaves, people
-- parameter more: columns, what else a tuple has: the person, or sensitive values
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE local_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n,
    CAST(HASH({% if people %}COALESCE(person, -tuple){% else %}tuple{% endif %}) >> 11 AS DOUBLE) / 9007199254740992
        AS draw
{% for name in more %}
    , {{ name | identifier }}
{% endfor %}
{% for column in columns %}
    , a{{ loop.index0 }}
{% if not sets[loop.index0] %}
{% if heights[loop.index0] %}
    , CASE WHEN a{{ loop.index0 }} = 0 THEN -1
        ELSE CAST(a{{ loop.index0 }} - 1 AS DOUBLE) / {{ [leaves[loop.index0] - 1, 1] | max }} END AS p{{ loop.index0 }}
{% else %}
    , v{{ loop.index0 }}.place AS p{{ loop.index0 }}
{% endif %}
{% endif %}
{% endfor %}
FROM quasi_tuples
{% for table in tables %}
{% if not sets[loop.index0] and not heights[loop.index0] %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endif %}
{% endfor %}

-- name: local_parts
-- The records, tuples and people of each open group.
-- takes: people
CREATE OR REPLACE TEMP TABLE local_parts AS
SELECT
    part,
    CAST(SUM(n) AS BIGINT) AS n,
    COUNT(*) AS tuples,
    {% if people %}COUNT(DISTINCT person){% else %}CAST(SUM(n) AS BIGINT){% endif %} AS size
FROM local_open
GROUP BY part

-- name: local_work
-- The tuples of open groups that are measured: all, or a sample of a large group.
-- takes: sample
CREATE OR REPLACE TEMP TABLE local_work AS
SELECT open.*
FROM local_open AS open
JOIN local_parts AS parts ON parts.part = open.part
WHERE parts.tuples <= {{ sample }} OR open.draw * parts.tuples < {{ sample }}

-- name: local_candidates
-- The two most promising cuts of each group by each quasi-identifier: the greatest gain, the nearest to the middle.
--
-- definition: gain = n f - n1 f1 - n2 f2 with the records n and the costs f of a group and its sides in this
--   quasi-identifier. f = weight * sqrt(share of the range or of the leaves), 0 for one value; with people
--   ln(1 + 1000 share) / ln(1001) instead of the root, as the information of a release is in bits. A set is cut in
--   order of frequency: for two sides of given sizes, no other sets cost less. Missing values are a side of their own
--   as well. Each side has at least k records, and 4 standard deviations more in a sample.
-- missing: together with others, a missing value costs as much as all values
--
-- takes: weights, leaves, k, sample, people
-- parameter attributes: integers, the quasi-identifiers, all sets or all ranges
-- parameter of_sets: flag, they are sets
-- parameter begin: flag, create the table instead of appending
-- parameter share: number, the least share of a group on either side of a cut
-- parameter source: column, the measured tuples
{% if begin %}
CREATE OR REPLACE TEMP TABLE local_candidates AS
{% else %}
INSERT INTO local_candidates
{% endif %}
WITH counts AS (
{% for i in attributes %}
    SELECT
        part,
        {{ i }} AS attribute,
        CAST({{ weights[i] | literal }} AS DOUBLE) AS weight,
        {{ leaves[i] }} AS leaves,
        a{{ i }} AS code,
        CAST(SUM(n) AS BIGINT) AS n{% if not of_sets %}, MIN(p{{ i }}) AS place{% endif %}

    FROM {{ source | identifier }}
    GROUP BY part, a{{ i }}

{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
ordered AS (
    SELECT
        part,
        attribute,
        weight,
        leaves,
        code,
        n AS own,
        SUM(n) OVER (
            PARTITION BY part, attribute ORDER BY {% if of_sets %}n DESC, {% endif %}code
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS below,
        SUM(n) OVER (PARTITION BY part, attribute) AS n,
{% if of_sets %}
        ROW_NUMBER() OVER (
            PARTITION BY part, attribute ORDER BY {% if of_sets %}n DESC, {% endif %}code
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS low,
        COUNT(*) OVER (PARTITION BY part, attribute) AS every,
        MIN(code) OVER (PARTITION BY part, attribute) = 0 AS misses,
        BIT_OR(CAST(1 AS HUGEINT) << code) OVER (
            PARTITION BY part, attribute ORDER BY {% if of_sets %}n DESC, {% endif %}code
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS bits
{% else %}
        CAST(0 AS HUGEINT) AS bits,
        place,
        MIN(place) OVER (PARTITION BY part, attribute) AS first,
        MAX(place) OVER (PARTITION BY part, attribute) AS last,
        LEAD(place) OVER (PARTITION BY part, attribute ORDER BY code) AS next
{% endif %}
    FROM counts
),
cuts AS (
{% if of_sets %}
    SELECT *, misses AND bits & 1 = 1 AS low_misses, misses AND bits & 1 = 0 AS high_misses
    FROM ordered
    WHERE low < every
    UNION ALL
    SELECT * REPLACE (CAST(1 AS HUGEINT) AS bits, own AS below, 1 AS low), TRUE, FALSE
    FROM ordered
    WHERE code = 0 AND every > 1 AND low > 1
{% else %}
    SELECT * FROM ordered WHERE next IS NOT NULL
{% endif %}
),
costed AS (
    SELECT
        part,
        attribute,
        weight,
        code,
        bits,
        below,
        n,
{% if of_sets %}
        n * CASE WHEN low_misses OR high_misses THEN 1 ELSE
-- include: cost_of_share, share: CAST(every AS DOUBLE) / leaves
        END - below * CASE WHEN low = 1 THEN 0 WHEN low_misses THEN 1 ELSE
-- include: cost_of_share, share: CAST(low AS DOUBLE) / leaves
        END - (n - below) * CASE WHEN every - low = 1 THEN 0 WHEN high_misses THEN 1 ELSE
-- include: cost_of_share, share: CAST(every - low AS DOUBLE) / leaves
        END
{% else %}
        n *
-- include: cost_of_share, share: LEAST(1, last - first)
        - below *
-- include: cost_of_share, share: LEAST(1, place - first)
        - (n - below) *
-- include: cost_of_share, share: LEAST(1, last - next)
{% endif %}
            AS gain
    FROM cuts
),
allowed AS (
    SELECT costed.*
    FROM costed
    JOIN local_parts AS parts ON parts.part = costed.part
    WHERE
        LEAST(costed.below, costed.n - costed.below) * CAST(parts.n AS DOUBLE) / costed.n >= GREATEST(
            {{ k }}
            + CASE WHEN parts.tuples > {{ sample }} THEN 4 * SQRT({{ k }} * (parts.n / costed.n + 1)) ELSE 0 END,
            {{ share | literal }} * parts.n
        )
),
-- The least in an order, for windows would sort all cuts twice more.
best AS (
    SELECT
        part,
        attribute,
        ANY_VALUE(weight) AS weight,
        MIN(STRUCT_PACK(lost := -gain, cut := code, bits := bits)) AS by_gain,
        MIN_BY(
            STRUCT_PACK(lost := -gain, cut := code, bits := bits), ROW(ABS(2 * below - n), code, bits)
        ) AS by_middle
    FROM allowed
    GROUP BY part, attribute
)
SELECT DISTINCT part, attribute, chosen.cut, chosen.bits, -chosen.lost * weight AS gain
FROM (
    SELECT part, attribute, weight, UNNEST([by_gain, by_middle]) AS chosen
    FROM best
)

-- name: local_best
-- The most promising cuts of each group.
--
-- parameter most: integer, cuts of a group that are measured over all quasi-identifiers
CREATE OR REPLACE TEMP TABLE local_best AS
SELECT part, attribute, cut, bits, number
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY part ORDER BY gain DESC, attribute, cut, bits) AS number
    FROM local_candidates
)
WHERE number <= {{ most }}

-- name: local_sides
-- The cost that each of the best cuts saves over all quasi-identifiers.
--
-- definition: saved = n f - n1 f1 - n2 f2 with f the sum of the costs over all quasi-identifiers, as in
--   local_candidates, of boxes that hold what is there and nothing else. Sides of fewer than k records or people are
--   left out, with the margin of local_candidates in a sample.
-- missing: as in local_candidates
--
-- takes: columns, sets, weights, leaves, k, people, sample
-- parameter source: column, the measured tuples
CREATE OR REPLACE TEMP TABLE local_sides AS
WITH sides AS (
    SELECT
        work.part,
        best.number,
-- include: side_of_cut
            AS low,
        CAST(SUM(work.n) AS BIGINT) AS n,
        {% if people %}COUNT(DISTINCT work.person){% else %}CAST(SUM(work.n) AS BIGINT){% endif %} AS size
{% for column in columns %}
{% set i = loop.index0 %}
{% if sets[i] %}
        , BIT_OR(CAST(1 AS HUGEINT) << work.a{{ i }}) AS b{{ i }}
{% else %}
        , MIN(work.p{{ i }}) AS l{{ i }}
        , MAX(work.p{{ i }}) AS h{{ i }}
{% endif %}
{% endfor %}
    FROM {{ source | identifier }} AS work
    JOIN local_best AS best ON best.part = work.part
    GROUP BY work.part, best.number, low
),
boxes AS (
    SELECT * FROM sides
    UNION ALL
    SELECT
        part,
        number,
        NULL AS low,
        CAST(SUM(n) AS BIGINT) AS n,
        MIN(size) AS size
{% for column in columns %}
{% set i = loop.index0 %}
{% if sets[i] %}
        , BIT_OR(b{{ i }}) AS b{{ i }}
{% else %}
        , MIN(l{{ i }}) AS l{{ i }}
        , MAX(h{{ i }}) AS h{{ i }}
{% endif %}
{% endfor %}
    FROM sides
    GROUP BY part, number
    HAVING COUNT(*) = 2
),
costs AS (
    SELECT
        part,
        number,
        low,
        n,
        size,
        n * (
{% for column in columns %}
{% set i = loop.index0 %}
            {% if not loop.first %}+ {% endif %}{{ weights[i] | literal }} *
{% if sets[i] %}
            CASE WHEN BIT_COUNT(b{{ i }}) = 1 THEN 0 WHEN b{{ i }} & 1 = 1 THEN 1 ELSE
-- include: cost_of_share, share: BIT_COUNT(b{{ i }}) / CAST({{ leaves[i] }} AS DOUBLE)
            END
{% else %}
-- include: cost_of_share, share: LEAST(1, h{{ i }} - l{{ i }})
{% endif %}
{% endfor %}
        ) AS cost
    FROM boxes
),
paired AS (
    SELECT
        part,
        number,
        MAX(CASE WHEN low IS NULL THEN cost END) AS whole,
        MAX(CASE WHEN low IS NULL THEN n END) AS n,
        MAX(CASE WHEN low IS NULL THEN size END) AS least,
        MAX(CASE WHEN low THEN cost END) AS low_cost,
        MAX(CASE WHEN NOT low THEN cost END) AS high_cost
    FROM costs
    GROUP BY part, number
)
SELECT
    paired.part,
    paired.number,
    paired.whole - (paired.low_cost + paired.high_cost) AS saved
FROM paired
JOIN local_parts AS parts ON parts.part = paired.part
WHERE
    paired.least * CAST(parts.n AS DOUBLE) / paired.n
    >= {{ k }} + CASE WHEN parts.tuples > {{ sample }} THEN 4 * SQRT({{ k }} * (parts.n / paired.n + 1)) ELSE 0 END

-- name: local_chosen
-- The cut of each group that saves most, and the numbers of its two sides.
--
-- parameter made: integer, the number of groups made before
-- parameter disclosing: flag, leave out the cuts that disclose a sensitive value
CREATE OR REPLACE TEMP TABLE local_chosen AS
WITH ranked AS (
    SELECT
        best.*,
        ROW_NUMBER() OVER (
            PARTITION BY best.part ORDER BY sides.saved DESC, best.attribute, best.cut, best.bits
        ) AS place
    FROM local_sides AS sides
    JOIN local_best AS best ON best.part = sides.part AND best.number = sides.number
{% if disclosing %}
    ANTI JOIN local_disclosing AS disclosing ON disclosing.part = best.part AND disclosing.number = best.number
{% endif %}
    -- sums of costs are exact to about 1e-9 of a record
    WHERE sides.saved > 1e-9
)
SELECT part, attribute, cut, bits, {{ made }} + 2 * ROW_NUMBER() OVER (ORDER BY part) AS made
FROM ranked
WHERE place = 1

-- name: local_count
-- The number of cuts of a level.
SELECT COUNT(*) AS cuts FROM local_chosen

-- name: local_close
-- Makes the groups without a cut classes.
INSERT INTO quasi_classes
SELECT open.tuple, open.part, open.n
FROM local_open AS open
ANTI JOIN local_chosen AS chosen ON chosen.part = open.part

-- name: local_sided
-- Puts each tuple on its side of the cut.
-- takes: sets
CREATE OR REPLACE TEMP TABLE local_sided AS
SELECT
    work.* REPLACE (
        best.made - CASE WHEN
-- include: side_of_cut
            THEN 1 ELSE 0 END AS part
    )
FROM local_open AS work
JOIN local_chosen AS best ON best.part = work.part

-- name: local_sizes
-- The records and people of each side, whether its pair is put together again, and whether it grows classes later.
--
-- definition: a pair is put together if a side has fewer than k records or people, or discloses a sensitive value. The
--   largest groups below a limit grow classes, unless their people have more than two tuples on average: growth is
--   slow there, and seldom better
--
-- takes: k, people
-- parameter disclosing: flag, leave out the sides that disclose a sensitive value
-- parameter limit: integer, the least records or people of a group that is too large to grow
CREATE OR REPLACE TEMP TABLE local_sizes AS
WITH sizes AS (
    SELECT
        part,
        (part + 1) // 2 * 2 AS pair,
        COUNT(*) AS tuples,
        {% if people %}COUNT(DISTINCT person){% else %}CAST(SUM(n) AS BIGINT){% endif %} AS size
    FROM local_sided
    GROUP BY part
)
SELECT
    sizes.part,
    sizes.size,
    sizes.pair,
    BOOL_OR(
        sizes.size < {{ k }}{% if disclosing %} OR disclosing.part IS NOT NULL{% endif %}
    ) OVER (PARTITION BY sizes.pair) AS is_wrong,
    sizes.size >= 2 * {{ k }} AND sizes.size < {{ limit }} AND parts.size >= {{ limit }}
        AND sizes.tuples <= 2 * sizes.size AS grows
FROM sizes
JOIN local_chosen AS chosen ON chosen.made = sizes.pair
JOIN local_parts AS parts ON parts.part = chosen.part
{% if disclosing %}
LEFT JOIN local_disclosing AS disclosing ON disclosing.part = sizes.part
{% endif %}

-- name: local_close_small
-- Makes the sides classes that cannot be cut again, and the pairs that are put together.
-- takes: k
INSERT INTO quasi_classes
SELECT sided.tuple, CASE WHEN sizes.is_wrong THEN sizes.pair ELSE sided.part END, sided.n
FROM local_sided AS sided
JOIN local_sizes AS sizes ON sizes.part = sided.part
WHERE sizes.is_wrong OR sizes.size < 2 * {{ k }}

-- name: local_next
-- Opens the sides that can be cut again.
-- takes: k
CREATE OR REPLACE TEMP TABLE local_open AS
SELECT sided.*
FROM local_sided AS sided
JOIN local_sizes AS sizes ON sizes.part = sided.part
WHERE NOT sizes.is_wrong AND sizes.size >= 2 * {{ k }}

-- name: local_most
-- The most tuples of an open group.
SELECT COALESCE(MAX(tuples), 0) AS tuples
FROM (SELECT COUNT(*) AS tuples FROM local_open GROUP BY part)
