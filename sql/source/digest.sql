-- digest
-- Stands for a text where texts are only compared: a short one for itself, a long one by its beginning and digest.
--
-- definition: a text of more than so many characters is those and its SHA-256, which is longer than any that is short;
--   a CASE between a text and its digest would keep the whole texts of its vector in memory
-- portable: no
--
-- parameter column: expression, a column of texts
-- parameter argument: integer, characters
(LEFT({{ column | expression }}, {{ argument | literal }}) || CASE WHEN LENGTH({{ column | expression }}) <= {{ argument | literal }} THEN '' ELSE '… SHA-256 ' || SHA256({{ column | expression }}) END)
