-- detach_release
-- Lets go of the database that a release was written to, with all of it in its file.
--
-- portable: no
--
-- parameter name: column, the database
DETACH {{ name | identifier }}
