-- digest_bytes
-- Stands for bytes where they are only compared: few for themselves, many by their digest.
--
-- definition: few bytes are written as text, in which no character is beyond ASCII; more of them are their SHA-256
-- portable: no
--
-- parameter column: expression, a column of bytes
-- parameter argument: integer, bytes
CASE WHEN OCTET_LENGTH({{ column | expression }}) <= {{ argument | literal }} THEN CAST({{ column | expression }} AS VARCHAR) ELSE '… SHA-256 ' || SHA256({{ column | expression }}) END
