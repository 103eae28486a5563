-- first_features
-- The first records as their distances to centroids.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter columns: integer, how many distances
-- parameter most: integer, so many records at most
SELECT {% for place in range(1, columns + 1) %}n{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }} AS records
WHERE record < {{ most }}
ORDER BY record
