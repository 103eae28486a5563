-- install_extension
-- Fetches an extension of the engine; only shown to people, never run.
--
-- portable: no
--
-- parameter name: column, the extension
INSTALL {{ name | identifier }}
