-- count_drawn_out
-- How many values have no cell that is not drawn anew.
--
-- definition: unless a cell draws them, nothing of them is left
-- source: perturbation
-- portable: yes
--
-- parameter domain: relation, the values, each with its cells and those that are drawn anew
SELECT COUNT(*) AS found
FROM {{ domain | relation }} AS domain
WHERE changed = cells
