-- mysql_rename
-- Gives a table of a MySQL database another name.
--
-- portable: no
--
-- parameter database: text, the name it was attached under
-- parameter schema: text, the schema
-- parameter table: text, the table
-- parameter new: text, the name it gets
CALL mysql_execute({{ database | literal }}, 'RENAME TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`' || REPLACE({{ table | literal }}, '`', '``') || '` TO `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`' || REPLACE({{ new | literal }}, '`', '``') || '`')
