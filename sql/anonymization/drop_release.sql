-- drop_release
-- Removes the table that a release replaces.
--
-- portable: yes
--
-- parameter name: relation, the table
DROP TABLE {{ name | relation }}
