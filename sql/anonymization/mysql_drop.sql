-- mysql_drop
-- Removes a table of a MySQL database, and refuses a view; the extension's own DROP forgets the schema.
--
-- portable: no
--
-- parameter database: text, the name it was attached under
-- parameter schema: text, the schema
-- parameter table: text, the table
CALL mysql_execute({{ database | literal }}, 'DROP TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`' || REPLACE({{ table | literal }}, '`', '``') || '`')
