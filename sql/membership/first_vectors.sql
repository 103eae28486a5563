-- first_vectors
-- The components of the first vectors, a column each.
--
-- portable: yes
--
-- parameter source: relation, the vectors
-- parameter components: integers, which
-- parameter most: integer, so many vectors at most
SELECT {% for component in components %}z{{ component }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }} AS vectors
WHERE record < {{ most }}
ORDER BY record
