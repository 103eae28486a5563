-- identifiability
-- The easiest attribute set that singles out each record: tiers of sets, from the easiest on.
--
-- idea: all sets of one size and one sensitivity have the same ease and are a tier. A person singled out by a tier is
--   settled; the walk ends when no other person can be settled. Before it, persons that not even their largest set
--   singles out are dropped, and the attributes are found that every set of a person must contain.
-- source: Yamaoka and Itoh, section 4; the order and the pruning are our own
-- runs: finish
-- reads: searched_attributes
-- makes: best, closed, closures, found, left_persons, open_persons, sets, settled, useful,
--   without_attribute
--
-- parameter table: column, the combinations
-- parameter set_bits: integer, bits of an attribute set
-- parameter words: integer, words of a combination
-- parameter redundant: integers, sets that add nothing
-- parameter low: integer, the attributes that separate least
-- parameter last: integer, the number of the last

-- name: identifiability
-- The easiest attribute set that singles out each record, and the value of a leak of the record.
--
-- definition: ease = 2 max i(I) over the attribute sets I whose values the record shares with no other, with
--   i(I) = 0.9^(|I| - 1) / (log8(s(I) - 1) + 1) and s(I) = 5^(max E - 1) + 10^(max P - 1); value = base s(A) ease,
--   A being the attributes that are not missing in the record. A record with names or addresses is worth more by
--   the JO model, which this statement leaves out. It examines all 2^d - 1 sets: for up to ten attributes.
-- source: Yamaoka and Itoh, section 4, equations 3 and 4; sensitivity by the JO model (JNSA 2003)
-- missing: NULL and the tokens are one missing value; it carries no information and singles nobody out, unless
--   missing_is_value is 1
-- read: an ease of 2 means that one ordinary attribute is enough; the value is in the currency of the base
-- instead: jo_model, scenarios
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter levels: texts, the economic and psychological level of each of them, as in '1,2'
-- parameter missing_tokens: texts, texts that count as missing
-- parameter missing_is_value: flag, a missing value is a value of its own
-- parameter base: number, the value of the least sensitive record
--
-- column record: BIGINT, number, of the record in the order of the source
-- column ease: DOUBLE, ease, between 0 and 2
-- column value: DOUBLE, currency of the base, base * sensitivity * ease
-- column attributes: VARCHAR[], names, the easiest set; of several the first as a binary number
-- column equal_sets: BIGINT, sets, number of sets of the same ease
WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
{% for column in columns %}
        , CAST({{ column | identifier }} AS VARCHAR) AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
tokens AS (
    SELECT UNNEST([{% for token in missing_tokens %}{{ token | literal }}, {% endfor %}NULL]) AS token
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE token = TRIM(value))
),
{% endfor %}
combinations AS MATERIALIZED (
    SELECT
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    GROUP BY {{ columns | each("COALESCE(codes{i}.code, 0)") }}

),
attributes AS MATERIALIZED (
    SELECT
        place - 1 AS position,
        names[place] AS name,
        CAST(SPLIT_PART(levels[place], ',', 1) AS INTEGER) AS economic,
        CAST(SPLIT_PART(levels[place], ',', 2) AS INTEGER) AS psychological
    FROM (
        SELECT
            [{{ columns | literals }}] AS names,
            [{{ levels | literals }}] AS levels
    ) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT
        mask,
        ROUND(
            2 * POWER(CAST(0.9 AS DOUBLE), COUNT(*) - 1)
            / (LOG2(POWER(5, MAX(economic) - 1) + POWER(10, MAX(psychological) - 1) - 1) / 3 + 1),
            12
        ) AS ease
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    JOIN attributes ON ((mask >> position) & 1) = 1
    GROUP BY mask
),
grouped AS (
    SELECT mask, ANY_VALUE(record) AS record
    FROM combinations
    CROSS JOIN sets
    WHERE {{ missing_is_value | literal }} OR NOT (
        {{ columns | each("(((mask >> {i}) & 1) = 1 AND c{i} = 0)", between=" OR ") }}

    )
    GROUP BY mask{% for column in columns %},
        CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

    HAVING COUNT(*) = 1
),
best AS (
    SELECT record, ease, MIN(mask) AS mask, COUNT(*) AS equal_sets
    FROM (
        SELECT grouped.record, sets.ease, mask, MAX(sets.ease) OVER (PARTITION BY grouped.record) AS highest
        FROM grouped
        JOIN sets USING (mask)
        WHERE grouped.record IS NOT NULL
    ) AS ranked
    WHERE ease = highest
    GROUP BY record, ease
),
held AS (
    SELECT record, MAX(economic) AS economic, MAX(psychological) AS psychological
    FROM (
{% for column in columns %}
        SELECT record, {{ loop.index0 }} AS position FROM combinations
        WHERE record IS NOT NULL AND c{{ loop.index0 }} <> 0
{% if not loop.last %}
        UNION ALL
{% endif %}
{% endfor %}
    ) AS present
    JOIN attributes USING (position)
    GROUP BY record
)
SELECT
    record,
    ease,
    COALESCE(POWER(5, economic - 1) + POWER(10, psychological - 1), 0) * ease * {{ base | literal }} AS value,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE ((best.mask >> position) & 1) = 1) AS attributes,
    equal_sets
FROM best
LEFT JOIN held USING (record)
ORDER BY value DESC, record

-- name: empty_table
-- Creates a table of integers that the search fills.
-- takes: set_bits
-- parameter table: column, its name
-- parameter numbers: columns, columns that hold a number of a person and the like
-- parameter number_bits: integer, their bits
-- parameter sets: columns, columns that hold attribute sets
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (
{% for column in numbers %}
    {{ column | identifier }} {{ number_bits | integer_type }}{% if sets or not loop.last %},{% endif %}

{% endfor %}
{% for column in sets %}
    {{ column | identifier }} {{ set_bits | integer_type }}{{ loop | between }}
{% endfor %}
)

-- name: open_persons
-- The persons that a set can still single out: those with a combination of their own.
--
-- definition: "required" has a bit for each attribute without which nothing singles a person out
--
-- takes: table, words, set_bits
-- parameter with_values: flag, add their values; else leave them to the combinations
-- parameter only_missing: flag, keep only persons with a missing value
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT
    id, missing, CAST(0 AS {{ set_bits | integer_type }}) AS required
{% if with_values %}
{% for word in range(words) %}
    , p{{ word }}
{% endfor %}
{% endif %}
FROM {{ table | identifier }}
WHERE id IS NOT NULL
{% if only_missing %}
    AND missing <> 0
{% endif %}

-- name: closure_sets
-- The largest attribute sets: a person not singled out by one of these is not singled out by a smaller set.
--
-- definition: where a missing value reveals nothing, a person with missing values is tried on the other attributes
--   alone; several largest sets can share these "unions". "wanted" is the number of persons that a set is tried for;
--   sets with most persons come first. Unions come after all tiers
--
-- takes: words
-- parameter unions: integers, the largest sets
-- parameter patterns: flag, make a set for each pattern of missing values among the open persons
CREATE OR REPLACE TEMP TABLE closures AS
WITH unions AS (
    SELECT UNNEST({{ unions | literal }}) AS whole
),
patterns AS (
{% if patterns %}
    SELECT missing AS pattern, COUNT(*) AS wanted FROM open_persons GROUP BY missing
{% else %}
    SELECT CAST(NULL AS BIGINT) AS pattern, COUNT(*) AS wanted FROM open_persons
{% endif %}
),
tried AS (
    SELECT pattern, wanted, whole & ~COALESCE(pattern, 0) AS mask, COUNT(*) AS unions
    FROM unions, patterns
    GROUP BY ALL
)
SELECT
    {{ 2 ** 15 }} AS tier, ROW_NUMBER() OVER (ORDER BY wanted DESC, pattern, mask) - 1 AS number, pattern, wanted, mask,
        unions
{% for word in range(words) %}
    , BIT_OR(f{{ word }}) AS f{{ word }}
{% endfor %}
FROM tried
JOIN searched_attributes ON (tried.mask & bit) <> 0
GROUP BY pattern, wanted, mask, unions

-- name: count_closures
-- Counts the sets tried for many persons, the largest number of persons of the other sets, and the unions of both.
-- parameter many: number, the limit of many persons
SELECT
    CAST(COUNT(*) FILTER (wanted >= {{ many | literal }}) AS BIGINT) AS many,
    COALESCE(MAX(wanted) FILTER (wanted < {{ many | literal }}), 0) AS most_of_few,
    CAST(COALESCE(SUM(unions), 0) AS BIGINT) AS unions
FROM closures

-- name: keep_closed
-- Keeps only the persons that their largest set singles out; no other person can be.
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons SEMI JOIN closed USING (id)

-- name: count_patterns
-- Counts the patterns of missing values among the open persons.
SELECT COUNT(DISTINCT missing) AS patterns FROM open_persons

-- name: require
-- Finds the attributes that every set singling out an open person must contain.
--
-- definition: every set without an attribute is part of the set of all others. A person that no such large set
--   singles out, but the set of all attributes does, requires the attribute.
--
-- takes: set_bits, table, words
-- parameter searched: integer, the bits of all attributes that sets are made of
-- parameter with_values: flag, the open persons carry their values; else they get them now
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH reached AS (
    SELECT id, BIT_AND(mask) AS required FROM closed GROUP BY id
)
SELECT
    open.* REPLACE (
        CAST(COALESCE(reached.required, {{ searched | literal }}) AS {{ set_bits | integer_type }}) AS required),
    ROW_NUMBER() OVER () AS number
{% if not with_values %}
{% for word in range(words) %}
    , p{{ word }}
{% endfor %}
{% endif %}
FROM open_persons AS open
{% if not with_values %}
JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
LEFT JOIN reached ON reached.id = open.id

-- name: all_sets
-- All attribute sets by tier, for a search with few sets.
--
-- definition: a tier has the sets of one size and one sensitivity: all have the same ease. Those that separate
--   combinations best come first. A set that contains a redundant one divides the records as a subset of it does, and
--   is left out.
--
-- takes: words, redundant, low
-- parameter sizes: integers, the attributes in a set, of each tier
-- parameter economic: integers, the highest economic level in a set, of each tier
-- parameter psychological: integers, the highest psychological level in a set, of each tier
-- parameter searched: integer, number of attributes that form sets
CREATE OR REPLACE TEMP TABLE sets AS
WITH placed AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY bit) - 1 AS place FROM searched_attributes WHERE searched
),
tiers AS (
    SELECT
        UNNEST(RANGE({{ sizes | length | literal }})) AS tier, UNNEST({{ sizes | literal }}) AS size,
        UNNEST({{ economic | literal }}) AS economic, UNNEST({{ psychological | literal }}) AS psychological
),
made AS (
    SELECT
        BIT_OR(bit) AS mask, COUNT(*) AS size, MAX(economic) AS economic, MAX(psychological) AS psychological,
        CAST(SUM(separation) AS BIGINT) AS separation
{% for word in range(words) %}
        , BIT_OR(f{{ word }}) AS f{{ word }}
{% endfor %}
    FROM RANGE(1, {{ 2 ** searched }}) AS choices (choice)
    JOIN placed ON (choice >> place) & 1 = 1
    GROUP BY choice
)
SELECT
    tiers.tier,
    ROW_NUMBER() OVER (ORDER BY tiers.tier, separation DESC, mask & ~{{ low }}, mask) - 1 AS number,
    made.*
FROM made
JOIN tiers USING (size, economic, psychological)
{% for pair in redundant %}
{% if loop.first %}WHERE{% else %}    AND{% endif %} (mask & {{ pair }}) <> {{ pair }}
{% endfor %}

-- name: count_sets
-- The number of sets of each tier.
SELECT tier, COUNT(*) AS sets
FROM sets
GROUP BY tier

-- name: tier_sets
-- The attribute sets of one size and one sensitivity, which have the same ease.
--
-- definition: a set is a smaller one and one attribute that comes after all of it; tiers are made in
--   the order of their ease, so that the smaller sets are there. A set that contains a redundant one
--   divides the records as a subset of it does, and is left out with all that would contain it.
--
-- takes: words, redundant, low
-- parameter tier: integer, the number of the tier
-- parameter size: integer, attributes in a set
-- parameter economic: integer, the highest economic level in a set
-- parameter psychological: integer, the highest psychological level in a set
-- parameter before: integer, number of sets of earlier tiers
-- parameter replace: flag, create the table for the first tier; else append to it
{% if replace %}
CREATE OR REPLACE TEMP TABLE sets AS
{% else %}
INSERT INTO sets BY NAME
{% endif %}
WITH grown AS (
{% if size == 1 %}
    SELECT bit AS mask, economic, psychological, separation{% for word in range(words) %}, f{{ word }}{% endfor %}

    FROM searched_attributes
    WHERE searched
{% else %}
    SELECT
        smaller.mask | added.bit AS mask,
        GREATEST(smaller.economic, added.economic) AS economic,
        GREATEST(smaller.psychological, added.psychological) AS psychological,
        smaller.separation + added.separation AS separation
{% for word in range(words) %}
        , smaller.f{{ word }} | added.f{{ word }} AS f{{ word }}
{% endfor %}
    FROM sets AS smaller
    JOIN searched_attributes AS added ON added.searched AND added.bit > smaller.mask
    WHERE smaller.size = {{ size | literal }} - 1
        AND smaller.economic <= {{ economic | literal }} AND smaller.psychological <= {{ psychological | literal }}
        AND added.economic <= {{ economic | literal }} AND added.psychological <= {{ psychological | literal }}
{% endif %}
)
SELECT
    CAST({{ tier | literal }} AS INTEGER) AS tier,
    ROW_NUMBER() OVER (ORDER BY separation DESC, mask & ~{{ low }}, mask) - 1 + {{ before | literal }} AS number,
    CAST({{ size | literal }} AS INTEGER) AS size,
    economic,
    psychological,
    separation,
    mask
{% for word in range(words) %}
    , f{{ word }}
{% endfor %}
FROM grown
WHERE economic = {{ economic | literal }} AND psychological = {{ psychological | literal }}
{% for pair in redundant %}
    AND (mask & {{ pair }}) <> {{ pair }}
{% endfor %}

-- name: useful_sets
-- The sets of some tiers that contain all required attributes of an open person.
--
-- definition: a set as easy as those that single the person out answers a question only by the coarser form: else it
--   would be one of them
--
-- takes: last, words, low
-- parameter questions: flag, open entries are questions; else persons
-- parameter sets: column, the table of the sets
-- parameter first: integer, the number of the first of these tiers
-- parameter after: integer or none, the number of a set that they come after
CREATE OR REPLACE TEMP TABLE useful AS
WITH tried AS (
    SELECT * FROM {{ sets | identifier }}
    WHERE tier BETWEEN {{ first | literal }}
        AND {{ last | literal }}{% if after is not none %} AND number > {{ after | literal }}{% endif %}

),
asked AS (
    SELECT required{% if questions %}, needed, barred, tier = {{ last | literal }} AS as_easy{% endif %},
        COUNT(*) AS combinations
    FROM open_persons
    WHERE TRUE
{% if questions %}
        AND tier <= {{ last | literal }}
{% endif %}
    GROUP BY ALL
),
counted AS (
    SELECT tried.mask, SUM(asked.combinations) AS wanted
    FROM tried
    JOIN asked ON ((asked.required & ~tried.mask){% if questions %} | (asked.barred & tried.mask){% endif %}) = 0
{% if questions %}
        AND (NOT asked.as_easy OR (asked.needed & tried.mask) <> 0)
{% endif %}
    GROUP BY tried.mask
)
SELECT
    tried.tier, tried.separation, mask, CAST(counted.wanted AS BIGINT) AS wanted,
    ROW_NUMBER() OVER (
        ORDER BY tried.tier,
            {% if questions %}counted.wanted DESC{% else %}separation DESC, mask & ~{{ low }}{% endif %}, mask
    ) - 1 AS number
{% for word in range(words) %}
    , f{{ word }}
{% endfor %}
FROM tried
JOIN counted USING (mask)

-- name: count_useful
-- Counts the useful sets and the open combinations to try for each.
SELECT COUNT(*) AS sets, CAST(COALESCE(SUM(wanted), 0) AS BIGINT) AS wanted
FROM useful

-- name: close_settled
-- Removes the singled-out persons from the open persons.
-- takes: last
-- parameter booked: column, the table that lists them
-- parameter tier: integer, the number of the first tier that singled them out
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN (
    SELECT id FROM {{ booked | identifier }} WHERE tier BETWEEN {{ tier | literal }} AND {{ last | literal }}
) AS singled USING (id)

-- name: best_sets
-- The easiest sets, with the sets that are equivalent to them one to one.
-- parameter kept: integers, bits of attributes whose values correspond one to one to another's
-- parameter twins: integers, the bits of those others, which were not searched
CREATE OR REPLACE TEMP VIEW best AS
WITH best0 AS (
    SELECT id, tier, mask FROM found
)
{% for bit in kept %}
, best{{ loop.index }} AS (
    SELECT id, tier, mask FROM best{{ loop.index0 }}
    UNION ALL
    SELECT id, tier, (mask & ~CAST({{ bit }} AS BIGINT)) | {{ twins[loop.index0] }}
    FROM best{{ loop.index0 }}
    WHERE (mask & {{ bit }}) <> 0
)
{% endfor %}
SELECT id, tier, mask FROM best{{ kept | length }}

-- name: settle
-- Books the persons that tiers singled out: no set of greater ease does.
--
-- definition: of equally easy sets the first is the one that is smallest as a binary number, the first
--   attribute being its lowest bit
--
-- parameter tier: integer or none, the tier whose persons are booked; none books those of all tiers
-- parameter by_user: flag, a person is a user, who can have several combinations
-- parameter persons: column, the persons to be booked, with their missing values
INSERT INTO settled BY NAME
WITH booked AS (
    SELECT
        id,
        {% if tier is none %}MIN(tier){% else %}{{ tier | literal }}{% endif %} AS tier,
        MIN(mask) AS first_mask, BIT_OR(mask) AS any_mask, BIT_AND(mask) AS every_mask
    FROM best
    WHERE TRUE
{% if tier is not none %}
        AND tier = {{ tier | literal }}
{% endif %}
    GROUP BY id
)
{% if by_user %}
SELECT *, 0 AS missing FROM booked SEMI JOIN {{ persons | identifier }} USING (id)
{% else %}
SELECT booked.*, missing
FROM booked
JOIN {{ persons | identifier }} AS persons USING (id)
{% endif %}
