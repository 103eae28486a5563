-- current_schema
-- The schema that names without one are looked up in.
--
-- portable: yes
SELECT CURRENT_SCHEMA() AS name
