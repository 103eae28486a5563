-- genetic_moves
-- Makes children: of each some records of one parent's table that another parent's take the place of, and fresh ones.
--
-- definition: places are drawn without replacement for each child; the records of the other parent come from the same places,
--   but for those that the parent has too
-- source: PWS Cup 2020, report of NTT DOCOMO, which names genetic algorithms beside simulated annealing
-- portable: no
--
-- parameter name: column, the table of moves
-- parameter parents: columns, the table of each child's parent
-- parameter others: columns, the table of its other parent
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
    SELECT {{ loop.index0 }} AS proposal, record AS position, ROW_NUMBER() OVER (ORDER BY {{ drawn[loop.index0] | expression }}, record) - 1 AS place
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
{% for other in others %}
UNION ALL
SELECT places.proposal, places.position{% for column in moved %}, comes.{{ column | identifier }}{% endfor %}

FROM places
JOIN {{ other | identifier }} AS comes ON comes.record = places.position
JOIN {{ parents[loop.index0] | identifier }} AS goes ON goes.record = places.position
WHERE places.proposal = {{ loop.index0 }} AND places.place < {{ crossed }}
    AND (comes.draw <> goes.draw OR comes.origin <> goes.origin)
{% endfor %}
