-- class_estimate
-- About how many different combinations of values the records have, by a sketch of a few kilobytes.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
SELECT APPROX_COUNT_DISTINCT(HASH({% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})) AS classes
FROM {{ source | relation }}
