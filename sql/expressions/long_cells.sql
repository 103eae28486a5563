-- long_cells
-- What stands for a long cell where cells are only compared.
--
-- source: our own
-- runs: finish

-- name: digest
-- Stands for a text where texts are only compared: a short one for itself, a long one by its beginning and digest.
--
-- definition: a text of more than so many characters is those and its SHA-256, which is longer than any that is short;
--   a CASE between a text and its digest would keep the whole texts of its vector in memory
-- runs: wide
--
-- parameter column: expression, a column of texts
-- parameter argument: integer, characters
(LEFT({{ column | expression }}, {{ argument | literal }}) || CASE WHEN LENGTH({{ column | expression }}) <= {{ argument | literal }} THEN '' ELSE '… SHA-256 ' || SHA256({{ column | expression }}) END)

-- name: digest_bytes
-- Stands for bytes where they are only compared: few for themselves, many by their digest.
--
-- definition: few bytes are written as text, in which no character is beyond ASCII; more of them are their SHA-256
--
-- parameter column: expression, a column of bytes
-- parameter argument: integer, bytes
CASE WHEN OCTET_LENGTH({{ column | expression }}) <= {{ argument | literal }} THEN CAST({{ column | expression }} AS VARCHAR) ELSE '… SHA-256 ' || SHA256({{ column | expression }}) END
