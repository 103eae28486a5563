-- cell_number
-- A number of 64 bits for a value, where values are only counted and compared.
--
-- definition: a hash; two different values have the same one with a probability of 2^-64. The engine's hash maps a
--   number of at most 64 bits, or a moment, one to one. That of a text above twelve bytes mixes eight at a time and
--   gives texts of one pattern ('Q7: 1, Q8: 3') the same number far more often, and that of a wider number gives it to
--   0 and -1: both are hashed by their MD5 sum. A list of floating-point numbers has two texts if one of them is 0 or
--   NaN. These count as one, as for the engine; its own hash is added, for a text in the list can look like that.
--   The type is known before a value is read, so the conditions on it are free
-- source: our own
-- missing: has the number of NULL
-- runs: wide
--
-- parameter cell: expression, the value
CASE
    WHEN REGEXP_MATCHES(
        TYPEOF({{ cell | expression }}),
        '^(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DATE|TIME|TIMESTAMP[ _A-Z]*|DECIMAL[(]([0-9]|1[0-8]),[0-9]+[)])$'
    ) THEN HASH({{ cell | expression }})
    WHEN REGEXP_MATCHES(TYPEOF({{ cell | expression }}), 'FLOAT|DOUBLE') AND {{ cell | expression }} IS NOT NULL
    THEN HASH(
        HASH({{ cell | expression }}),
        MD5_NUMBER(REGEXP_REPLACE(CAST({{ cell | expression }} AS VARCHAR), '-(0[.]0|nan)([^0-9]|$)', '\1\2', 'g'))
    )
    WHEN STRLEN(CAST({{ cell | expression }} AS VARCHAR)) <= 12 THEN HASH(CAST({{ cell | expression }} AS VARCHAR))
    ELSE HASH(MD5_NUMBER(CAST({{ cell | expression }} AS VARCHAR)))
END
