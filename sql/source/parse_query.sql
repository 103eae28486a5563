-- parse_query
-- The parse tree of a query as JSON; an error for anything but one SELECT.
--
-- portable: no
--
-- parameter query: text, the query
SELECT json_serialize_sql({{ query | literal }}) AS tree
