-- attach
-- Attaches a database, read-only.
--
-- portable: no
--
-- parameter address: text, a file or a connection string
-- parameter name: column, the name it gets
-- parameter kind: column or none, the kind of database where it is not DuckDB's own
ATTACH {{ address | literal }} AS {{ name | identifier }} (READ_ONLY{% if kind is not none %}, TYPE {{ kind | identifier }}{% endif %})
