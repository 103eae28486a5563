-- moved_records
-- The fresh records of the proposals, numbered in their order.
--
-- portable: yes
--
-- parameter name: column, the view
-- parameter moves: relation, the proposals
-- parameter fresh: relation, the fresh records
-- parameter columns: columns, of these
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT moves.slot AS record, moves.proposal, moves.position{% for column in columns %}, fresh.{{ column | identifier }}{% endfor %}

FROM {{ moves | relation }} AS moves
JOIN {{ fresh | relation }} AS fresh ON fresh.record = moves.origin
