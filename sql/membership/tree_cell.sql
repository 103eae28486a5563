-- tree_cell
-- The cell that counts a record by the leaf of a tree and whether it has what the tree predicts.
--
-- portable: yes
--
-- parameter leaf: expression, the number of the leaf
-- parameter target: column, what is predicted
-- parameter positive: text, its positive value
-- parameter first: integer, the first cell
{{ first }} + 2 * {{ leaf | expression }} + CASE WHEN {{ target | identifier }} = {{ positive | literal }} THEN 1 ELSE 0 END
