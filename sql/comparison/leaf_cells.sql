-- leaf_cells
-- The cells of a release that each value of the original falls into, in each way of generalising that is in use.
--
-- definition: cells of one way do not overlap, so a value has at most one cell in it; sets may
-- portable: no
--
-- parameter leaves: column, the numbered values of the original
-- parameter names: column, what the values are called
-- parameter cells: column, the cells with what they cover
-- parameter intervals: texts, the ways of generalising that are intervals
-- parameter layers: texts, the other ways
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT DISTINCT cells.layer, names.code, cells.cell
FROM {{ cells | identifier }} AS cells
JOIN {{ names | identifier }} AS names ON names.name = cells.name AND names.layer = cells.layer
WHERE list_contains({{ layers | literal }}, cells.layer)
UNION ALL
SELECT cells.layer, cells.first, cells.cell
FROM {{ cells | identifier }} AS cells
WHERE cells.layer = 'value' AND cells.name IS NULL
UNION ALL
SELECT DISTINCT members.layer, leaves.code, members.cell
FROM (
    SELECT cell, layer, UNNEST(members) AS name
    FROM {{ cells | identifier }}
    WHERE layer = 'set'
) AS members
JOIN {{ leaves | identifier }} AS leaves ON leaves.name = members.name
{% for interval in intervals %}
UNION ALL
SELECT cells.layer, leaves.code, cells.cell
FROM {{ leaves | identifier }} AS leaves
ASOF JOIN (SELECT * FROM {{ cells | identifier }} WHERE layer = {{ interval | literal }}) AS cells ON leaves.code >= cells.first
WHERE leaves.code <= cells.last
{% endfor %}
