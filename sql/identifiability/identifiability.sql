-- identifiability
-- For every record that can be singled out, the attribute set that does it most easily, and what a leak is worth.
--
-- definition: ease = 2 max i(I) over the attribute sets I whose values the record shares with no other, with
--   i(I) = 0.9^(|I| - 1) / (log8(s(I) - 1) + 1) and s(I) = 5^(max E - 1) + 10^(max P - 1); value = base s(A) ease,
--   A being the attributes that are not missing in the record. A record with names or addresses is worth more by
--   the JO model, which this statement leaves out. It examines all 2^d - 1 sets: for up to ten attributes.
-- source: Yamaoka and Itoh, section 4, equations 3 and 4; sensitivity by the JO model (JNSA 2003)
-- missing: NULL and the tokens are one missing value; it carries no information and singles nobody out, unless
--   missing_is_value is 1
-- read: an ease of 2 means that one ordinary attribute is enough; the value is in the currency of the base
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter levels: texts, the economic and psychological level of each of them, as in '1,2'
-- parameter missing_tokens: texts, texts that count as missing
-- parameter missing_is_value: integer, 1 where a missing cell is a value like another
-- parameter base: number, the value of the least sensitive record
--
-- column record: BIGINT, number, of the record in the order of the source
-- column ease: DOUBLE, ease, between 0 and 2
-- column value: DOUBLE, currency of the base, base * sensitivity * ease
-- column attributes: VARCHAR[], names, the easiest set; of several the first as a binary number
-- column equal_sets: BIGINT, sets, how many are as easy as that one
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
    WHERE value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tokens WHERE token = TRIM(value))
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
    GROUP BY {% for column in columns %}COALESCE(codes{{ loop.index0 }}.code, 0){% if not loop.last %}, {% endif %}{% endfor %}

),
attributes AS MATERIALIZED (
    SELECT
        place - 1 AS position,
        names[place] AS name,
        CAST(SPLIT_PART(levels[place], ',', 1) AS INTEGER) AS economic,
        CAST(SPLIT_PART(levels[place], ',', 2) AS INTEGER) AS psychological
    FROM (
        SELECT
            [{% for column in columns %}{{ column | literal }}{% if not loop.last %}, {% endif %}{% endfor %}] AS names,
            [{% for level in levels %}{{ level | literal }}{% if not loop.last %}, {% endif %}{% endfor %}] AS levels
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
    WHERE {{ missing_is_value | literal }} = 1 OR NOT (
        {% for column in columns %}(((mask >> {{ loop.index0 }}) & 1) = 1 AND c{{ loop.index0 }} = 0){% if not loop.last %} OR {% endif %}{% endfor %}

    )
    GROUP BY mask{% for column in columns %}, CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

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
        SELECT record, {{ loop.index0 }} AS position FROM combinations WHERE record IS NOT NULL AND c{{ loop.index0 }} <> 0
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
