-- drop_labels
-- Drops the lines of a hierarchy once its table is made.
--
-- portable: no
--
-- parameter name: column, the table
DROP TABLE {{ name | identifier }}
