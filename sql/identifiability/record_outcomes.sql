-- record_outcomes
-- Every record with its ease, its value and the easiest sets that single it out.
--
-- definition: ease = 2 max i(I) over the attribute sets I that single the record out, 0 where none does, NULL where a
--   limit left it unknown; value = base * sensitivity * ease
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, in the order of their bits
-- parameter names: texts, their names
-- parameter base: number, the value of the least sensitive record
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
        {% for attribute in attributes %}(CASE WHEN v{{ loop.index0 }} IS NULL THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END){% if not loop.last %} | {% endif %}{% endfor %} AS missing
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
        lambda other: list_filter({{ names | literal }}, lambda name, place: (other >> CAST(place - 1 AS INTEGER)) & 1 = 1)
    ) AS also,
    mask,
    missing,
    others
FROM joined
