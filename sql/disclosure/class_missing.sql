-- class_missing
-- How many records and cells are missing something of the quasi-identifiers, and in how many ways.
--
-- portable: yes
--
-- parameter attributes: integer, how many quasi-identifiers there are
SELECT
    COUNT(*) AS classes,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN missing_cells > 0 THEN records END), 0) AS BIGINT) AS incomplete,
    CAST(COALESCE(SUM(missing_cells * records), 0) AS BIGINT) AS cells,
    CAST(COALESCE(SUM(unweighted), 0) AS BIGINT) AS unweighted,
    CAST(COALESCE(SUM(people), 0) AS DOUBLE) AS people,
    CAST(COALESCE(SUM(CASE WHEN missing_cells > 0 THEN 1 END), 0) AS BIGINT) AS incomplete_classes,
    (SELECT COUNT(*) FROM (
        SELECT DISTINCT {% for place in range(attributes) %}v{{ place }} IS NULL{% if not loop.last %}, {% endif %}{% endfor %}

        FROM known_classes
    ) AS ways) AS patterns
FROM known_classes
