-- move_positions
-- The records that would be replaced, in the order of the proposals.
--
-- portable: yes
--
-- parameter moves: relation, the proposals
SELECT position
FROM {{ moves | relation }} AS moves
ORDER BY slot
