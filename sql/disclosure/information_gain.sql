-- information_gain
-- The bits that each value reveals to an attacker who knows the rest of the record, by rule for missing values.
--
-- idea: where a missing value is a value, the metric's own statement suffices. Under the other rules a missing value
--   reveals nothing: for each attribute the combinations of all others are looked up among the agreeing classes, and
--   the gain of a class counts for all of its records.
-- source: Personal Information Factor, as the tool piflib computes it
-- runs: finish
-- reads: class_codes, class_patterns
-- makes: class_gains, gain_asked, gain_cells
--
-- parameter other_ids: integers, the indexes of the other attributes
-- parameter attribute_index: integer, the index of this attribute

-- name: information_gain
-- The bits that each value of a record, and all of them together, reveal to an attacker who knows the other values.
--
-- definition: the gain of a value of attribute a is sum over values v of p_v log2(p_v / q_v), with p the shares of
--   the values of a among the records that agree on all other attributes, q those among all records. The gain of a
--   record is the sum over its values. A percentile is the smallest gain not exceeded by this share of records.
-- source: Personal Information Factor, as the tool piflib computes it: cell and row information gain
-- missing: a missing value is a value of its own; duckrisk assess has the other rules. Under both of these a missing
--   value gains 0, and records without a value of a are not in p and q. Agreeing records have all known values of the
--   record except a (none), or are equal wherever neither value is missing (wildcard).
-- read: an attribute with a mean gain of 0 is known no better from all others than from nothing; the largest possible
--   gain of a value is -log2 of its share. The line of place 0 is about whole records.
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes
--
-- column place: INTEGER, index, of the attribute in the list, from 1; 0 is the whole record
-- column records: BIGINT, records, all of them
-- column entropy: DOUBLE, bits, mean information of a value by itself; none for the whole record
-- column mean_gain: DOUBLE, bits, on average over records
-- column median_gain: DOUBLE, bits, of the 50th percentile
-- column high_gain: DOUBLE, bits, of the 95th percentile
-- column highest_gain: DOUBLE, bits, of the record with the largest gain
WITH known AS (
    SELECT {{ columns | each("{x.identifier} AS a{n}") }}

    FROM {{ source | relation }}
),
{% for _ in columns %}
codes{{ loop.index }} AS MATERIALIZED (
    SELECT
        a{{ loop.index }} AS value,
        CAST(ROW_NUMBER() OVER () AS INTEGER) AS code,
        COUNT(*) AS records,
        CAST(COUNT(*) AS DOUBLE) / SUM(COUNT(*)) OVER () AS share
    FROM known
    GROUP BY a{{ loop.index }}
),
{% endfor %}
counted AS (
    SELECT {% for _ in columns %}codes{{ loop.index }}.code AS c{{ loop.index }}, {% endfor %}COUNT(*) AS records
    FROM known
{% for _ in columns %}
    JOIN codes{{ loop.index }} ON (codes{{ loop.index }}.value IS NOT DISTINCT FROM known.a{{ loop.index }})
{% endfor %}
    GROUP BY ALL
),
combinations AS MATERIALIZED (
    SELECT ROW_NUMBER() OVER () AS combination, 0 AS nothing, *
    FROM counted
),
totals AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records
    FROM combinations
),
{% for _ in columns %}
-- A record that agrees with none on all other attributes is fully revealed. A single attribute has no other
-- attributes.
groups{{ loop.index }} AS (
    SELECT * EXCLUDE (combination, c{{ loop.index }}, records), SUM(records) AS together, MIN(combination) AS first
    FROM combinations
    GROUP BY ALL
    HAVING COUNT(*) > 1
),
gains{{ loop.index }} AS (
    SELECT combination, SUM(CAST(p * LOG2(p / share) AS DECIMAL(38, 18))) OVER (PARTITION BY first) AS gain
    FROM (
        SELECT combination, first, CAST(combinations.records AS DOUBLE) / together AS p,
            codes{{ loop.index }}.share AS share
        FROM combinations
        NATURAL JOIN groups{{ loop.index }}
        JOIN codes{{ loop.index }} ON codes{{ loop.index }}.code = combinations.c{{ loop.index }}
    ) AS shares
),
{% endfor %}
gains AS (
    SELECT
{% for _ in columns %}
        CAST(COALESCE(gains{{ loop.index }}.gain, CAST(LOG2(1 / codes{{ loop.index }}.share) AS DECIMAL(38, 18)))
            AS DECIMAL(38, 18)) AS g{{ loop.index }},
{% endfor %}
        combinations.records AS records
    FROM combinations
{% for _ in columns %}
    JOIN codes{{ loop.index }} ON codes{{ loop.index }}.code = combinations.c{{ loop.index }}
    LEFT JOIN gains{{ loop.index }} ON gains{{ loop.index }}.combination = combinations.combination
{% endfor %}
),
lines AS (
    SELECT 0 AS place, {{ columns | each("g{n}", between=" + ") }} AS gain, records
    FROM gains
{% for _ in columns %}
    UNION ALL
    SELECT {{ loop.index }} AS place, g{{ loop.index }} AS gain, records
    FROM gains
{% endfor %}
),
-- include: cumulated_gains
surprises AS (
{% for _ in columns %}
    SELECT {{ loop.index }} AS place,
        SUM(CAST(CAST(-LOG2(share) AS DECIMAL(38, 18)) * records AS DECIMAL(38, 18))) AS surprise
    FROM codes{{ loop.index }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT
    CAST(climbing.place AS INTEGER) AS place,
    totals.records,
    CAST(MAX(surprises.surprise) AS DOUBLE) / totals.records AS entropy,
    CAST(SUM(CAST(climbing.gain * climbing.records AS DECIMAL(38, 18))) AS DOUBLE) / totals.records AS mean_gain,
    CAST(MIN(CASE WHEN 2 * climbing.so_far >= totals.records THEN climbing.gain END) AS DOUBLE) AS median_gain,
    CAST(MIN(CASE WHEN 20 * climbing.so_far >= 19 * totals.records THEN climbing.gain END) AS DOUBLE) AS high_gain,
    CAST(MAX(climbing.gain) AS DOUBLE) AS highest_gain
FROM climbing
CROSS JOIN totals
LEFT JOIN surprises ON surprises.place = climbing.place
GROUP BY climbing.place, totals.records
ORDER BY climbing.place

-- name: gain_begin
-- The gains of the values that are present, by class, before any is computed.
CREATE OR REPLACE TEMP TABLE class_gains (place INTEGER, class BIGINT, gain DECIMAL(38, 18))

-- name: gain_asked
-- The distinct combinations of all attributes but one, of the classes with a value of this one.
-- takes: other_ids, attribute_index
CREATE OR REPLACE TEMP TABLE gain_asked AS
SELECT MIN(class) AS combination, LIST(class) AS classes, pattern{% for place in other_ids %}, k{{ place }}{% endfor %}

FROM class_codes
WHERE k{{ attribute_index }} > 0
GROUP BY pattern{% for place in other_ids %}, k{{ place }}{% endfor %}

-- name: gain_cells
-- The records that agree with a combination, by their value of the attribute left out, for some missing patterns.
--
-- definition: none: agreeing records have every value of the combination; wildcard: both are equal wherever neither
--   value is missing
-- missing: a record that lacks the attribute itself takes no part
--
-- takes: other_ids, attribute_index
-- parameter wildcard: flag, a missing value agrees with every value
-- parameter first_pattern: integer, index of the first pattern
-- parameter last_pattern: integer, index of the last pattern
-- parameter max_rows: integer, rows of the table at most
CREATE OR REPLACE TEMP TABLE gain_cells AS
WITH pairs AS (
    SELECT wanted.pattern AS wanted,
        held.pattern
        AS held{% for place in other_ids %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON wanted.m{{ attribute_index }} = -1
            AND held.m{{ attribute_index }}
            = -1{% if not wildcard %}{% for place in other_ids %}
            AND (held.m{{ place }} & wanted.m{{ place }}) = wanted.m{{ place }}{% endfor %}{% endif %}

    WHERE wanted.place BETWEEN {{ first_pattern | literal }} AND {{ last_pattern | literal }}
),
mine AS (
    SELECT
        gain_asked.combination,
        pairs.wanted,
        pairs.held{% for place in other_ids %},
        gain_asked.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM gain_asked
    JOIN pairs ON pairs.wanted = gain_asked.pattern
),
theirs AS (
    SELECT
        pairs.wanted,
        pairs.held,
{% for place in other_ids %}
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }},
{% endfor %}
        class_codes.k{{ attribute_index }} AS value,
        class_codes.records
    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
),
-- Unused rows, most of the table, are dropped first.
found AS (
    SELECT
        wanted,
        held,
{% for place in other_ids %}
        k{{ place }},
{% endfor %}
        value,
        CAST(SUM(records) AS BIGINT) AS records
    FROM theirs
    SEMI JOIN mine USING (wanted, held{% for place in other_ids %}, k{{ place }}{% endfor %})
    GROUP BY wanted, held{% for place in other_ids %}, k{{ place }}{% endfor %}, value
)
SELECT mine.combination, found.value, found.records
FROM mine
JOIN found
    ON found.wanted = mine.wanted
        AND found.held = mine.held{% for place in other_ids %} AND found.k{{ place }} = mine.k{{ place }}{% endfor %}

LIMIT {{ max_rows }}

-- name: gain_classes
-- The gain of the value of one attribute, for each class that has one.
--
-- definition: as in information_gain: the shares of values among agreeing records against those among all records
--   with a value
--
-- parameter attribute_index: integer, the index of the attribute
INSERT INTO class_gains
WITH priors AS (
    SELECT k{{ attribute_index }} AS value, CAST(SUM(records) AS DOUBLE) / SUM(SUM(records)) OVER () AS share
    FROM class_codes
    WHERE k{{ attribute_index }} > 0
    GROUP BY k{{ attribute_index }}
),
held AS (
    SELECT combination, value, CAST(SUM(records) AS BIGINT) AS records
    FROM gain_cells
    GROUP BY combination, value
),
sizes AS (
    SELECT combination, CAST(SUM(records) AS DOUBLE) AS records
    FROM held
    GROUP BY combination
),
gains AS (
    SELECT
        held.combination,
        SUM(CAST(held.records / sizes.records * LOG2(held.records / sizes.records / priors.share) AS DECIMAL(38, 18)))
            AS gain
    FROM held
    JOIN sizes ON sizes.combination = held.combination
    JOIN priors ON priors.value = held.value
    GROUP BY held.combination
)
SELECT {{ attribute_index }} AS place, UNNEST(gain_asked.classes) AS class, CAST(gains.gain AS DECIMAL(38, 18)) AS gain
FROM gains
JOIN gain_asked ON gain_asked.combination = gains.combination

-- name: gain_figures
-- The figures of information_gain from the gains of classes, where a missing value is no value.
--
-- definition: a missing value gains 0; the gain of a record is the sum over its values, and means are over all
--   records
-- missing: a missing value reveals nothing by itself either
--
-- parameter attributes: integer, number of attributes
WITH totals AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records
    FROM class_codes
),
wholes AS (
    SELECT class, SUM(gain) AS gain
    FROM class_gains
    GROUP BY class
),
lines AS (
    SELECT 0 AS place, COALESCE(wholes.gain, 0) AS gain, class_codes.records
    FROM class_codes
    LEFT JOIN wholes ON wholes.class = class_codes.class
    UNION ALL
    SELECT class_gains.place + 1 AS place, class_gains.gain, class_codes.records
    FROM class_gains
    JOIN class_codes ON class_codes.class = class_gains.class
{% for place in range(attributes) %}
    UNION ALL
    SELECT {{ place + 1 }} AS place, 0 AS gain, records
    FROM class_codes
    WHERE k{{ place }} = 0
{% endfor %}
),
-- include: cumulated_gains
held AS (
{% for place in range(attributes) %}
    SELECT {{ place + 1 }} AS place, k{{ place }} AS value, CAST(SUM(records) AS BIGINT) AS records
    FROM class_codes
    WHERE k{{ place }} > 0
    GROUP BY k{{ place }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
sizes AS (
    SELECT place, CAST(SUM(records) AS DOUBLE) AS records
    FROM held
    GROUP BY place
),
surprises AS (
    SELECT held.place, SUM(CAST(-LOG2(held.records / sizes.records) * held.records AS DECIMAL(38, 18))) AS surprise
    FROM held
    JOIN sizes ON sizes.place = held.place
    GROUP BY held.place
)
SELECT
    CAST(climbing.place AS INTEGER) AS place,
    totals.records,
    CASE WHEN climbing.place > 0 THEN CAST(COALESCE(MAX(surprises.surprise), 0) AS DOUBLE)
        / totals.records END AS entropy,
    CAST(SUM(CAST(climbing.gain * climbing.records AS DECIMAL(38, 18))) AS DOUBLE) / totals.records AS mean_gain,
    CAST(MIN(CASE WHEN 2 * climbing.so_far >= totals.records THEN climbing.gain END) AS DOUBLE) AS median_gain,
    CAST(MIN(CASE WHEN 20 * climbing.so_far >= 19 * totals.records THEN climbing.gain END) AS DOUBLE) AS high_gain,
    CAST(MAX(climbing.gain) AS DOUBLE) AS highest_gain
FROM climbing
CROSS JOIN totals
LEFT JOIN surprises ON surprises.place = climbing.place
GROUP BY climbing.place, totals.records
ORDER BY climbing.place
