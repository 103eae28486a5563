-- list_dummies
-- The attribute and the category of each dummy, in their order.
--
-- portable: yes
--
-- parameter dummies: relation, the list of dummies
SELECT attribute, value
FROM {{ dummies | relation }} AS dummies
ORDER BY dummy
