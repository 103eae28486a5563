-- examine_set
-- Finds the persons whom one set singles out, in a table too large for several sets to share a statement.
--
-- definition: as examine_sets, with constant masks. Where most persons are open, those settled before are found
--   again, and left out when the tier is booked.
-- portable: no
--
-- parameter table: column, the combinations, or a part of them that holds all or none of those that agree on the set
-- parameter mask: integer, the set
-- parameter set_bits: integer, bits of an attribute set
-- parameter words: integers, the words that hold fields of the set
-- parameter fields: integers, the bits of these fields
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter ignored: integer, 1 where a missing value tells nothing, 0 where it is a value
-- parameter tier: integer, the number of the tier
-- parameter found: column, the table that the persons are put in
-- parameter begin: integer, 1 to begin that table
-- parameter filtered: integer, 1 to leave out at once who is not open
-- parameter witnesses: integer, 1 to group only what shares a combination with an open person
-- parameter with_values: integer, 0 where the open persons are listed without their values
-- parameter class: integer, the bit of the class of these open persons, 0 for all
-- parameter pattern: integer or none, the missing values that a person must have to be found; none finds all
{% if begin %}
CREATE OR REPLACE TEMP TABLE {{ found | identifier }} AS
{% else %}
INSERT INTO {{ found | identifier }} BY NAME
{% endif %}
WITH keyed AS (
    SELECT id{% for word in words %}, p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% endfor %}

    FROM {{ table | identifier }}
    WHERE TRUE
{% if ignored %}
        AND (missing & {{ mask | literal }}) = 0
{% endif %}
),
{% if witnesses %}
wanted AS (
    SELECT {% for word in words %}p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM open_persons AS open
{% if not with_values %}
    JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
    WHERE (required & ~{{ mask | literal }}) = 0
{% if ignored %}
        AND (open.missing & {{ mask | literal }}) = 0
{% endif %}
{% if class %}
        AND (classes & {{ class | literal }}) <> 0
{% endif %}
{% if pattern is not none %}
        AND open.missing = {{ pattern | literal }}
{% endif %}
),
{% endif %}
singled AS (
    SELECT {% if several %}MIN(id){% else %}ANY_VALUE(id){% endif %} AS id
    FROM keyed
{% if witnesses %}
    SEMI JOIN wanted USING ({% for word in words %}k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %})
{% endif %}
    GROUP BY {% for word in words %}k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    HAVING {% if several %}MIN(id) = MAX(id) AND COUNT(*) = COUNT(id){% else %}COUNT(*) = 1{% endif %}

)
SELECT {% if several %}DISTINCT {% endif %}id, {{ tier | literal }} AS tier,
    CAST({{ mask | literal }} AS {{ set_bits | integer_type }}) AS mask
FROM singled
WHERE id IS NOT NULL
{% if filtered %}
    AND id IN (SELECT id FROM open_persons{% if pattern is not none %} WHERE missing = {{ pattern | literal }}{% endif %})
{% endif %}
