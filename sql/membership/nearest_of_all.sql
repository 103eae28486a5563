-- nearest_of_all
-- Makes the table of the nearest candidate of every record, those that are equal among them.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, all records with codes
-- parameter different: relation, those that differ
-- parameter nearest: relation, the nearest of the latter
-- parameter keys: columns, the numbers and the words of packed codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.record, nearest.neighbour, nearest.squared_distance
FROM {{ source | relation }} AS records
JOIN {{ different | relation }} AS different
    ON {% for key in keys %}{% if not loop.first %} AND {% endif %}records.{{ key | identifier }} = different.{{ key | identifier }}{% endfor %}

JOIN {{ nearest | relation }} AS nearest ON nearest.record = different.record
