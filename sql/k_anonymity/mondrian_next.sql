-- mondrian_next
-- The tuples of the groups that may still be cut, or of those that are done.
--
-- definition: a group is done that cannot be cut, or has fewer than 2k records
-- portable: no
--
-- parameter columns: columns, the quasi-identifiers
-- parameter k: integer, the least records of a class
-- parameter open: integer, 1 for the groups that may still be cut
{% if open %}
CREATE OR REPLACE TEMP TABLE quasi_open AS
{% else %}
INSERT INTO quasi_classes
{% endif %}
WITH sided AS (
    SELECT
        one.*,
        parts.made,
        parts.below,
        parts.above,
        CASE attribute{% for column in columns %} WHEN {{ loop.index0 }} THEN x{{ loop.index0 }}{% endfor %} END <= cut AS is_below
    FROM quasi_open AS one
    LEFT JOIN quasi_parts AS parts USING (part)
),
cut AS (
    SELECT
        *,
        CASE WHEN made IS NULL THEN part WHEN is_below THEN made - 1 ELSE made END AS place,
        made IS NOT NULL AND CASE WHEN is_below THEN below ELSE above END >= {{ 2 * k }} AS is_open
    FROM sided
)
SELECT
    tuple,
    place AS part,
    n
{% if open %}
{% for column in columns %}
    , x{{ loop.index0 }}
{% endfor %}
{% endif %}
FROM cut
WHERE is_open = {{ (open == 1) | literal }}
