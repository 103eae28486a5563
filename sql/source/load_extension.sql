-- load_extension
-- Loads an installed extension of the engine, at the user's word only.
--
-- portable: no
--
-- parameter name: column, the extension
LOAD {{ name | identifier }}
