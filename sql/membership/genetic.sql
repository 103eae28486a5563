-- genetic
-- A genetic search for a release that passes: tables are crossed, and a child replaces the worst table.
--
-- source: PWS Cup 2020, report of NTT DOCOMO, which names genetic algorithms and simulated annealing
-- runs: finish
--
-- parameter parents: columns, the table of each child's parent
-- parameter moves: relation, the records that the children receive

-- name: genetic_moves
-- Creates children: records of one parent, with some replaced by another parent's and by fresh records.
--
-- definition: indexes are drawn without replacement for each child; the records of the other parent come from the
--   same indexes, except those that the parent has too
-- source: PWS Cup 2020, report of NTT DOCOMO, which names genetic algorithms and simulated annealing
--
-- takes: parents
-- parameter name: column, the table of moves
-- parameter other_parent: columns, the table of its other parent
-- parameter fresh: relation, the fresh records
-- parameter drawn: expressions, a drawn number of a record for each child, then one of a fresh record
-- parameter crossed: integer, records that come from the other parent
-- parameter swapped: integer, fresh ones
-- parameter moved: columns, of the records, but their number
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH fresh_ones AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY {{ drawn[parents | length] | expression }}, record) - 1 AS turn
    FROM {{ fresh | relation }} AS records
),
places AS (
{% for parent in parents %}
    SELECT {{ loop.index0 }} AS proposal, record AS position,
        ROW_NUMBER() OVER (ORDER BY {{ drawn[loop.index0] | expression }}, record) - 1 AS place
    FROM {{ parent | identifier }} AS records
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT places.proposal, places.position{% for column in moved %}, comes.{{ column | identifier }}{% endfor %}

FROM places
JOIN fresh_ones AS comes ON comes.turn = places.proposal * {{ swapped }} + places.place - {{ crossed }}
WHERE places.place >= {{ crossed }} AND places.place < {{ crossed + swapped }}
{% for other in other_parent %}
UNION ALL
SELECT places.proposal, places.position{% for column in moved %}, comes.{{ column | identifier }}{% endfor %}

FROM places
JOIN {{ other | identifier }} AS comes ON comes.record = places.position
JOIN {{ parents[loop.index0] | identifier }} AS goes ON goes.record = places.position
WHERE places.proposal = {{ loop.index0 }} AND places.place < {{ crossed }}
    AND (comes.draw <> goes.draw OR comes.origin <> goes.origin)
{% endfor %}

-- name: genetic_deltas
-- The difference of each child from its parent in the sums, from the exchanged records.
-- takes: moves, parents
-- parameter codes: columns, the columns behind indexes and contributions
-- parameter cells: expression, the indexes of a record
-- parameter values: expression, its contributions to these
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

-- name: genetic_child
-- Creates the table of a child.
-- takes: moves
-- parameter name: column, the table
-- parameter parent: relation, the table of its parent
-- parameter child: integer, which of them
-- parameter columns: columns, of the records, but their number
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    parent.record
{% for column in columns %}
    , CASE WHEN moved.position IS NULL THEN parent.{{ column | identifier }}
        ELSE moved.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ parent | relation }} AS parent
LEFT JOIN (SELECT * FROM {{ moves | relation }} AS moves WHERE proposal = {{ child }}) AS moved
    ON moved.position = parent.record
