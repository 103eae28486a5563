-- attach_to_write
-- Attaches the database that a release is written to, of a kind that an extension knows.
--
-- portable: no
--
-- parameter address: text, a file or a connection string
-- parameter name: column, the name it gets
-- parameter kind: column, the kind of database
-- parameter data: text or none, the folder for the data files of a new DuckLake
ATTACH {{ address | literal }} AS {{ name | identifier }} (TYPE {{ kind | identifier }}{% if data is not none %}, DATA_PATH {{ data | literal }}{% endif %})
