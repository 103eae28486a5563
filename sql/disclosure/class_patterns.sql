-- class_patterns
-- Numbers the ways in which cells are missing: -1 in a place where the cell is there, 0 where it is not.
--
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
CREATE OR REPLACE TEMP TABLE class_patterns AS
WITH ways AS (
    SELECT DISTINCT
{% for place in range(attributes) %}
        CASE WHEN v{{ place }} IS NULL THEN 0 ELSE -1 END AS m{{ place }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM known_classes
)
SELECT
    ROW_NUMBER() OVER (ORDER BY {% for place in range(attributes) %}m{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}) - 1 AS pattern,
    {% for place in range(attributes) %}1 + m{{ place }}{% if not loop.last %} + {% endif %}{% endfor %} AS missing_cells,
    *
FROM ways
