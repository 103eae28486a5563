-- limit_fits
-- Whether a limit is a value of a type, without rounding.
--
-- portable: no
--
-- parameter limit: text, the limit
-- parameter kind: expression, the type
SELECT COALESCE(TRY_CAST(CAST(TRY_CAST({{ limit | literal }} AS {{ kind | expression }}) AS VARCHAR) AS DOUBLE) = TRY_CAST({{ limit | literal }} AS DOUBLE), FALSE) AS fits
