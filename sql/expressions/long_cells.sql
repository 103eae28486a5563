-- long_cells
-- Digests of long values, where values are only compared.
--
-- source: our own
-- runs: finish

-- name: digest
-- A text, or the beginning and the digest of a long one.
--
-- definition: the first n characters and the SHA-256 of a longer text, which is longer than every short one. A CASE
--   between a text and its digest would keep all texts of a vector in memory
-- runs: wide
--
-- parameter column: expression, a column of texts
-- parameter argument: integer, n
(LEFT({{ column | expression }}, {{ argument | literal }}) || CASE
    WHEN LENGTH({{ column | expression }}) <= {{ argument | literal }} THEN ''
    ELSE '… SHA-256 ' || SHA256({{ column | expression }})
END)

-- name: digest_bytes
-- Bytes as a text, or the digest of many.
--
-- definition: at most n bytes are written as a text of ASCII characters, more bytes as their SHA-256
--
-- parameter column: expression, a column of bytes
-- parameter argument: integer, n
CASE
    WHEN OCTET_LENGTH({{ column | expression }}) <= {{ argument | literal }}
    THEN CAST({{ column | expression }} AS VARCHAR)
    ELSE '… SHA-256 ' || SHA256({{ column | expression }})
END
