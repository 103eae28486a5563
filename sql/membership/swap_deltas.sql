-- swap_deltas
-- What each proposal would change in the sums, from its swapped records alone.
--
-- portable: no
--
-- parameter moves: relation, the proposals
-- parameter current: relation, the records as they are
-- parameter fresh: relation, the fresh records
-- parameter codes: columns, that the cells and values are made of
-- parameter cells: expression, the cells of a record
-- parameter values: expression, what it adds to them
SELECT proposal, cell, CAST(SUM(sign * value) AS BIGINT) AS delta
FROM (
    SELECT proposal, sign, UNNEST({{ cells | expression }}) AS cell, UNNEST({{ values | expression }}) AS value
    FROM (
        SELECT moves.proposal, 1 AS sign{% for code in codes %}, fresh.{{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
        JOIN {{ fresh | relation }} AS fresh ON fresh.record = moves.origin
        UNION ALL
        SELECT moves.proposal, -1 AS sign{% for code in codes %}, gone.{{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
        JOIN {{ current | relation }} AS gone ON gone.record = moves.position
    ) AS swapped
) AS added
GROUP BY proposal, cell
HAVING SUM(sign * value) <> 0
ORDER BY proposal, cell
