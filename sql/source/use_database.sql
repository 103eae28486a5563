-- use_database
-- Makes an attached database the one that unqualified names are looked up in.
--
-- portable: no
--
-- parameter name: column, the database
USE {{ name | identifier }}
