-- set_listed
-- The attribute sets in order: by size, and those that single out most first.
--
-- portable: no
--
-- parameter most: integer, list so many at most
-- parameter best: integer, 1 for the best set of each size alone
WITH ranked AS (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY size ORDER BY singled_out DESC, classes DESC, mask) AS place,
        COUNT(*) OVER ({% if best %}PARTITION BY size{% endif %}) AS total,
        COUNT(*) OVER ({% if best %}PARTITION BY size {% endif %}ORDER BY size, singled_out DESC, classes DESC) AS reached
    FROM set_figures
)
SELECT mask, size, classes, distinction, separation, singled_out, share_singled_out, lower, upper, smallest_class, total, reached
FROM ranked
{% if best %}
WHERE place = 1
{% endif %}
ORDER BY size, place
LIMIT {{ most | literal }}
