-- examine_sets
-- Finds the open persons whom sets single out.
--
-- definition: a set singles out whose combination on it is nobody else's. A batch of sets shares one statement:
--   the set's number stands above the bits of the combination where there is room, fewer keys being faster. Where
--   few persons are open, only records that share a combination with one of them are grouped.
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integers, the words that hold fields of these sets
-- parameter bits: integer or none, bits of these fields in the last of these words, above which the set's number has
--   room; none where it has not
-- parameter sets: column, the table of the sets
-- parameter first: integer, the first set of the batch
-- parameter last: integer, the last set of the batch
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter ignored: integer, 1 where a missing value tells nothing, 0 where it is a value
-- parameter open_if: text, which persons are open: "all", "class", "pattern" or "needed"
-- parameter class: integer, the bit of the class
-- parameter several_tiers: integer, 1 where the batch has sets of several tiers, of which a person's easiest counts
-- parameter found: column, the table that the persons are put in
-- parameter begin: integer, 1 to begin that table
-- parameter witnesses: integer, 1 to group only what shares a combination with an open person
{% if begin %}
CREATE OR REPLACE TEMP TABLE {{ found | identifier }} AS
{% else %}
INSERT INTO {{ found | identifier }} BY NAME
{% endif %}
WITH batch AS (
    SELECT * FROM {{ sets | identifier }} WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
),
keyed AS (
    SELECT
        combined.id
{% if bits is not none %}
        , ((batch.number - {{ first | literal }}) << {{ bits | literal }}) | (combined.p{{ words[-1] }} & batch.f{{ words[-1] }}) AS k
{% else %}
        , batch.number - {{ first | literal }} AS k
{% endif %}
{% for word in (words[:-1] if bits is not none else words) %}
        , combined.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
    FROM {{ table | identifier }} AS combined, batch
{% if ignored %}
    WHERE (combined.missing & batch.mask) = 0
{% endif %}
),
singled AS (
    SELECT{% if several %} DISTINCT{% endif %}

        k{% if bits is not none %} >> {{ bits | literal }}{% endif %} AS number, {% if several %}MIN(id){% else %}ANY_VALUE(id){% endif %} AS id
    FROM keyed
{% if witnesses %}
    SEMI JOIN (
        SELECT
{% if bits is not none %}
            ((batch.number - {{ first | literal }}) << {{ bits | literal }}) | (open.p{{ words[-1] }} & batch.f{{ words[-1] }}) AS k
{% else %}
            batch.number - {{ first | literal }} AS k
{% endif %}
{% for word in (words[:-1] if bits is not none else words) %}
            , open.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
        FROM open_persons AS open, batch
        WHERE TRUE
{% if ignored %}
            AND (open.missing & batch.mask) = 0
{% endif %}
{% if open_if != "pattern" %}
            AND (open.required & ~batch.mask) = 0
{% endif %}
{% if open_if == "class" %}
            AND (open.classes & {{ class | literal }}) <> 0
{% elif open_if == "pattern" %}
            AND open.missing = batch.pattern
{% elif open_if == "needed" %}
            AND (open.needed & ~batch.mask) <> 0
{% endif %}
    ) AS wanted USING (k{% for word in (words[:-1] if bits is not none else words) %}, k{{ word }}{% endfor %})
{% endif %}
    GROUP BY k{% for word in (words[:-1] if bits is not none else words) %}, k{{ word }}{% endfor %}

    HAVING {% if several %}MIN(id) = MAX(id) AND COUNT(*) = COUNT(id){% else %}COUNT(*) = 1{% endif %}

)
{% if several_tiers %}
, reached AS MATERIALIZED (
{% endif %}
SELECT singled.id, batch.tier, batch.mask
FROM singled
JOIN batch ON batch.number = singled.number + {{ first | literal }}
{% if several %}SEMI {% endif %}JOIN open_persons AS open ON open.id = singled.id
{% if open_if == "class" %}
    AND (open.classes & {{ class | literal }}) <> 0
{% elif open_if == "pattern" %}
    AND open.missing = batch.pattern
{% elif open_if == "needed" %}
    AND (open.needed & ~batch.mask) <> 0
{% endif %}
{% if several_tiers %}
),
first_reached AS (
    SELECT id, MIN(tier) AS tier FROM reached GROUP BY id
)
SELECT id, tier, mask
FROM reached
SEMI JOIN first_reached USING (id, tier)
{% endif %}
