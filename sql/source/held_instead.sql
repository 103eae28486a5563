-- held_instead
-- Puts a table in the place of the view that it was made from.
--
-- portable: no
--
-- parameter view: column, the view
-- parameter table: column, the table
DROP VIEW {{ view | identifier }};
ALTER TABLE {{ table | identifier }} RENAME TO {{ view | identifier }}
