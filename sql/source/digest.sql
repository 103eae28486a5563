-- digest
-- Stands for a text where texts are only compared: a short one for itself, a long one by its digest.
--
-- definition: a text of more than 64 characters is its SHA-256, which no shorter text is
-- portable: no
--
-- parameter column: expression, a column of texts
CASE WHEN LENGTH({{ column | expression }}) <= 64 THEN {{ column | expression }} ELSE 'SHA-256 ' || SHA256({{ column | expression }}) END
