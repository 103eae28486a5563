-- examine_sets
-- Finds the open persons whom sets single out.
--
-- definition: a set singles out whose combination on it is nobody else's. A batch of sets shares one statement:
--   the set's number stands above the bits of the combination. Where few persons are open, only records that
--   share a combination with one of them are grouped.
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integers, the words that hold fields of these sets
-- parameter bits: integer, bits of these fields where they lie in one word
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
{% if words | length == 1 and bits < 44 %}
        , ((batch.number - {{ first | literal }}) << {{ bits | literal }}) | (combined.p{{ words[0] }} & batch.f{{ words[0] }}) AS k
{% else %}
        , batch.number - {{ first | literal }} AS k
{% for word in words %}
        , combined.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
{% endif %}
    FROM {{ table | identifier }} AS combined, batch
{% if ignored %}
    WHERE (combined.missing & batch.mask) = 0
{% endif %}
),
singled AS (
    SELECT{% if several %} DISTINCT{% endif %}

        {% if words | length == 1 and bits < 44 %}k >> {{ bits | literal }}{% else %}k{% endif %} AS number, {% if several %}MIN(id){% else %}ANY_VALUE(id){% endif %} AS id
    FROM keyed
{% if witnesses %}
    SEMI JOIN (
        SELECT
{% if words | length == 1 and bits < 44 %}
            ((batch.number - {{ first | literal }}) << {{ bits | literal }}) | (open.p{{ words[0] }} & batch.f{{ words[0] }}) AS k
{% else %}
            batch.number - {{ first | literal }} AS k
{% for word in words %}
            , open.p{{ word }} & batch.f{{ word }} AS k{{ word }}
{% endfor %}
{% endif %}
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
    ) AS wanted USING (k{% if words | length > 1 or bits >= 44 %}{% for word in words %}, k{{ word }}{% endfor %}{% endif %})
{% endif %}
    GROUP BY k{% if words | length > 1 or bits >= 44 %}{% for word in words %}, k{{ word }}{% endfor %}{% endif %}

    HAVING {% if several %}MIN(id) = MAX(id) AND COUNT(*) = COUNT(id){% else %}COUNT(*) = 1{% endif %}

)
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
QUALIFY batch.tier = MIN(batch.tier) OVER (PARTITION BY singled.id)
{% endif %}
