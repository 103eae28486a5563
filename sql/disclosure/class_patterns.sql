-- class_patterns
-- The ways in which cells are missing, as bits, with their place: -1 where the cell is there, 0 where it is not.
--
-- portable: no
--
-- parameter attributes: integer, how many quasi-identifiers there are
CREATE OR REPLACE TEMP TABLE class_patterns AS
WITH ways AS (
    SELECT DISTINCT pattern, missing_cells
    FROM class_codes
)
SELECT
    pattern,
    missing_cells,
    ROW_NUMBER() OVER (ORDER BY pattern) - 1 AS place,
{% for place in range(attributes) %}
    CASE WHEN ((pattern >> {{ place }}) & 1) = 1 THEN 0 ELSE -1 END AS m{{ place }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM ways
