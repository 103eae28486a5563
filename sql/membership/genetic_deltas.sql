-- genetic_deltas
-- What makes each child other than its parent in the sums, from the records that it has not of it alone.
--
-- portable: no
--
-- parameter moves: relation, what the children get
-- parameter parents: columns, the table of each child's parent
-- parameter codes: columns, that the cells and values are made of
-- parameter cells: expression, the cells of a record
-- parameter values: expression, what it adds to them
SELECT proposal, cell, CAST(SUM(sign * value) AS BIGINT) AS delta
FROM (
    SELECT proposal, sign, UNNEST({{ cells | expression }}) AS cell, UNNEST({{ values | expression }}) AS value
    FROM (
        SELECT proposal, 1 AS sign{% for code in codes %}, {{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
{% for parent in parents %}
        UNION ALL
        SELECT moves.proposal, -1 AS sign{% for code in codes %}, gone.{{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
        JOIN {{ parent | identifier }} AS gone ON gone.record = moves.position
        WHERE moves.proposal = {{ loop.index0 }}
{% endfor %}
    ) AS swapped
) AS added
GROUP BY proposal, cell
HAVING SUM(sign * value) <> 0
ORDER BY proposal, cell
