-- near
-- The combinations that agree with an open person's in some attributes: nobody else matters to sets that contain these.
--
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter used: integers, the words that hold fields of these attributes
-- parameter fields: integers, the bits of these fields
-- parameter with_values: integer, 0 where the open persons are listed without their values
-- parameter class: integer, the bit of the class of these open persons, 0 for all
-- parameter into: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ into | identifier }} AS
WITH keyed AS (
    SELECT
        id, missing
{% for word in range(words) %}
        , p{{ word }}
{% endfor %}
{% for word in used %}
        , p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}
{% endfor %}
    FROM {{ table | identifier }}
),
wanted AS (
    SELECT {% for word in used %}p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM open_persons AS open
{% if not with_values %}
    JOIN {{ table | identifier }} AS combined ON combined.id = open.id
{% endif %}
{% if class %}
    WHERE (classes & {{ class | literal }}) <> 0
{% endif %}
)
SELECT id, missing{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM keyed
SEMI JOIN wanted USING ({% for word in used %}k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %})
