-- jo_model
-- The value of a leak of each record by the JO model: sensitivity times ease, with the records and sets behind it.
--
-- idea: each pattern of missing values has a sensitivity and each tier of sets an ease; persons are counted by both,
--   and the figures are sums over these counts.
-- source: JNSA 2003 (JO model); Yamaoka and Itoh, sections 3 and 4
-- runs: finish
-- reads: best, left_persons, searched_attributes, settled, users_missing, without_attribute
-- makes: outcomes, patterns, tier_ease
--
-- parameter names: integer, the bits of attributes that hold a name
-- parameter addresses: integer, the bits of attributes that hold an address
-- parameter phones: integer, the bits of attributes that hold a telephone number
-- parameter base: number, the value of the least sensitive record
-- parameter source: relation, the records

-- name: patterns
-- The sensitivity of a person's values for each pattern of missing values, and their identifiability in JO.
--
-- definition: sensitivity = 10^(max P - 1) + 5^(max E - 1) over the attributes that are not missing, 0 where all
--   are; identifiability = 6 where a name and an address are there, 3 where a name, or an address and a
--   telephone number are, else 1
-- source: JNSA 2003 (JO model); Yamaoka and Itoh, section 3, equations 1 and 2, table 2
--
-- takes: names, addresses, phones
-- parameter persons: column, the persons and their missing attributes
-- parameter by_person: flag, the table has one row for each person; else it counts their records
CREATE OR REPLACE TEMP TABLE patterns AS
WITH counted AS (
    SELECT missing, CAST({% if by_person %}COUNT(*){% else %}SUM(records){% endif %} AS BIGINT) AS records
    FROM {{ persons | identifier }}
    GROUP BY missing
),
levels AS (
    SELECT missing, MAX(economic) AS economic, MAX(psychological) AS psychological
    FROM counted
    JOIN searched_attributes ON (counted.missing & bit) = 0
    GROUP BY missing
),
held AS (
    SELECT
        missing,
        {{ names | literal }} & ~missing AS names,
        {{ addresses | literal }} & ~missing AS addresses,
        {{ phones | literal }} & ~missing AS phones
    FROM counted
)
SELECT
    missing,
    counted.records,
    COALESCE(CAST(POWER(10, levels.psychological - 1) + POWER(5, levels.economic - 1) AS INTEGER), 0) AS sensitivity,
    CASE WHEN held.names <> 0 AND held.addresses <> 0 THEN 6
        WHEN held.names <> 0 OR (held.addresses <> 0 AND held.phones <> 0) THEN 3
        ELSE 1 END AS jo_identifiability,
    CASE WHEN held.names <> 0 THEN held.names | held.addresses
        WHEN held.addresses <> 0 AND held.phones <> 0 THEN held.addresses | held.phones
        ELSE 0 END AS jo_mask
FROM counted
LEFT JOIN levels USING (missing)
JOIN held USING (missing)

-- name: tier_ease
-- The ease of being singled out by the sets of each tier, and the tiers in order, from the easiest on.
--
-- definition: ease = 2 i(I), i(I) = 0.9^(|I| - 1) / (log8(s(I) - 1) + 1), s(I) = 5^(max E - 1) + 10^(max P - 1)
-- source: Yamaoka and Itoh, equations 2 to 4
--
-- parameter sizes: integers, attributes in the sets of each tier
-- parameter economic: integers, the highest economic level in them
-- parameter psychological: integers, the highest psychological level in them
CREATE OR REPLACE TEMP TABLE tier_ease AS
WITH eased AS (
    SELECT
        *,
        ROUND(
            2 * POWER(CAST(0.9 AS DOUBLE), size - 1)
            / (LOG2(POWER(5, economic - 1) + POWER(10, psychological - 1) - 1) / 3 + 1),
            12
        ) AS ease
    FROM (
        SELECT
            GENERATE_SUBSCRIPTS({{ sizes | literal }}, 1) AS place,
            CAST(UNNEST({{ sizes | literal }}) AS INTEGER) AS size,
            CAST(UNNEST({{ economic | literal }}) AS INTEGER) AS economic,
            CAST(UNNEST({{ psychological | literal }}) AS INTEGER) AS psychological
    ) AS listed
)
SELECT ROW_NUMBER() OVER (ORDER BY ease DESC, place) - 1 AS tier, size, economic, psychological, ease
FROM eased

-- name: tiers
-- The tiers in their order.
SELECT tier AS number, size, economic, psychological FROM tier_ease ORDER BY tier

-- name: outcomes
-- Counts the persons by their easiest sets and their pattern of missing values.
--
-- definition: the ease of a person is that of the easiest sets that single them out, 0 if there is none; JO's
--   identifiability replaces it from 3 on. A person left unknown by a limit has none.
-- source: Yamaoka and Itoh, section 4.2
--
-- parameter by_user: flag, persons are users, with a list of their missing attributes
-- parameter only_missing: flag, only persons with missing values were searched; the others stay as they are
CREATE OR REPLACE TEMP TABLE outcomes AS
WITH
booked AS (
    SELECT
        tier, first_mask, any_mask, every_mask,
            {% if by_user %}users_missing.missing{% else %}settled.missing{% endif %} AS missing, COUNT(*) AS records
    FROM settled
{% if by_user %}
    JOIN users_missing USING (id)
{% endif %}
    GROUP BY tier, first_mask, any_mask, every_mask,
        {% if by_user %}users_missing.missing{% else %}settled.missing{% endif %}

),
unknown AS (
    SELECT {% if by_user %}users_missing.missing{% else %}left_persons.missing{% endif %} AS missing,
        COUNT(DISTINCT id) AS records
    FROM left_persons
{% if by_user %}
    JOIN users_missing USING (id)
{% endif %}
    GROUP BY {% if by_user %}users_missing.missing{% else %}left_persons.missing{% endif %}

),
counted AS (
    SELECT missing, SUM(records) AS records
    FROM (SELECT missing, records FROM booked UNION ALL SELECT missing, records FROM unknown) AS seen
    GROUP BY missing
),
parts AS (
    SELECT tier, first_mask, any_mask, every_mask, missing, records, FALSE AS unknown FROM booked
    UNION ALL
    SELECT NULL, 0, 0, 0, missing, records, TRUE FROM unknown
    UNION ALL
    SELECT NULL, 0, 0, 0, patterns.missing, patterns.records - COALESCE(counted.records, 0), FALSE
    FROM patterns
    LEFT JOIN counted USING (missing)
    WHERE patterns.records > COALESCE(counted.records, 0)
{% if only_missing %}
        AND missing <> 0
{% endif %}
)
SELECT
    parts.tier,
    CASE WHEN jo_identifiability >= 3 THEN jo_mask ELSE first_mask END AS first_mask,
    CASE WHEN jo_identifiability >= 3 THEN jo_mask ELSE any_mask END AS any_mask,
    every_mask,
    missing,
    sensitivity,
    jo_identifiability,
    CASE WHEN jo_identifiability >= 3 THEN jo_identifiability
        WHEN unknown THEN NULL
        ELSE COALESCE(tier_ease.ease, 0) END AS ease,
    CAST(parts.records AS BIGINT) AS records
FROM parts
JOIN patterns USING (missing)
LEFT JOIN tier_ease ON tier_ease.tier = parts.tier
{% if only_missing %}
UNION ALL
SELECT tier, first_mask, any_mask, every_mask, missing, sensitivity, jo_identifiability, ease, records
FROM outcomes
WHERE missing = 0
{% endif %}

-- name: jo_model
-- The totals of a table, and the highest figures of the JO model.
--
-- definition: JO's compensation is its total value times both factors; the change is that of the total value; the
--   last tier is that of the least easy sets that settle a person
--
-- takes: base
-- parameter social_responsibility: integer, JO's factor
-- parameter post_response: integer, JO's factor
-- parameter stopped_at: integer or none, number of the first tier that a limit left out; persons left unknown are
--   singled out by no easier set
WITH totals AS (
    SELECT
        CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS BIGINT) AS singled_out,
        CAST(SUM(CASE WHEN ease = 0 THEN records ELSE 0 END) AS BIGINT) AS not_singled_out,
        CAST(SUM(CASE WHEN ease IS NULL THEN records ELSE 0 END) AS BIGINT) AS unknown,
        CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS DOUBLE) / NULLIF(SUM(records), 0) AS singled_out_share,
        COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * records) AS DOUBLE), 0) AS total_ease,
        COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE), 0)
            * {{ base | literal }} AS total_value,
        CAST(SUM(records * sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_total_value,
        MAX(CASE WHEN jo_identifiability < 3 THEN tier END) AS last_tier,
        MAX(sensitivity) AS sensitivity,
        MAX(jo_identifiability) AS jo_identifiability,
        CAST(MAX(sensitivity * jo_identifiability) AS DOUBLE) * {{ base | literal }} AS jo_value_per_record
    FROM outcomes
)
SELECT
    singled_out,
    singled_out_share,
    not_singled_out,
    unknown,
    last_tier,
    CASE WHEN unknown > 0
        THEN (SELECT ease FROM tier_ease WHERE tier = {{ stopped_at | literal }}) END AS unknown_ease_at_most,
    total_ease,
    total_value,
    jo_total_value,
    jo_total_value * {{ social_responsibility | literal }} * {{ post_response | literal }} AS total_compensation,
    sensitivity,
    jo_identifiability,
    jo_value_per_record
FROM totals

-- name: distribution
-- The number of persons of each ease, and the value of a leak of them.
--
-- definition: value = base * sensitivity * ease; JO's value = base * sensitivity * identifiability
--
-- takes: base
SELECT
    ease,
    CAST(SUM(records) AS BIGINT) AS records,
    CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE) * {{ base | literal }} AS value
FROM outcomes
GROUP BY ease
ORDER BY ease DESC NULLS LAST

-- name: set_values
-- The attribute sets by the value of the persons they single out most easily, one line for each ease.
--
-- definition: a set has one ease by Yamaoka and Itoh; JO's identifiability of 3 or 6 has a line of its own, so the
--   ease of a line is that of each of its records
--
-- takes: base
-- parameter max_rows: integer, largest number of sets to list
WITH valued AS (
    SELECT
        first_mask AS mask,
        outcomes.ease,
        CAST(SUM(records) AS BIGINT) AS records,
        CAST(SUM(CAST(outcomes.ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE)
            * {{ base | literal }} AS value
    FROM outcomes
    WHERE outcomes.ease > 0
    GROUP BY first_mask, outcomes.ease
)
SELECT
    mask,
    ease,
    records,
    value,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY value DESC, ease DESC) AS reached
FROM valued
ORDER BY value DESC, ease DESC, mask
LIMIT {{ max_rows | literal }}

-- name: attribute_parts
-- The number of persons with each attribute in one of their easiest sets.
SELECT
    position,
    CAST(COALESCE(SUM(CASE WHEN (any_mask & bit) <> 0 THEN records END), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN (any_mask & bit) <> 0 THEN records END), 0) AS DOUBLE)
        / NULLIF(SUM(CASE WHEN outcomes.ease > 0 THEN records END), 0) AS share
FROM searched_attributes
CROSS JOIN outcomes
GROUP BY position
ORDER BY position

-- name: totals_without
-- The total value without each attribute, and its relative change.
--
-- definition: a person singled out by another of their easiest sets keeps their ease; the others get that of the
--   easiest set without the attribute, or 0. The sensitivity is that of the remaining attributes.
--
-- takes: base, names, addresses, phones
-- parameter before: text, the digits of the total value of the whole table
WITH left_over AS (
    SELECT
        dropped.position, dropped.bit, missing, MAX(known.economic) AS economic,
            MAX(known.psychological) AS psychological
    FROM patterns
    CROSS JOIN searched_attributes AS dropped
    LEFT JOIN searched_attributes AS known ON (patterns.missing & known.bit) = 0 AND known.bit <> dropped.bit
    GROUP BY dropped.position, dropped.bit, missing
),
priced AS (
    SELECT
        position,
        missing,
        COALESCE(CAST(POWER(10, psychological - 1) + POWER(5, economic - 1) AS INTEGER), 0) AS sensitivity,
        CASE WHEN ({{ names | literal }} & ~missing & ~bit) <> 0 AND ({{ addresses | literal }} & ~missing & ~bit) <> 0
            THEN 6
            WHEN ({{ names | literal }} & ~missing & ~bit) <> 0
                OR (({{ addresses | literal }} & ~missing & ~bit) <> 0
                    AND ({{ phones | literal }} & ~missing & ~bit) <> 0) THEN 3
            ELSE 1 END AS jo_identifiability
    FROM left_over
),
remaining AS (
    SELECT position, tier, missing, records
    FROM outcomes
    CROSS JOIN searched_attributes
    WHERE (every_mask & bit) = 0
    UNION ALL
    SELECT position, tier, missing, records FROM without_attribute
),
totals AS (
    SELECT
        position,
        CAST(SUM(
            CAST(CASE WHEN jo_identifiability >= 3 THEN jo_identifiability
                ELSE COALESCE(tier_ease.ease, 0) END AS DECIMAL(18, 15))
            * (remaining.records * sensitivity)
        ) AS DOUBLE) * {{ base | literal }} AS total_value
    FROM remaining
    JOIN priced USING (position, missing)
    LEFT JOIN tier_ease ON tier_ease.tier = remaining.tier
    GROUP BY position
)
SELECT position, total_value, total_value / NULLIF(CAST({{ before | literal }} AS DOUBLE), 0) - 1 AS change
FROM totals
ORDER BY position

-- name: totals_coarser
-- The persons still singled out if an attribute is published in a coarser form, and the total value then.
--
-- definition: a person singled out by another of their easiest sets keeps their ease; the others get that of the
--   easiest set with the form instead of the attribute, or 0
--
-- takes: base
-- parameter forms: integers, the positions of the coarser forms
-- parameter form_bits: integers, the bits of the attributes whose forms these are
-- parameter before: text, the digits of the total value of the whole table
WITH forms AS (
    SELECT UNNEST({{ forms | literal }}) AS position, UNNEST({{ form_bits | literal }}) AS bit
),
remaining AS (
    SELECT position, tier, missing, records
    FROM outcomes
    JOIN forms ON (every_mask & bit) = 0
    UNION ALL
    SELECT position, tier, missing, records
    FROM without_attribute
    JOIN forms USING (position)
),
eased AS (
    SELECT
        position,
        remaining.records,
        sensitivity,
        CASE WHEN jo_identifiability >= 3 THEN jo_identifiability ELSE COALESCE(tier_ease.ease, 0) END AS ease
    FROM remaining
    JOIN patterns USING (missing)
    LEFT JOIN tier_ease ON tier_ease.tier = remaining.tier
),
totals AS (
    SELECT
        position,
        CAST(SUM(CASE WHEN ease > 0 THEN records ELSE 0 END) AS BIGINT) AS singled_out,
        COALESCE(CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE), 0)
            * {{ base | literal }} AS total_value
    FROM eased
    GROUP BY position
)
SELECT
    position, singled_out, total_value, total_value / NULLIF(CAST({{ before | literal }} AS DOUBLE), 0) - 1 AS change
FROM totals
ORDER BY position

-- name: record_outcomes
-- Every record with its ease, its value and its easiest sets.
--
-- definition: ease = 2 max i(I) over the attribute sets I that single the record out, 0 where none does, NULL where a
--   limit left it unknown; value = base * sensitivity * ease
--
-- takes: source, base
-- parameter attributes: attributes, in the order of their bits
-- parameter names: texts, their names
WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
held AS (
    SELECT
        record,
        {{ attributes | each("(CASE WHEN v{i} IS NULL THEN CAST({bit} AS BIGINT) ELSE 0 END)", between=" | ") }}
            AS missing
    FROM records
),
other_sets AS (
    SELECT best.id, LIST(best.mask ORDER BY best.mask) AS masks
    FROM best
    JOIN settled ON settled.id = best.id AND settled.tier = best.tier AND settled.first_mask <> best.mask
    GROUP BY best.id
),
unknown AS (
    SELECT DISTINCT id FROM left_persons
),
joined AS (
    SELECT
        held.record,
        held.missing,
        patterns.sensitivity,
        patterns.jo_identifiability,
        CASE WHEN patterns.jo_identifiability >= 3 THEN patterns.jo_identifiability
            WHEN unknown.id IS NOT NULL THEN NULL
            ELSE COALESCE(tier_ease.ease, 0) END AS ease,
        CASE WHEN patterns.jo_identifiability >= 3 THEN patterns.jo_mask
            ELSE COALESCE(settled.first_mask, 0) END AS mask,
        CASE WHEN patterns.jo_identifiability < 3 THEN other_sets.masks END AS others
    FROM held
    JOIN patterns USING (missing)
    LEFT JOIN settled ON settled.id = held.record
    LEFT JOIN tier_ease ON tier_ease.tier = settled.tier
    LEFT JOIN other_sets ON other_sets.id = held.record
    LEFT JOIN unknown ON unknown.id = held.record
)
SELECT
    record,
    ease > 0 AS singled_out,
    CAST(ease AS DOUBLE) AS ease,
    CAST(ease * sensitivity * {{ base | literal }} AS DOUBLE) AS value,
    CAST(jo_identifiability * sensitivity * {{ base | literal }} AS DOUBLE) AS jo_value,
    list_filter({{ names | literal }}, lambda name, place: (mask >> CAST(place - 1 AS INTEGER)) & 1 = 1) AS attributes,
    list_transform(
        COALESCE(others, CAST([] AS BIGINT[])),
        lambda other: list_filter(
            {{ names | literal }}, lambda name, place: (other >> CAST(place - 1 AS INTEGER)) & 1 = 1)
    ) AS also,
    mask,
    missing,
    others
FROM joined

-- name: write_records
-- Writes the table of all records with their ease and value into a private Parquet file.
-- parameter records: relation, the records with their ease and value
-- parameter path: text, the file
COPY (
    SELECT record, singled_out, ease, value, jo_value, attributes, also
    FROM ({{ records | relation }}) AS outcome
    ORDER BY record
) TO {{ path | literal }} (FORMAT parquet, COMPRESSION zstd)

-- name: scenarios
-- The records with the largest value of a leak, each with its easiest sets.
-- takes: base
-- parameter records: relation or none, all records with their outcome; needed where a name is among the attributes,
--   because a record with a name need not be singled out
-- parameter max_rows: integer, largest number of records to list
WITH outcome AS (
{% if records %}
    SELECT record, mask, ease, missing, value, others FROM ({{ records | relation }}) AS listed WHERE ease > 0
{% else %}
    SELECT
        settled.id AS record,
        first_mask AS mask,
        tier,
        tier_ease.ease,
        missing,
        sensitivity * tier_ease.ease * {{ base | literal }} AS value
    FROM settled
    JOIN tier_ease USING (tier)
    JOIN patterns USING (missing)
{% endif %}
),
worst AS (
    SELECT * FROM outcome ORDER BY value DESC, record LIMIT {{ max_rows | literal }}
),
-- Records not listed are counted, as records of the same outcome are one row.
counted AS (
    SELECT
        CAST(SUM(records) AS BIGINT) AS total,
        CAST(SUM(CASE WHEN CAST(ease * sensitivity * {{ base | literal }} AS DOUBLE) >= lowest.value THEN records
            ELSE 0 END) AS BIGINT) AS reached
    FROM outcomes
    CROSS JOIN (SELECT CAST(MIN(value) AS DOUBLE) AS value FROM worst) AS lowest
    WHERE outcomes.ease > 0
)
SELECT
    record, mask, CAST(ease AS DOUBLE) AS ease, missing, CAST(value AS DOUBLE) AS value,
{% if records %}
    others AS also
{% else %}
    (
        SELECT LIST(best.mask ORDER BY best.mask)
        FROM best
        WHERE best.id = worst.record AND best.tier = worst.tier AND best.mask <> worst.mask
    ) AS also
{% endif %}
    , counted.total, counted.reached
FROM worst
CROSS JOIN counted
ORDER BY value DESC, record

-- name: cells
-- The values of some records as texts, only at the user's request.
-- takes: source
-- parameter attributes: attributes, whose values are wanted
-- parameter records: integers, the numbers of the records
WITH numbered AS (
    SELECT
        ROW_NUMBER() OVER () AS record
{% for attribute in attributes %}
        , CAST({{ attribute | value }} AS VARCHAR) AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT record, [{{ attributes | each("v{i}") }}] AS cells
FROM numbered
WHERE list_contains({{ records | literal }}, record)
ORDER BY record
